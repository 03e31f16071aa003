import { findExtension } from "../../x509/certificate.ts";
import type { Extension } from "../../x509/extension.ts";
import {
  readExtKeyUsage,
  readKeyUsage,
  extKeyUsageOrder,
  isForCas,
  keyUsageName,
} from "../../x509/usage.ts";
import { isEmptyName } from "../../x509/name.ts";
import { extensionOid } from "../../x509/oid.ts";
import type { Validity } from "../issuer/validity.ts";
import type { SigningRequest } from "../request/request.ts";
import { purposesOf, type Particulars } from "../request/template.ts";
import type { LeafProfile } from "./profile.ts";

/** What the body says of purposes, where the CSR says nothing, and of the signature. */
interface Purposes {
  readonly key_usage: readonly string[];
  readonly ext_key_usage: readonly string[];
  readonly ext_key_usage_oids: readonly string[];
  readonly signature_bits: number;
  readonly use_pss: boolean;
}

/** What the CSR asks to be used for, but what makes a CA or is this authority's to say. */
export function verbatimProfile(
  { csr }: SigningRequest,
  { key_usage, ext_key_usage, ext_key_usage_oids, signature_bits: bits, use_pss: pss }: Purposes,
): LeafProfile {
  const usage = findExtension(csr, extensionOid.keyUsage);
  const purposes = findExtension(csr, extensionOid.extKeyUsage);
  const copied = purposes ? readExtKeyUsage(purposes.value) : undefined;
  const named = key_usage
    .map(keyUsageName)
    .filter((name) => name !== undefined)
    .filter((name) => !isForCas(name));
  return {
    kind: "leaf",
    keyUsage: usage ? readKeyUsage(usage.value) : named,
    // without basic constraints some readers take a certificate for that of a CA, by its other
    // extensions
    basicConstraints: { ca: false },
    extKeyUsage: copied ?? [
      ...new Set([...extKeyUsageOrder(ext_key_usage), ...purposesOf(ext_key_usage_oids)]),
    ],
    signature: { bits, pss },
    isRoles: false,
  };
}
/** Subject, names, key and further extensions as the CSR has them. */
export function verbatimParticulars(
  { csr, names }: SigningRequest,
  validity: Validity,
): Particulars {
  return {
    subject: csr.subject,
    names,
    ...validity,
    spki: csr.spki,
    extra: csr.extensions
      .filter(isCopied)
      .map((extension) => (isEmptyName(csr.subject) ? withCriticalNames(extension) : extension)),
  };
}

/** Extensions that a certificate never takes over from a CSR. */
export const neverCopied: ReadonlySet<string> = new Set([
  extensionOid.basicConstraints,
  extensionOid.ctPoison,
  extensionOid.nameConstraints,
]);
/** Without a subject the names are all there is (RFC 5280 section 4.2.1.6). */
const withCriticalNames = (extension: Extension): Extension =>
  extension.oid === extensionOid.subjectAltName ? { ...extension, critical: true } : extension;
const isCopied = (extension: Extension): boolean => !neverCopied.has(extension.oid);
