import { equalBytes } from "../base/bytes.ts";
import { lowerAscii } from "../base/names.ts";
import { ipToBytes } from "../x509/address.ts";
import type { GeneralNames } from "../x509/san.ts";

/**
 * The host for which a certificate must be valid: a name in the form that `sniName` returns, or an
 * address.
 */
export interface Host {
  readonly serverName?: string | undefined;
  readonly address?: string | undefined;
}

/**
 * Reports whether the subject alternative names of a certificate match a host (RFC 9525 section 6).
 */
export function namesHost(names: GeneralNames, { serverName, address }: Host): boolean {
  if (serverName !== undefined)
    return names.dns.some((presented) => isName(lowerAscii(presented), serverName));
  const expected = address === undefined ? undefined : ipToBytes(address);
  return (
    expected !== undefined &&
    names.ip.some((presented) => equalBytes(ipToBytes(presented) ?? new Uint8Array(), expected))
  );
}

/**
 * Reports whether a DNS name matches a host. `*` matches the whole first label of a name with at
 * least two further labels.
 */
function isName(presented: string, host: string): boolean {
  if (!presented.startsWith("*.")) return presented === host;
  const [base, dot] = [presented.slice(1), host.indexOf(".")];
  return base.includes(".", 1) && dot > 0 && host.slice(dot) === base;
}
