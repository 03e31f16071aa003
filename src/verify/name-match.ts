import { asciiOf, lowerAscii } from "../base/names.ts";
import { ipToBytes, ipToText } from "../x509/address.ts";
import type { ParsedNames } from "../x509/san.ts";

/**
 * Reports whether subject alternative names include a name: a host name (RFC 9525; a wildcard must
 * be the whole first label), an IP address, an email address, or a URI, which must match exactly.
 */
export function matchesName(names: ParsedNames, name: string): boolean {
  if (/^[A-Za-z][A-Za-z\d+.-]*:\/\//.test(name)) return names.uri.includes(name);
  if (name.includes("@")) return names.email.some((email) => isSameMailbox(email, name));
  const address = ipToBytes(name.replace(/^\[(.*)\]$/, "$1"));
  if (address) return names.ip.includes(ipToText(address));
  const host = asciiOf(name.replace(/\.$/, ""));
  if (host === undefined || !isHost(host)) return false;
  return names.dns.some((pattern) => matchesHost(lowerAscii(pattern), lowerAscii(host)));
}

/**
 * Reports whether a name is a host name. Accepts underscores, which host names must not contain,
 * because such names resolve and occur in certificates.
 */
const isHost = (name: string): boolean => /^[\w-]+(?:\.[\w-]+)*$/.test(name);

/**
 * Reports whether a pattern matches a host name. A wildcard must be the whole first label, and
 * matches exactly one label.
 */
function matchesHost(pattern: string, host: string): boolean {
  if (!pattern.startsWith("*.")) return pattern === host;
  const first = host.indexOf(".");
  return first > 0 && host.slice(first) === pattern.slice(1);
}

/**
 * Reports whether two email addresses are equal. Compares local parts exactly, and hosts
 * case-insensitively.
 */
function isSameMailbox(one: string, other: string): boolean {
  const [at, otherAt] = [one.lastIndexOf("@"), other.lastIndexOf("@")];
  return (
    one.slice(0, at) === other.slice(0, otherAt) &&
    lowerAscii(one.slice(at)) === lowerAscii(asciiHost(other.slice(otherAt)))
  );
}
const asciiHost = (host: string): string => `@${asciiOf(host.slice(1)) ?? host.slice(1)}`;
