import { parseCertificate } from "../../src/x509/certificate.ts";
import { nameValues } from "../../src/x509/name.ts";
import { nameOid } from "../../src/x509/oid.ts";
import { readCertificate } from "../lib/x509/decode.ts";
import type { ConstraintFields } from "../../src/client/pki.ts";
import { readData } from "./call.ts";
import { generateIntermediateFromKey, signIntermediate } from "./endpoints/pki.ts";
import type { Authority } from "./issuer.ts";
import { importBundle } from "./issuers.ts";
import { maySignAuthorities, pathLength } from "./path-length.ts";
import { nameIssuer, type CreatedCa, type Subject } from "./new-issuer.ts";

const attributes = [
  ["country", nameOid.country],
  ["province", nameOid.province],
  ["locality", nameOid.locality],
  ["street_address", nameOid.street],
  ["postal_code", nameOid.postalCode],
  ["organization", nameOid.organization],
  ["ou", nameOid.organizationalUnit],
] as const;

/**
 * Returns the subject of a certificate as API fields, so that a new certificate can have the same
 * subject.
 */
export function subjectFields(der: Uint8Array): Subject & {
  readonly common_name: string;
  readonly serial_number: string;
  readonly exclude_cn_from_sans: true;
} {
  const { subject } = parseCertificate(der);
  const one = (oid: string): string => nameValues(subject, oid)[0] ?? "";
  const lists = attributes
    .map(([name, oid]) => [name, nameValues(subject, oid)] as const)
    .filter(([, values]) => values.length > 0);
  return {
    common_name: one(nameOid.commonName),
    serial_number: one(nameOid.serialNumber),
    ...Object.fromEntries(lists),
    exclude_cn_from_sans: true,
  };
}

/**
 * Returns the CAs that can cross-sign a CA: those that can sign, and have a different key and a
 * sufficient path length constraint.
 */
export const signersFor = (one: Authority, all: readonly Authority[]): readonly Authority[] =>
  all.filter((other) => {
    const [room, needed] = [pathLength(other), pathLength(one) ?? 0];
    return (
      other.record.key_id !== one.record.key_id &&
      maySignAuthorities(other) &&
      (room === undefined || needed < room)
    );
  });

/** The parameters for cross-signing a CA. */
interface CrossSigning {
  readonly signer: string;
  readonly ttl: string;
  /** API name of the new issuer. */
  readonly name: string;
  readonly constraints: ConstraintFields;
}

/**
 * Cross-signs a CA: another CA certifies its key under the same subject and subject key identifier.
 */
export async function crossSign(
  of: Authority,
  { signer, ttl, name, constraints }: CrossSigning,
): Promise<CreatedCa> {
  const subject = subjectFields(of.view.der);
  const { csr } = await readData(generateIntermediateFromKey, {
    ...subject,
    key_ref: of.record.key_id,
  });
  const { certificate } = await readData(signIntermediate, {
    issuer_ref: signer,
    csr,
    use_csr_values: true,
    ttl,
    skid: of.view.subjectKeyId,
    max_path_length: pathLength(of) ?? -1,
    ...constraints,
  });
  const signed = await readCertificate(certificate);
  // If the subject differed, certificates issued by the CA would not chain to this certificate.
  if (signed.subject !== of.view.subject)
    throw new Error(
      `The issuing CA changed the subject from ${of.view.subject} to ${signed.subject}. The certificate was not imported.`,
    );
  const { data } = await importBundle(certificate, false);
  const id = data.imported_issuers?.[0];
  if (id === undefined) throw new Error("The certificate was signed, but not added as an issuer.");
  return nameIssuer(id, name);
}
