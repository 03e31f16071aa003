import { isAmong, canonicalAddress } from "../../src/net/ranges.ts";
import { badRequest } from "./request-line.ts";

/** Maximum entries; a longer chain is a loop or forged. */
const maxProxies = 16;

/**
 * Finds the client of the outermost trusted proxy in X-Forwarded-For. Each proxy appends the
 * address it saw, so only entries right of the first untrusted address are reliable; what an
 * untrusted client sent is never parsed. Undefined without the header. Throws HttpError.
 */
export function findCaller(lines: string, trusted: readonly string[]): string | undefined {
  let caller: string | undefined;
  let proxies = 0;
  for (const part of lines.split(",").toReversed()) {
    const entry = part.trim();
    // RFC 9110 section 5.6.1.2: empty elements are ignored
    if (entry === "") continue;
    caller = addressIn(entry);
    if (caller === undefined) throw badRequest("X-Forwarded-For contains an invalid IP address");
    if (!isAmong(caller, trusted)) return caller;
    if (++proxies > maxProxies)
      throw badRequest(`X-Forwarded-For names more than ${maxProxies} proxies`);
  }
  return caller;
}

/** Returns the address of an entry in canonical form; some proxies add the port. */
function addressIn(entry: string): string | undefined {
  const [, six, four] =
    /^(?:\[([^\]]{0,40}:[^\]]{0,40})\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5})$/.exec(entry) ?? [];
  return canonicalAddress(six ?? four ?? entry);
}
