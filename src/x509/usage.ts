import type { KeyAlgorithm } from "../algorithms/algorithm.ts";
import { bitString, oid, readDer, tlvOf } from "../base/der.ts";
import { memoizeExtension, type Extension } from "./extension.ts";
import { extensionOid } from "./oid.ts";

/** Names of the KeyUsage bits, in bit order (RFC 5280 section 4.2.1.3). */
export const keyUsages = [
  "DigitalSignature",
  "ContentCommitment",
  "KeyEncipherment",
  "DataEncipherment",
  "KeyAgreement",
  "CertSign",
  "CRLSign",
  "EncipherOnly",
  "DecipherOnly",
] as const;
/** Name of a KeyUsage bit. */
export type KeyUsage = (typeof keyUsages)[number];

const keyUsageNames: ReadonlyMap<string, KeyUsage> = new Map(
  keyUsages.map((name) => [name.toLowerCase(), name]),
);

/**
 * Returns the key usage with the given name, ignoring case and surrounding white space. Returns
 * undefined for an unknown name.
 */
export const keyUsageName = (text: string): KeyUsage | undefined =>
  keyUsageNames.get(text.trim().toLowerCase());

/** Reports whether a key usage is for CAs only (RFC 5280 section 4.2.1.3). */
export const isForCas = (usage: KeyUsage | undefined): boolean =>
  usage === "CertSign" || usage === "CRLSign";

/**
 * Reports whether certificates for keys of an algorithm must not have the given key usage (RFC 9881
 * section 5).
 */
export function isForbiddenUsage(
  { misuses }: Pick<KeyAlgorithm, "misuses">,
  usage: string,
): boolean {
  for (const { forbidden, isMisused } of misuses)
    if (forbidden === true && isMisused(usage)) return true;
  return false;
}

/** Extended key usages, in the order in which certificates list them. */
const extKeyUsageTable = [
  ["Any", "2.5.29.37.0"],
  ["ServerAuth", "1.3.6.1.5.5.7.3.1"],
  ["ClientAuth", "1.3.6.1.5.5.7.3.2"],
  ["CodeSigning", "1.3.6.1.5.5.7.3.3"],
  ["EmailProtection", "1.3.6.1.5.5.7.3.4"],
  ["IPSECEndSystem", "1.3.6.1.5.5.7.3.5"],
  ["IPSECTunnel", "1.3.6.1.5.5.7.3.6"],
  ["IPSECUser", "1.3.6.1.5.5.7.3.7"],
  ["TimeStamping", "1.3.6.1.5.5.7.3.8"],
  ["OCSPSigning", "1.3.6.1.5.5.7.3.9"],
  ["MicrosoftServerGatedCrypto", "1.3.6.1.4.1.311.10.3.3"],
  ["NetscapeServerGatedCrypto", "2.16.840.1.113730.4.1"],
  ["MicrosoftCommercialCodeSigning", "1.3.6.1.4.1.311.2.1.22"],
  ["MicrosoftKernelCodeSigning", "1.3.6.1.4.1.311.61.1.1"],
] as const;

const extKeyUsageOids = new Map<string, string>(
  extKeyUsageTable.map(([name, oid]) => [name.toLowerCase(), oid]),
);
const extKeyUsageNames = new Map<string, string>(
  extKeyUsageTable.map(([name, oid]) => [oid, name]),
);

/**
 * Returns the object identifier of an extended key usage by name, ignoring case and surrounding
 * white space. Returns undefined for an unknown name.
 */
export const extKeyUsageOid = (name: string): string | undefined =>
  extKeyUsageOids.get(name.trim().toLowerCase());

/** Returns the name of an extended key usage by its object identifier. */
export const extKeyUsageName = (oid: string): string | undefined => extKeyUsageNames.get(oid);

/**
 * Returns the object identifiers of extended key usages by name, in certificate order. Ignores
 * unknown names.
 */
export function extKeyUsageOrder(names: readonly string[]): readonly string[] {
  const oids = new Set(names.map((name) => extKeyUsageOid(name)));
  return extKeyUsageTable.map(([, oid]) => oid).filter((oid) => oids.has(oid));
}

/**
 * Returns a critical KeyUsage extension with trailing zero bits trimmed (X.690 section 11.2.2), or
 * undefined if there are no usages.
 */
export function keyUsage(names: readonly KeyUsage[]): Extension | undefined {
  let bits = 0;
  for (const name of names) bits |= 0x8000 >> keyUsages.indexOf(name);
  if (bits === 0) return undefined;
  return memoizeExtension(["usage", bits], () => {
    const bytes =
      (bits & 0xff) === 0 ? Uint8Array.of(bits >> 8) : Uint8Array.of(bits >> 8, bits & 0xff);
    const last = bytes.at(-1) ?? 0;
    return {
      oid: extensionOid.keyUsage,
      critical: true,
      value: bitString(bytes, 31 - Math.clz32(last & -last)),
    };
  });
}

/**
 * Parses the names in a KeyUsage value. Throws `CaError` `malformed` if it cannot be parsed, or has
 * untrimmed or unknown bits.
 */
export function readKeyUsage(value: Uint8Array): readonly KeyUsage[] {
  const reader = readDer(value, "key usage");
  const { unused, bytes } = reader.bitString("the bits");
  const count = 8 * bytes.length - unused;
  const last = bytes.at(-1) ?? 0;
  if (count > keyUsages.length || (bytes.length > 0 && ((last >> unused) & 1) === 0))
    throw reader.refuse("bits are unknown or not trimmed");
  return keyUsages.filter((_, i) => (((bytes[i >> 3] ?? 0) << (i & 7)) & 0x80) !== 0);
}

/**
 * Rejects a KeyUsage value that cannot be parsed or has no effect. Throws `CaError` `malformed`.
 */
export function checkKeyUsage(value: Uint8Array): void {
  const usage = readKeyUsage(value);
  if (usage.some((name) => name.endsWith("Only")) && !usage.includes("KeyAgreement"))
    throw readDer(value, "key usage").refuse(
      "encipherOnly and decipherOnly have no meaning without keyAgreement (RFC 5280 section 4.2.1.3)",
    );
}

/**
 * Returns an ExtKeyUsage extension with the object identifiers in the given order, without
 * duplicates. Returns undefined if there are none.
 */
export function extKeyUsage(oids: readonly string[]): Extension | undefined {
  if (oids.length === 0) return undefined;
  return memoizeExtension(["purpose", oids], () => ({
    oid: extensionOid.extKeyUsage,
    critical: false,
    value: tlvOf(0x30, [...new Set(oids)].map(oid)),
  }));
}

/** Parses the object identifiers in an ExtKeyUsage value. */
export function readExtKeyUsage(value: Uint8Array): readonly string[] {
  const list = readDer(value, "extended key usage").enter("ExtKeyUsage");
  const oids: string[] = [];
  while (list.tag !== undefined) oids.push(list.oid("a purpose"));
  return oids;
}
