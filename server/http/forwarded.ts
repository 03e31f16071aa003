import { isAmong, canonicalAddress } from "../../src/net/ranges.ts";
import { badRequest } from "./request-line.ts";

/** Maximum number of proxies in the header; a longer chain is a loop or forged. */
const maxProxies = 16;

/**
 * Finds the client of the outermost trusted proxy in X-Forwarded-For. Each proxy appends the
 * address of its own client, so the entries are read from the right up to the first untrusted
 * address; entries that the client itself sent are never parsed. Returns undefined if there is no
 * header. Throws {@link HttpError} for an invalid address or too many proxies.
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

/**
 * Returns the canonical form of the address in an entry, or undefined if it is invalid. Some
 * proxies append the port.
 */
function addressIn(entry: string): string | undefined {
  const [, six, four] =
    /^(?:\[([^\]]{0,40}:[^\]]{0,40})\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5})$/.exec(entry) ?? [];
  return canonicalAddress(six ?? four ?? entry);
}
