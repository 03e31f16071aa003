import { isOid } from "../base/der.ts";
import { extKeyUsageName, extKeyUsageOid, type KeyUsage } from "../x509/usage.ts";

/** The use of a certificate: the name or object identifier of an extended key usage, or `any`. */
export type Purpose =
  | "any"
  | "serverAuth"
  | "clientAuth"
  | "codeSigning"
  | "emailProtection"
  | "timeStamping"
  | "OCSPSigning"
  | (string & {});

/** A purpose, expressed as values of certificate extensions. */
export interface RequiredPurpose {
  /** Object identifier of the extended key usage, or undefined for any purpose. */
  readonly oid: string | undefined;
  readonly name: string;
  /**
   * If the leaf has a key usage extension, it must contain one of these key usages. If the list is
   * empty, any key usage is accepted.
   */
  readonly usages: readonly KeyUsage[];
}

const signing: readonly KeyUsage[] = ["DigitalSignature", "ContentCommitment"];
const leafUsages: ReadonlyMap<string, readonly KeyUsage[]> = new Map([
  ["serverauth", ["DigitalSignature", "KeyEncipherment", "KeyAgreement"]],
  ["clientauth", ["DigitalSignature", "KeyAgreement"]],
  ["codesigning", ["DigitalSignature"]],
  ["emailprotection", [...signing, "KeyEncipherment", "KeyAgreement"]],
  ["timestamping", signing],
  ["ocspsigning", signing],
]);

const anything: RequiredPurpose = { oid: undefined, name: "any", usages: [] };

/** Resolves a purpose (RFC 5280 section 4.2.1.12). Throws `TypeError` for an unknown name. */
export function requiredPurpose(purpose: Purpose): RequiredPurpose {
  if (purpose === "any") return anything;
  const oid = isOid(purpose) ? purpose : extKeyUsageOid(purpose);
  if (!oid)
    throw new TypeError(
      `purpose: expected "any", the name of an extended key usage such as "serverAuth", or an object identifier, got ${JSON.stringify(purpose).slice(0, 80)}`,
    );
  if (oid === anyPurpose) return anything;
  const name = extKeyUsageName(oid)?.toLowerCase() ?? "";
  return { oid, name: purpose, usages: leafUsages.get(name) ?? [] };
}

/** Object identifier of the extended key usage that includes every purpose. */
export const anyPurpose = "2.5.29.37.0";
