import { toHex } from "../../base/bytes.ts";
import { ipToBytes } from "../../x509/address.ts";

/**
 * Returns the name that an address has in the DNS (RFC 1035 section 3.5, RFC 3596 section 2.5),
 * which names it to servers of tls-alpn-01 (RFC 8738 section 6). Undefined for what is no address.
 */
export function reverseName(address: string): string | undefined {
  const bytes = ipToBytes(address);
  if (!bytes) return undefined;
  const [labels, zone] =
    bytes.length === 4
      ? [Array.from(bytes, String), "in-addr.arpa"]
      : [Array.from(toHex(bytes)), "ip6.arpa"];
  return `${labels.toReversed().join(".")}.${zone}`;
}
