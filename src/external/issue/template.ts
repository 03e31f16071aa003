import { CaError } from "../../base/errors.ts";
import { supportsScheme, schemeOf, isSameKey, parsePublicKey } from "../../x509/public-key.ts";
import { readBasicConstraints } from "../../x509/basic-constraints.ts";
import { findExtension, type Certificate } from "../../x509/certificate.ts";
import { checkValue } from "../../x509/extension-value.ts";
import type { Extension } from "../../x509/extension.ts";
import { checkName, isEmptyName, parseName } from "../../x509/name.ts";
import { extensionOid } from "../../x509/oid.ts";
import { noNames, parseSan, type ParsedNames } from "../../x509/san.ts";
import { readExtKeyUsage, readKeyUsage } from "../../x509/usage.ts";
import { withoutSign } from "../../pki/issuer/serial.ts";
import type { SigningIssuer } from "../../pki/issuer/issuer.ts";
import type { LeafProfile } from "../../pki/leaf/profile.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { refuseControlCharacters, refuseLongNames } from "../../pki/request/names.ts";
import {
  commonNamesOf,
  checkCommonNames,
  type CertificateFields,
} from "../../pki/request/template.ts";
import type { RuleChecker } from "../../pki/request/rule-checker.ts";

/** The parsed certificate template. */
interface ReadTemplate {
  readonly isCa: boolean;
  /** The profile without `kind`, which the caller sets for a leaf or a CA. */
  readonly profile: Omit<LeafProfile, "kind">;
  readonly own: CertificateFields;
  /** Serial number without a leading zero octet. */
  readonly serial: Uint8Array;
  /** Alternative names that cannot be compared with name constraints. */
  readonly unreadable: readonly string[];
}

/** Returns the error for an unusable template. */
export const unusableTemplate = (why: string): CaError =>
  new CaError("constraint", `the external policy service returned a template that ${why}`);

/**
 * Parses a template from the external policy service. Its subject, names, extensions, serial number
 * and validity are used unchanged, and its issuer fields are ignored (B 7.4). Throws `constraint`
 * if its public key differs from that of the request, or if clients could not parse it.
 */
export function readTemplate(
  template: Certificate,
  { spki, issuer }: { readonly spki: Uint8Array; readonly issuer: SigningIssuer },
): ReadTemplate {
  try {
    return read(template, spki, issuer);
  } catch (error) {
    if (error instanceof CaError && error.code !== "constraint")
      throw unusableTemplate(`cannot be issued: ${error.message}`);
    throw error;
  }
}

function read(template: Certificate, spki: Uint8Array, issuer: SigningIssuer): ReadTemplate {
  if (!isSameKey(parsePublicKey(template.spki), parsePublicKey(spki)))
    throw unusableTemplate("has a different public key than the request");
  const { subject, notBefore, notAfter, serial } = template;
  const basic = findExtension(template, extensionOid.basicConstraints);
  const usage = findExtension(template, extensionOid.keyUsage);
  const purposes = findExtension(template, extensionOid.extKeyUsage);
  refuseUnknowable(template);
  const names = namesOf(template);
  const basicConstraints = basic && readBasicConstraints(basic.value);
  const scheme = schemeOf(template.algorithm);
  return {
    isCa: basicConstraints?.ca === true,
    profile: {
      keyUsage: usage ? readKeyUsage(usage.value) : [],
      extKeyUsage: purposes ? readExtKeyUsage(purposes.value) : [],
      ...(basicConstraints && { basicConstraints }),
      signature: { bits: 0, pss: false },
      ...(scheme && supportsScheme(scheme, issuer.publicKey) && { scheme }),
      isRoles: false,
    },
    own: {
      subject,
      names,
      notBefore,
      notAfter,
      spki,
      extra: template.extensions
        .filter(({ oid }) => !written.has(oid))
        .map((extension) => withRequiredCriticality(extension, isEmptyName(subject))),
    },
    serial: withoutSign(serial),
    unreadable: names.unreadable,
  };
}

/** Checks the length of the template's common names, according to the caller's dialect. */
export function checkSubject(
  caller: Caller,
  { subject }: Pick<CertificateFields, "subject">,
): void {
  const checker: RuleChecker = {
    enforce: (_, __, ___, refusal) => {
      throw unusableTemplate(`cannot be issued: ${refusal().message}`);
    },
  };
  checkCommonNames({ caller, checker }, ...commonNamesOf(subject));
}

/**
 * The extensions that are always rewritten: those that describe the issuer, and basic constraints.
 */
const written: ReadonlySet<string> = new Set([
  extensionOid.authorityKeyIdentifier,
  extensionOid.authorityInfoAccess,
  extensionOid.crlDistributionPoints,
  extensionOid.freshestCrl,
  extensionOid.basicConstraints,
]);
/**
 * Returns an extension with the criticality that RFC 5280 sections 4.2.1.2, 4.2.1.6, 4.2.1.10,
 * 4.2.1.11 and 4.2.1.14 require.
 */
function withRequiredCriticality(extension: Extension, isNameless: boolean): Extension {
  const { oid } = extension;
  if (alwaysCritical.has(oid) || (oid === extensionOid.subjectAltName && isNameless))
    return { ...extension, critical: true };
  return oid === extensionOid.subjectKeyIdentifier ? { ...extension, critical: false } : extension;
}
const alwaysCritical: ReadonlySet<string> = new Set([
  extensionOid.nameConstraints,
  extensionOid.policyConstraints,
  extensionOid.inhibitAnyPolicy,
]);

/**
 * Rejects extensions that cannot be parsed, or that would have a different meaning in a certificate
 * of this mount.
 */
function refuseUnknowable({ subject, extensions }: Certificate): void {
  checkName(subject);
  const opaque = parseName(subject)
    .flat()
    .find((part) => part.opaque);
  if (opaque)
    throw unusableTemplate(`has a subject with a value that is not a string: ${opaque.oid}`);
  for (const extension of extensions) if (!written.has(extension.oid)) checkValue(extension);
  const purposes = findExtension({ extensions }, extensionOid.extKeyUsage);
  if (purposes && readExtKeyUsage(purposes.value).length === 0)
    throw unusableTemplate("has an empty extended key usage extension");
  if (findExtension({ extensions }, extensionOid.ctPoison))
    throw unusableTemplate("is a precertificate (RFC 6962 section 3.1), which cannot be issued");
}

/** Returns the names of a template. Rejects names that clients might truncate or misread. */
function namesOf({ subject, extensions }: Certificate): ParsedNames {
  const san = findExtension({ extensions }, extensionOid.subjectAltName);
  const names = san ? parseSan(san.value) : noNames;
  for (const name of [
    ...parseName(subject)
      .flat()
      .map(({ value }) => value),
    ...names.dns,
    ...names.email,
    ...names.uri,
    ...names.other.map(({ value }) => value),
  ])
    refuseControlCharacters(name);
  refuseLongNames(names);
  return names;
}
