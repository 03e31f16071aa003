import { inRange, ipToBytes, ipToText } from "../x509/address.ts";
import { specialOf, type SpecialRange } from "./special-ranges.ts";

/** The rules of a mount and its deployment for the addresses that validation may contact. */
export interface TargetRules {
  /**
   * The value of `challenge_permitted_ip_ranges`. If not empty, only these addresses are allowed.
   */
  readonly permitted: readonly string[];
  /** The value of `challenge_excluded_ip_ranges`. These addresses are never allowed. */
  readonly excluded: readonly string[];
  /**
   * The value of `ACME_PRIVATE_NETWORKS`: whether private addresses are allowed if there are no
   * permitted ranges.
   */
  readonly privateNetworks: boolean;
}
/** The reason why an address is not allowed. */
export interface TargetRefusal {
  /** The address in the form of RFC 5952. */
  readonly address: string;
  /** The reason as a verb phrase, such as "is a loopback address". */
  readonly reason: string;
  /** The setting that causes the rejection. */
  readonly setting:
    | "challenge_permitted_ip_ranges"
    | "challenge_excluded_ip_ranges"
    | "ACME_PRIVATE_NETWORKS";
  /** The reason as a sentence for the client. */
  readonly text: string;
}

const privateKinds: ReadonlySet<SpecialRange> = new Set<SpecialRange>([
  "a private address",
  "a shared address",
  "a unique local address",
]);

const within = (addresses: readonly string[], ranges: readonly string[]): boolean =>
  addresses.some((address) => ranges.some((range) => inRange(address, range)));

/**
 * Returns the reason why an address (IPv6 without brackets) must not be contacted for a challenge,
 * or undefined if it may be (D 5, security rows 35 and 38). Excluded ranges take precedence. If
 * there are permitted ranges, all other addresses are rejected. Otherwise public addresses are
 * allowed, and private ones if the deployment allows them. An embedded IPv4 address is also
 * checked. A string that is not an address is rejected.
 */
export function targetRefusal(text: string, rules: TargetRules): TargetRefusal | undefined {
  const bytes = ipToBytes(text);
  if (!bytes) return refusal(text.slice(0, 64), "is not an IP address", permittedSetting);
  // an IPv4-mapped address has been converted to the IPv4 address that it reaches
  const mapped = bytes.length === 4 && text.includes(":");
  const address = ipToText(bytes);
  const { kind, embedded, sameHost } = specialOf(bytes);
  if (within([address, ...embedded], rules.excluded))
    return refusal(address, "is in an excluded range", "challenge_excluded_ip_ranges");
  if (rules.permitted.length > 0)
    return within(sameHost ? [address, ...embedded] : [address], rules.permitted)
      ? undefined
      : refusal(address, "is in no permitted range", permittedSetting);
  if (mapped) return refusal(`::ffff:${address}`, "is an IPv4-mapped address", permittedSetting);
  return kind && byDefault(address, kind, rules);
}

const permittedSetting = "challenge_permitted_ip_ranges";

function byDefault(
  address: string,
  kind: SpecialRange,
  rules: TargetRules,
): TargetRefusal | undefined {
  if (kind === "a loopback address") return loopbackRefusal(address);
  if (!privateKinds.has(kind)) return refusal(address, `is ${kind}`, permittedSetting);
  return rules.privateNetworks
    ? undefined
    : refusal(address, `is ${kind}`, "ACME_PRIVATE_NETWORKS");
}

const remedies = {
  challenge_permitted_ip_ranges:
    "challenge_permitted_ip_ranges of config/acme permits only other addresses",
  challenge_excluded_ip_ranges: "challenge_excluded_ip_ranges of config/acme excludes this address",
  ACME_PRIVATE_NETWORKS:
    "to permit this address, set challenge_permitted_ip_ranges of config/acme, or ACME_PRIVATE_NETWORKS of the deployment",
};
const refusal = (
  address: string,
  reason: string,
  setting: TargetRefusal["setting"],
): TargetRefusal => ({
  address,
  reason,
  setting,
  text: `${address} ${reason} and is not contacted; ${remedies[setting]}`,
});

/**
 * Returns the refusal of a loopback address. Names the range to permit, for trials on one machine.
 */
function loopbackRefusal(address: string): TargetRefusal {
  const reason = "is a loopback address";
  const range = address.startsWith("127.") ? "127.0.0.0/8" : `${address}/128`;
  return {
    ...refusal(address, reason, permittedSetting),
    text: `${address} ${reason} and is not contacted; to permit it, add ${range} to ${permittedSetting} of config/acme, which then permits only the ranges it lists`,
  };
}
