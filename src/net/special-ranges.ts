import { inRange, ipToText } from "../x509/address.ts";

/** The kinds of addresses outside the public internet. */
export type SpecialRange =
  | "a loopback address"
  | "a private address"
  | "a shared address"
  | "a unique local address"
  | "a link-local address"
  | "a cloud metadata address"
  | "a multicast address"
  | "a documentation address"
  | "an unspecified address"
  | "an IPv4-compatible address"
  | "an IPv4-translated address"
  | "a NAT64 address"
  | "a 6to4 address"
  | "a Teredo address"
  | "a reserved address";

/**
 * Special-purpose addresses (RFC 6890 and its successors). The first match applies. Metadata
 * services of cloud providers are listed because some of their addresses are not link-local.
 */
const ranges: readonly (readonly [SpecialRange, ...(readonly string[])])[] = [
  [
    "a cloud metadata address",
    "169.254.169.254/32",
    "169.254.170.2/32",
    "100.100.100.200/32",
    "168.63.129.16/32",
    "192.0.0.192/32",
    "fd00:ec2::/32",
    "fd20:ce::254/128",
  ],
  ["a loopback address", "127.0.0.0/8", "::1/128"],
  ["a private address", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"],
  ["a shared address", "100.64.0.0/10"],
  ["a link-local address", "169.254.0.0/16", "fe80::/10"],
  ["an unspecified address", "0.0.0.0/8", "::/128"],
  [
    "a documentation address",
    "192.0.2.0/24",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "2001:db8::/32",
    "3fff::/20",
  ],
  ["a multicast address", "224.0.0.0/4", "ff00::/8"],
  ["a unique local address", "fc00::/7"],
  ["an IPv4-compatible address", "::/96"],
  ["an IPv4-translated address", "::ffff:0:0:0/96"],
  // the prefix for local use (RFC 8215); the well-known prefix covers all of IPv4 and is classified
  // below
  ["a NAT64 address", "64:ff9b:1::/48"],
  ["a Teredo address", "2001::/32"],
  ["a 6to4 address", "2002::/16"],
  // protocol assignments, 6to4 relays, benchmarking, and unallocated ranges
  ["a reserved address", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4"],
  ["a reserved address", "2001::/23"],
];
/** Ranges of public IPv6 addresses. All other addresses are special. */
const publicIpv6 = ["2000::/3", "64:ff9b::/96"];

/**
 * A range whose addresses embed an IPv4 address. `at` contains the byte positions of the IPv4
 * address, and `inverted` is true if its bits are inverted.
 */
interface Embedding {
  readonly range: string;
  readonly at: readonly number[];
  readonly inverted?: boolean;
  /** Whether a connection to the address reaches the embedded address. */
  readonly sameHost?: boolean;
}
const embeddings: readonly Embedding[] = [
  { range: "::/96", at: [12, 13, 14, 15], sameHost: true },
  { range: "::ffff:0:0:0/96", at: [12, 13, 14, 15], sameHost: true },
  { range: "64:ff9b::/96", at: [12, 13, 14, 15], sameHost: true },
  // networks choose the prefix length within this range (RFC 6052 section 2.2)
  { range: "64:ff9b:1::/48", at: [6, 7, 9, 10] },
  { range: "64:ff9b:1::/48", at: [7, 9, 10, 11] },
  { range: "64:ff9b:1::/48", at: [9, 10, 11, 12] },
  { range: "64:ff9b:1::/48", at: [12, 13, 14, 15] },
  { range: "2002::/16", at: [2, 3, 4, 5] },
  { range: "2001::/32", at: [4, 5, 6, 7] },
  { range: "2001::/32", at: [12, 13, 14, 15], inverted: true },
];

/** The classification of an address. */
interface Special {
  /** The kind of special address, or undefined for a public address. */
  readonly kind: SpecialRange | undefined;
  /** The embedded IPv4 addresses. */
  readonly embedded: readonly string[];
  /** Whether a connection to the address reaches an embedded address. */
  readonly sameHost: boolean;
}

/** Classifies an address of 4 or 16 bytes. */
export function specialOf(bytes: Uint8Array): Special {
  const address = ipToText(bytes);
  const own = kindOf(address, bytes.length);
  const matches = embeddings.filter(({ range }) => bytes.length === 16 && inRange(address, range));
  const embedded = matches.map(({ at, inverted }) =>
    at.map((i) => (bytes[i] ?? 0) ^ (inverted ? 0xff : 0)).join("."),
  );
  const sameHost = matches.length > 0 && matches.every((one) => one.sameHost);
  // an address with the well-known NAT64 prefix is public if the embedded address is public
  return { kind: own ?? embedded.map((one) => kindOf(one, 4)).find(Boolean), embedded, sameHost };
}

function kindOf(address: string, length: number): SpecialRange | undefined {
  const [kind] = ranges.find(([, ...all]) => all.some((range) => inRange(address, range))) ?? [];
  if (kind !== undefined || length === 4) return kind;
  return publicIpv6.some((range) => inRange(address, range)) ? undefined : "a reserved address";
}
