import { isAmong, canonicalAddress } from "../../src/net/ranges.ts";
import { badRequest } from "./request-line.ts";

/** More proxies in a row are a loop, or a list that somebody made long. */
const maxProxies = 16;

/**
 * Who called the outermost of the proxies that are believed, by the lines of X-Forwarded-For that
 * the innermost sent. Each proxy writes whom it saw behind what it was sent, so that only what
 * stands right of the first stranger was written by a proxy; what the stranger sent, well formed or
 * not, is never looked at. Undefined where there is nothing to read. Throws HttpRefusal.
 */
export function findCaller(lines: string, trusted: readonly string[]): string | undefined {
  let caller: string | undefined;
  let proxies = 0;
  for (const part of lines.split(",").toReversed()) {
    const entry = part.trim();
    // RFC 9110 section 5.6.1.2: empty ones are none
    if (entry === "") continue;
    caller = addressIn(entry);
    if (caller === undefined) throw badRequest("X-Forwarded-For holds what is no IP address");
    if (!isAmong(caller, trusted)) return caller;
    if (++proxies > maxProxies)
      throw badRequest(`X-Forwarded-For names more than ${maxProxies} proxies`);
  }
  return caller;
}

/** The address of an entry, in its one spelling; some proxies add the port. */
function addressIn(entry: string): string | undefined {
  const [, six, four] =
    /^(?:\[([^\]]{0,40}:[^\]]{0,40})\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5})$/.exec(entry) ?? [];
  return canonicalAddress(six ?? four ?? entry);
}
