/** Bits of KeyUsage in their order (RFC 5280 section 4.2.1.3). */
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
/** Name of one bit of KeyUsage. */
export type KeyUsage = (typeof keyUsages)[number];

const keyUsageNames: ReadonlyMap<string, KeyUsage> = new Map(
  keyUsages.map((name) => [name.toLowerCase(), name]),
);

/** The key usage that a text names, case and outer spaces aside; undefined for an unknown name. */
export const keyUsageName = (text: string): KeyUsage | undefined =>
  keyUsageNames.get(text.trim().toLowerCase());

/** Whether a key usage is one of CAs (RFC 5280 section 4.2.1.3). */
export const isForCas = (usage: KeyUsage | undefined): boolean =>
  usage === "CertSign" || usage === "CRLSign";

/** Purposes of ExtKeyUsage in the order in which certificates list them. */
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
 * Object identifier of an extended key usage name, case and outer spaces aside; undefined for an
 * unknown name.
 */
export const extKeyUsageOid = (name: string): string | undefined =>
  extKeyUsageOids.get(name.trim().toLowerCase());

/** Name of an extended key usage by its object identifier. */
export const extKeyUsageName = (oid: string): string | undefined => extKeyUsageNames.get(oid);

/**
 * Object identifiers of extended key usage names in the order of certificates; unknown names are
 * left out.
 */
export function extKeyUsageOrder(names: readonly string[]): readonly string[] {
  const wanted = new Set(names.map((name) => extKeyUsageOid(name)));
  return extKeyUsageTable.map(([, oid]) => oid).filter((oid) => wanted.has(oid));
}
