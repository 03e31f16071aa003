import { findExtension } from "../../x509/certificate.ts";
import type { Extension } from "../../x509/extension.ts";
import {
  extKeyUsage,
  extKeyUsageOid,
  readExtKeyUsage,
  readKeyUsage,
  extKeyUsageOrder,
  isForbiddenUsage,
  isForCas,
  keyUsageName,
} from "../../x509/usage.ts";
import { isEmptyName } from "../../x509/name.ts";
import { extensionOid } from "../../x509/oid.ts";
import type { Validity } from "../issuer/validity.ts";
import type { SigningRequest } from "../request/request.ts";
import { purposesOf, type CertificateFields } from "../request/template.ts";
import type { LeafProfile } from "./profile.ts";

/**
 * The key usages in the body, which are used if the CSR requests none, and the signature options.
 */
interface Purposes {
  readonly key_usage: readonly string[];
  readonly ext_key_usage: readonly string[];
  readonly ext_key_usage_oids: readonly string[];
  readonly signature_bits: number;
  readonly use_pss: boolean;
}

/**
 * Returns the profile that a CSR requests: its key usages and extended key usages, or those in the
 * body if it requests none. The certificate is never a CA.
 */
export function verbatimProfile(
  { csr, publicKey }: SigningRequest,
  { key_usage, ext_key_usage, ext_key_usage_oids, signature_bits: bits, use_pss: pss }: Purposes,
): LeafProfile {
  const usage = findExtension(csr, extensionOid.keyUsage);
  const purposes = findExtension(csr, extensionOid.extKeyUsage);
  const copied = purposes ? readExtKeyUsage(purposes.value) : undefined;
  const named = key_usage
    .map(keyUsageName)
    .filter((name) => name !== undefined)
    .filter((name) => !isForCas(name) && !isForbiddenUsage(publicKey.algorithm, name));
  return {
    kind: "leaf",
    keyUsage: usage ? readKeyUsage(usage.value) : named,
    // if basic constraints are missing, some clients infer from other extensions that a certificate
    // is a CA
    basicConstraints: { ca: false },
    extKeyUsage: copied ?? [
      ...new Set([...extKeyUsageOrder(ext_key_usage), ...purposesOf(ext_key_usage_oids)]),
    ],
    signature: { bits, pss },
    isRoles: false,
  };
}
/**
 * Returns the certificate fields for a CSR: its subject, names, key and extensions, with the given
 * validity.
 */
export function verbatimCertificateFields(
  { csr, names }: SigningRequest,
  validity: Validity,
): CertificateFields {
  return {
    subject: csr.subject,
    names,
    ...validity,
    spki: csr.spki,
    extra: csr.extensions.map((extension) =>
      isEmptyName(csr.subject) ? withCriticalNames(extension) : extension,
    ),
  };
}

/** Object identifiers that are not copied from a CSR. */
export interface WithheldOids {
  readonly extensions: ReadonlySet<string>;
  /** Extended key usages that a CSR alone cannot obtain. */
  readonly purposes: ReadonlySet<string>;
}
const purpose = (...names: readonly string[]): ReadonlySet<string> =>
  new Set(names.map(extKeyUsageOid).filter((oid) => oid !== undefined));
const never = [
  extensionOid.basicConstraints,
  extensionOid.ctPoison,
  extensionOid.nameConstraints,
] as const;
/**
 * Extensions and extended key usages that are withheld from every CSR. A certificate for OCSP
 * signing could assert the status of every certificate that the CA has issued.
 */
export const withheldOids: WithheldOids = {
  extensions: new Set<string>(never),
  purposes: purpose("OCSPSigning"),
};
/**
 * Extensions and extended key usages that are withheld from CSRs that no operator checks, such as
 * those of EST clients. They include the extensions that locate status information, or state that
 * there is none.
 */
export const withheldFromClients: WithheldOids = {
  extensions: new Set<string>([
    ...never,
    extensionOid.authorityInfoAccess,
    extensionOid.crlDistributionPoints,
    extensionOid.freshestCrl,
    extensionOid.ocspNoCheck,
    extensionOid.noRevAvail,
  ]),
  purposes: purpose("OCSPSigning", "Any"),
};

/**
 * Returns the CSR without the withheld extensions and extended key usages. `granted` contains the
 * extended key usages in the body or the role, which are not withheld.
 */
export function withoutWithheld(
  request: SigningRequest,
  { extensions, purposes }: WithheldOids,
  granted: readonly string[],
): SigningRequest {
  const isGiven = (oid: string): boolean => !purposes.has(oid) || granted.includes(oid);
  const left = request.csr.extensions.flatMap((extension) => {
    if (extensions.has(extension.oid)) return [];
    if (extension.oid !== extensionOid.extKeyUsage) return [extension];
    const requested = readExtKeyUsage(extension.value);
    if (requested.every(isGiven)) return [extension];
    const allowed = extKeyUsage(requested.filter(isGiven));
    return allowed ? [{ ...allowed, critical: extension.critical }] : [];
  });
  return { ...request, csr: { ...request.csr, extensions: left } };
}
/**
 * Marks the subject alternative name extension as critical, which RFC 5280 section 4.2.1.6 requires
 * if the subject is empty.
 */
const withCriticalNames = (extension: Extension): Extension =>
  extension.oid === extensionOid.subjectAltName ? { ...extension, critical: true } : extension;
