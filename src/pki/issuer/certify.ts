import { equalBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { sha1 } from "../../base/hashes.ts";
import { basicConstraints } from "../../x509/basic-constraints.ts";
import {
  certificateNames,
  encodeTbsCertificate,
  isCa,
  type Certificate,
} from "../../x509/certificate.ts";
import {
  authorityInfoAccess,
  readAuthorityInfoAccess,
  crlDistributionPoints,
  freshestCrl,
} from "../../x509/distribution-points.ts";
import { authorityKeyIdentifier, subjectKeyIdentifier } from "../../x509/key-identifiers.ts";
import { type Extension, encodedOnce } from "../../x509/extension.ts";
import { nameConstraints } from "../../x509/name-constraints.ts";
import { encodeName, isEmptyName } from "../../x509/name.ts";
import { extensionOid } from "../../x509/oid.ts";
import { certificatePolicies } from "../../x509/policies.ts";
import {
  algorithmIdentifier,
  supportsScheme,
  refusePrimeModulus,
  checkPublicKey,
  parsePublicKey,
} from "../../x509/public-key.ts";
import { subjectAltName } from "../../x509/san.ts";
import { extKeyUsage, keyUsage, type KeyUsage } from "../../x509/usage.ts";
import type { CertificateFields, Profile } from "../request/template.ts";
import type { Signing } from "./authority.ts";
import {
  assertAll,
  breakOf,
  brokenCertificateRule,
  assertNames,
  type Invariant,
  assertPlan,
} from "./constraints.ts";
import { crlAddresses, shardOf } from "./crl-retention.ts";
import type { Signed } from "../../log/rows/signed.ts";
import { signLogged } from "./issuer.ts";

/**
 * Maximum size in bytes of a certificate without its signature. TLS libraries reject longer chains,
 * and no certificate needs thousands of names.
 */
const maxSize = 64 * 1024;

/**
 * Signs a certificate. No other code signs certificates, except `recertify`. First asserts the
 * rules of RFC 5280 for the certificate, regardless of earlier checks; `planOf` has asserted those
 * for the plan. Rejects violations, and never repairs them. Verifies the signature unless WebCrypto
 * created it. `serial` must be positive and have 8 to 20 octets.
 */
export async function certify(
  plan: IssuingPlan,
  own: CertificateFields,
  serial: Uint8Array,
): Promise<Signed> {
  const tbs = prepareTbs(plan, own, serial);
  // the expensive check comes last
  await refusePrimeModulus(parsePublicKey(own.spki));
  return signLogged(plan.authority, plan.scheme, { type: "certificate", number: serial }, tbs);
}

/**
 * Asserts the rules for a certificate as `certify` does, except `refusePrimeModulus`, and returns
 * the TBSCertificate (DER) to be signed.
 */
export function prepareTbs(
  plan: IssuingPlan,
  own: CertificateFields,
  serial: Uint8Array,
): Uint8Array {
  const { profile, authority, algorithm } = plan;
  const subject = own.subject instanceof Uint8Array ? own.subject : encodeName(own.subject);
  const broken = brokenCertificateRule({ profile, authority, own, serial, subject });
  if (broken !== undefined) throw breakOf(broken);
  const publicKey = parsePublicKey(own.spki);
  checkPublicKey(publicKey);
  const { notBefore, notAfter, spki } = own;
  const tbs = encodeTbsCertificate({
    serial,
    algorithm,
    issuer: authority.subject ?? subject,
    notBefore,
    notAfter,
    subject,
    spki,
    extensions: extensionsOf(plan, own, {
      serial,
      critical: isEmptyName(subject),
      keyId: own.subjectKeyId ?? sha1(publicKey.keyBits),
    }),
  });
  if (tbs.length > maxSize)
    throw new CaError(
      "malformed",
      `the certificate would have ${tbs.length} bytes, more than ${maxSize}`,
    );
  return tbs;
}

/** The inputs for the extensions that differ between certificates of one plan. */
interface OfOne {
  readonly serial: Uint8Array;
  readonly critical: boolean;
  readonly keyId: Uint8Array;
}
/**
 * Returns the extensions of a certificate in the order of A 6.4. A requested extension replaces the
 * generated extension with the same OID. `critical` is true if the subject is empty, because the
 * alternative names must then be critical (RFC 5280 section 4.2.1.6).
 */
function extensionsOf(
  { authority, urls, extensions: planned }: IssuingPlan,
  { names, extra }: CertificateFields,
  { serial, critical, keyId }: OfOne,
): readonly Extension[] {
  const hasOther = names.other.length > 0;
  const san = subjectAltName(names, critical, hasOther ? "other-first" : "names-first");
  const own = san ? [san] : [];
  const generated = [
    ...planned.beforeKeyId,
    subjectKeyIdentifier(keyId),
    ...(authority.keyId ? [] : [authorityKeyIdentifier(keyId)]),
    ...planned.beforeNames,
    ...(hasOther ? [] : own),
    ...planned.afterNames,
    ...planned.points(serial),
    ...(hasOther ? own : []),
    ...planned.last,
  ];
  if (!extra?.length) return generated;
  // basic constraints, which make a certificate a CA, are never replaced
  const replaced = new Set(
    extra.map((extension) => extension.oid).filter((oid) => oid !== extensionOid.basicConstraints),
  );
  const hasNone = replaced.has(extensionOid.noRevAvail);
  if (hasNone && extra.some(tellsStatus))
    throw breakOf(
      "a certificate with the noRevAvail extension must not refer to revocation status (RFC 9608 section 2)",
    );
  const offered = hasNone ? withoutStatus(generated, urls.issuing_certificates) : generated;
  const all = [...offered.filter((extension) => !replaced.has(extension.oid)), ...extra];
  if (new Set(all.map((extension) => extension.oid)).size !== all.length)
    throw breakOf("an extension must not be repeated (RFC 5280 section 4.2)");
  return all;
}

/** Extensions that may refer to the revocation status of a certificate. */
const status: ReadonlySet<string> = new Set([
  extensionOid.crlDistributionPoints,
  extensionOid.freshestCrl,
  extensionOid.authorityInfoAccess,
]);
const tellsStatus = ({ oid, value }: Extension): boolean =>
  status.has(oid) &&
  (oid !== extensionOid.authorityInfoAccess || readAuthorityInfoAccess(value).ocsp.length > 0);
/**
 * Returns the extensions without references to revocation status, as a certificate with the
 * noRevAvail extension requires (RFC 9608 section 2).
 */
const withoutStatus = (
  extensions: readonly Extension[],
  issuers: readonly string[],
): readonly Extension[] =>
  extensions.flatMap((extension) => {
    if (!status.has(extension.oid)) return [extension];
    const access =
      extension.oid === extensionOid.authorityInfoAccess && authorityInfoAccess([], issuers);
    return access ? [access] : [];
  });

/** The inputs for re-signing a self-issued certificate. */
interface RecertifyRequest extends Signing {
  readonly certificate: Certificate;
}
const againRules: readonly Invariant<Omit<RecertifyRequest, "urls">>[] = [
  [
    ({ certificate }) => isCa(certificate) && equalBytes(certificate.issuer, certificate.subject),
    "only a self-issued CA certificate can be signed again",
  ],
  [
    ({ certificate: { serial } }) => (serial[0] ?? 0) < 0x80 && serial.some((byte) => byte !== 0),
    "the serial number must be positive (4.1.2.2)",
  ],
  [
    ({ certificate: { serial } }) => serial.length <= 20,
    "the serial number must have at most 20 octets (4.1.2.2)",
  ],
  [
    ({ authority }) => authority.keyId !== undefined && authority.subject !== undefined,
    "a self-issued certificate must be signed by an issuer",
  ],
  [
    ({ authority, scheme }) => supportsScheme(scheme, authority.publicKey),
    "the signature algorithm must fit the issuer's key",
  ],
];
/**
 * Returns the extensions of a re-signed certificate. Keeps a URL extension if the issuer has no
 * URLs for it, except that FreshestCRL is always replaced or removed together with
 * CRLDistributionPoints.
 */
function againExtensions({
  certificate,
  authority,
  urls,
  shards = 0,
}: Omit<RecertifyRequest, "scheme">): readonly Extension[] {
  const shard = shardOf(certificate.serial, { urls, shards });
  const points = crlDistributionPoints(crlAddresses(urls.crl_distribution_points, shard));
  const replacements = [
    authorityKeyIdentifier(authority.keyId ?? new Uint8Array()),
    authorityInfoAccess(urls.ocsp_servers, urls.issuing_certificates),
    points,
    freshestCrl(crlAddresses(urls.delta_crl_distribution_points, shard)),
  ].filter((extension) => extension !== undefined);
  const replaced = new Set(replacements.map(({ oid }) => oid));
  if (points) replaced.add(extensionOid.freshestCrl);
  return [...certificate.extensions.filter(({ oid }) => !replaced.has(oid)), ...replacements];
}

/**
 * Re-signs a self-issued CA certificate with an issuer. Replaces the issuer name, the authority key
 * identifier, and the URLs for which the new issuer has values. Keeps the serial number, validity,
 * subject, key and other extensions (A 9.2). Asserts that it is a CA certificate with a positive
 * serial number of at most 20 octets and a strong key.
 */
export async function recertify({
  certificate,
  authority,
  scheme,
  urls,
  shards = 0,
}: RecertifyRequest): Promise<Signed> {
  assertAll(againRules, { certificate, authority, scheme });
  assertNames(certificateNames(certificate));
  const publicKey = parsePublicKey(certificate.spki);
  checkPublicKey(publicKey);
  await refusePrimeModulus(publicKey);
  const extensions = againExtensions({ certificate, authority, urls, shards });
  const { serial, notBefore, notAfter, subject, spki } = certificate;
  const algorithm = algorithmIdentifier(scheme);
  const tbs = encodeTbsCertificate({
    serial,
    algorithm,
    issuer: authority.subject ?? subject,
    notBefore,
    notAfter,
    subject,
    spki,
    extensions,
  });
  return signLogged(authority, scheme, { type: "certificate", number: serial }, tbs);
}

/**
 * The parts that certificates of one profile and issuer share, checked and encoded once. Each
 * certificate adds a serial number and its `CertificateFields`.
 */
export interface IssuingPlan extends Signing {
  readonly profile: Profile;
  /** DER-encoded AlgorithmIdentifier. */
  readonly algorithm: Uint8Array;
  /**
   * The extensions in the order of A 6.4, split where a certificate's own extensions are inserted.
   */
  readonly extensions: {
    readonly beforeKeyId: readonly Extension[];
    readonly beforeNames: readonly Extension[];
    readonly afterNames: readonly Extension[];
    /** Returns the CRL distribution points for a serial number. */
    readonly points: (serial: Uint8Array) => readonly Extension[];
    /**
     * Certificate policies, if they have qualifiers: they then follow the names, as the last
     * extension.
     */
    readonly last: readonly Extension[];
  };
}

/**
 * Compiles the plan for a profile and an issuer. Throws `constraint` if every certificate of the
 * plan would violate RFC 5280.
 */
export function planOf(profile: Profile, signing: Signing): IssuingPlan {
  const { authority, scheme, urls, shards = 0 } = signing;
  assertPlan({ ...profile, authority, scheme });
  const { basicConstraints: basic, constraints, policies = [] } = profile;
  const isQualified = policies.some((policy) => typeof policy !== "string");
  const policy = certificatePolicies(policies);
  return {
    profile,
    authority,
    scheme,
    urls,
    shards,
    algorithm: algorithmIdentifier(scheme),
    extensions: {
      beforeKeyId: encodedExtensions(
        // keyUsageName returned the names, so the table contains them
        keyUsage(profile.keyUsage as readonly KeyUsage[]),
        extKeyUsage(profile.extKeyUsage),
        basic && basicConstraints(basic.ca, basic.pathLength),
      ),
      beforeNames: encodedExtensions(
        authority.keyId && authorityKeyIdentifier(authority.keyId),
        authorityInfoAccess(urls.ocsp_servers, urls.issuing_certificates),
      ),
      afterNames: encodedExtensions(
        isQualified ? undefined : policy,
        constraints && nameConstraints(constraints),
      ),
      points: pointsOf(signing),
      last: encodedExtensions(isQualified ? policy : undefined),
    },
  };
}
/**
 * Creates a function that returns the CRL distribution points for a serial number. It encodes the
 * distribution points of each shard on first use.
 */
function pointsOf(signing: Signing): (serial: Uint8Array) => readonly Extension[] {
  const points = (shard?: string) => {
    const { crl_distribution_points: crlIds, delta_crl_distribution_points: deltas } = signing.urls;
    return encodedExtensions(
      crlDistributionPoints(crlAddresses(crlIds, shard)),
      freshestCrl(crlAddresses(deltas, shard)),
    );
  };
  if (shardOf(noOctets, signing) === undefined) {
    const whole = points();
    return () => whole;
  }
  const pointsByShard = new Map<string, readonly Extension[]>();
  return (serial) => {
    const shard = shardOf(serial, signing) ?? "";
    const extensions = pointsByShard.get(shard) ?? points(shard);
    pointsByShard.set(shard, extensions);
    return extensions;
  };
}
const noOctets = new Uint8Array();
const encodedExtensions = (
  ...extensions: readonly (Extension | undefined)[]
): readonly Extension[] =>
  extensions.filter((extension) => extension !== undefined).map(encodedOnce);
