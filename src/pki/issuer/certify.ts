import { equalBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { fitsDns, fitsMail } from "../../base/names.ts";
import type { Scheme, Signer } from "../../engine/ports.ts";
import type { UrlSet } from "../../engine/records.ts";
import { algorithmIdentifier, schemeFits } from "../../x509/algorithm.ts";
import { ipToBytes } from "../../x509/address.ts";
import {
  certificateNames,
  encodeTbsCertificate,
  isCa,
  type Certificate,
} from "../../x509/certificate.ts";
import {
  authorityInfoAccess,
  authorityKeyIdentifier,
  basicConstraints,
  certificatePolicies,
  crlDistributionPoints,
  extKeyUsage,
  freshestCrl,
  keyUsage,
  nameConstraints,
  subjectAltName,
  subjectKeyIdentifier,
  type Extension,
} from "../../x509/extension.ts";
import { type KeyUsage } from "../../x509/usage.ts";
import { isNetscapeCa } from "../../x509/extension-value.ts";
import { encodeName } from "../../x509/name.ts";
import { extensionOid } from "../../x509/oid.ts";
import { checkPublicKey } from "../../x509/spki.ts";
import { keyIdentifier, parsePublicKey, type PublicKey } from "../../x509/spki.ts";
import { signDer } from "./signature.ts";
import { mostNames } from "../request/alternative-names.ts";
import type { Template } from "../request/template.ts";

/** Who signs: an issuer of the mount, or the new key itself for a root. */
export interface Authority {
  readonly signer: Signer;
  readonly publicKey: PublicKey;
  /** Name of the issuer, DER; undefined for a root, whose issuer is its subject. */
  readonly subject: Uint8Array | undefined;
  /** Authority key identifier; undefined for a root, which names its own. */
  readonly keyId: Uint8Array | undefined;
  readonly pathLength: number | undefined;
}
/** What is asked of the funnel. */
export interface CertifyRequest {
  readonly template: Template;
  readonly authority: Authority;
  /** 1 to 20 octets, positive. */
  readonly serial: Uint8Array;
  readonly scheme: Scheme;
  readonly urls: UrlSet;
}

/**
 * Most bytes of a certificate before its signature: TLS stacks refuse chains that are longer than
 * this, and nobody needs thousands of names in one.
 */
const maxSize = 64 * 1024;

/**
 * Signs a certificate: the only code that does. Asserts first what RFC 5280 demands of any
 * certificate, whatever decided about it before; a template that breaks one of these is refused,
 * never repaired. What WebCrypto itself did not sign is verified before it is handed out. Returns
 * DER.
 */
export async function certify(request: CertifyRequest): Promise<Uint8Array> {
  const { authority, scheme } = request;
  return signDer(authority.signer, scheme, (await prepare(request)).tbs);
}

/** All of `certify` but the signature: what a dry run shows. */
export async function prepare({
  template,
  authority,
  serial,
  scheme,
  urls,
}: CertifyRequest): Promise<{ readonly tbs: Uint8Array; readonly algorithm: Uint8Array }> {
  const publicKey = parsePublicKey(template.spki);
  const subject =
    template.subject instanceof Uint8Array ? template.subject : encodeName(template.subject);
  for (const [holds, rule] of invariants(template, authority, serial, scheme, publicKey, subject))
    if (!holds) throw new CaError("constraint", `the certificate would break a rule: ${rule}`);
  checkPublicKey(publicKey);
  const subjectKeyId = template.subjectKeyId ?? (await keyIdentifier(template.spki));
  const extensions = extensionsOf(
    template,
    subject,
    subjectKeyId,
    authority.keyId ?? subjectKeyId,
    urls,
  );
  if (new Set(extensions.map((extension) => extension.oid)).size !== extensions.length)
    throw new CaError(
      "constraint",
      "the certificate would break a rule: an extension stands once (RFC 5280 section 4.2)",
    );
  const algorithm = algorithmIdentifier(scheme);
  const { notBefore, notAfter, spki } = template;
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
  if (tbs.length > maxSize)
    throw new CaError(
      "malformed",
      `the certificate would have ${tbs.length} bytes, more than ${maxSize}`,
    );
  return { tbs, algorithm };
}

/** What is asked when a self-issued certificate is signed again by an issuer. */
export interface RecertifyRequest {
  readonly certificate: Certificate;
  readonly authority: Authority;
  readonly scheme: Scheme;
  readonly urls: UrlSet;
}
/** Extensions that name the signer and are written anew. */
const signersExtensions: ReadonlySet<string> = new Set([
  extensionOid.authorityKeyIdentifier,
  extensionOid.authorityInfoAccess,
  extensionOid.crlDistributionPoints,
  extensionOid.freshestCrl,
]);

/**
 * Signs a self-issued CA certificate again under an issuer: serial number, validity, subject, key
 * and extensions stay; issuer, authority key identifier and addresses become the signer's (A 9.2).
 * Asserts that it is a CA, that its serial number is positive, and that its key is sound.
 */
export async function recertify({
  certificate,
  authority,
  scheme,
  urls,
}: RecertifyRequest): Promise<Uint8Array> {
  const first = certificate.serial[0] ?? 0;
  const names = certificateNames(certificate);
  const rules: readonly Invariant[] = [
    [
      isCa(certificate) && equalBytes(certificate.issuer, certificate.subject),
      "only a self-issued CA certificate is signed again",
    ],
    [
      first < 0x80 && certificate.serial.some((byte) => byte !== 0),
      "the serial number is positive (4.1.2.2)",
    ],
    [
      authority.keyId !== undefined && authority.subject !== undefined,
      "a self-issued certificate is signed by an issuer",
    ],
    [schemeFits(scheme, authority.publicKey), "the signature fits the issuer's key"],
    [names.ip.every(isPlainAddress), plainAddressRule],
    [fitNames(names), lengthRule],
  ];
  for (const [holds, rule] of rules)
    if (!holds) throw new CaError("constraint", `the certificate would break a rule: ${rule}`);
  checkPublicKey(parsePublicKey(certificate.spki));
  const kept = certificate.extensions.filter((extension) => !signersExtensions.has(extension.oid));
  const extensions = [
    ...kept,
    authorityKeyIdentifier(authority.keyId ?? new Uint8Array()),
    authorityInfoAccess(urls.ocsp_servers, urls.issuing_certificates),
    crlDistributionPoints(urls.crl_distribution_points),
    freshestCrl(urls.delta_crl_distribution_points),
  ].filter((extension) => extension !== undefined);
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
  return signDer(authority.signer, scheme, tbs);
}

type Invariant = readonly [holds: boolean, rule: string];
const latest = 253_402_300_799; // 9999-12-31T23:59:59Z, RFC 5280 section 4.1.2.5

/** The list of what must hold, the section beside each. */
function invariants(
  template: Template,
  authority: Authority,
  serial: Uint8Array,
  scheme: Scheme,
  key: PublicKey,
  subject: Uint8Array,
): readonly Invariant[] {
  const { kind, basicConstraints: basic, notBefore, notAfter } = template;
  const isCa = basic?.ca === true;
  const signsCertificates = template.keyUsage.some(
    (usage) => usage === "CertSign" || usage === "CRLSign",
  );
  const { directory = [], unreadable = [], ...names } = template.names;
  const count = [...Object.values(names), directory, unreadable].reduce(
    (sum, list) => sum + list.length,
    0,
  );
  return [
    [
      serial.length >= 1 && serial.length <= 20 && (serial[0] ?? 0) > 0 && (serial[0] ?? 0) < 0x80,
      "the serial number is positive and at most 20 octets (4.1.2.2)",
    ],
    [serial.length >= 8, "the serial number has at least 64 bits"],
    [
      Number.isInteger(notBefore) && Number.isInteger(notAfter) && notBefore < notAfter,
      "the validity begins before it ends (4.1.2.5)",
    ],
    [notBefore >= 0 && notAfter <= latest, "the validity lies between 1970 and 9999 (4.1.2.5)"],
    [isCa === (kind !== "leaf"), "only a root or intermediate is a CA, and it says so (4.2.1.9)"],
    [isCa || !signsCertificates, "only a CA may sign certificates or CRLs (4.2.1.3)"],
    [!isCa || template.keyUsage.includes("CertSign"), "a CA may sign certificates (4.2.1.3)"],
    [isCa || basic?.pathLength === undefined, "only a CA limits its path (4.2.1.9)"],
    [isCa || !template.extra?.some(isForCa), "no copied extension makes a CA"],
    [
      kind !== "leaf" || template.constraints === undefined,
      "only a CA constrains names (4.2.1.10)",
    ],
    [
      kind !== "intermediate" ||
        authority.pathLength === undefined ||
        below(basic?.pathLength, authority.pathLength),
      "the path length is below the signer's (4.2.1.9)",
    ],
    [
      isCa ? subject.length > 2 || kind === "root" : true,
      "a CA below another has a subject (4.1.2.6)",
    ],
    [names.ip.every(isPlainAddress), plainAddressRule],
    [fitNames(names), lengthRule],
    [count <= mostNames, `a certificate has at most ${mostNames} names`],
    [
      subject.length > 2 || count > 0 || kind !== "leaf",
      "an empty subject comes with alternative names (4.1.2.6)",
    ],
    [
      kind !== "root" ||
        (authority.subject === undefined && equalBytes(authority.signer.spki, template.spki)),
      "a root is signed by its own key",
    ],
    [
      kind === "root" || !equalBytes(authority.signer.spki, template.spki) || isCa,
      "a leaf does not hold its issuer's key",
    ],
    [schemeFits(scheme, authority.publicKey), "the signature fits the issuer's key"],
    [
      equalBytes(authority.signer.spki, authority.publicKey.spki),
      "the signing key is the issuer's",
    ],
  ];
}
/**
 * What `::ffff:0:0/96` holds is IPv4 to some readers and IPv6 to others, and constraints speak of
 * one of them.
 */
const isPlainAddress = (text: string): boolean =>
  text.includes(":") === (ipToBytes(text)?.length === 16);
const plainAddressRule =
  "an address of IPv4 has four octets, not the sixteen of an IPv4-mapped one (4.2.1.6)";
const fitNames = ({ dns, email }: Pick<Template["names"], "dns" | "email">): boolean =>
  dns.every(fitsDns) && email.every(fitsMail);
const lengthRule =
  "a DNS name has at most 253 octets and labels of at most 63 (RFC 1035 section 2.3.4), a mail address at most 254 (RFC 5321)";
/** Extensions that say of their holder that it is a CA. */
const isForCa = ({ oid, value }: Extension): boolean =>
  oid === extensionOid.basicConstraints ||
  oid === extensionOid.nameConstraints ||
  (oid === extensionOid.netscapeCertType && isNetscapeCa(value));
const below = (own: number | undefined, signers: number): boolean =>
  own !== undefined && own < signers;

/** The extensions in the order of A 6.4; one given by the template replaces the generated one. */
function extensionsOf(
  template: Template,
  subject: Uint8Array,
  subjectKeyId: Uint8Array,
  authorityKeyId: Uint8Array,
  urls: UrlSet,
): readonly Extension[] {
  const { names, basicConstraints: basic, constraints, policies = [], extra = [] } = template;
  const critical = subject.length <= 2; // an empty SEQUENCE: the names are all there is (4.2.1.6)
  const [hasOther, qualified] = [
    names.other.length > 0,
    policies.some((policy) => typeof policy !== "string"),
  ];
  const san = subjectAltName(names, critical, hasOther ? "other-first" : "names-first");
  const policy = certificatePolicies(policies);
  const generated = [
    // names come from keyUsageName, so they are of the table
    keyUsage(template.keyUsage as readonly KeyUsage[]),
    extKeyUsage(template.extKeyUsage),
    basic ? basicConstraints(basic.ca, basic.pathLength) : undefined,
    subjectKeyIdentifier(subjectKeyId),
    authorityKeyIdentifier(authorityKeyId),
    authorityInfoAccess(urls.ocsp_servers, urls.issuing_certificates),
    hasOther ? undefined : san,
    qualified ? undefined : policy,
    constraints ? nameConstraints(constraints) : undefined,
    crlDistributionPoints(urls.crl_distribution_points),
    freshestCrl(urls.delta_crl_distribution_points),
    hasOther ? san : undefined,
    qualified ? policy : undefined,
  ].filter((extension) => extension !== undefined);
  // basic constraints decide what a CA is: nothing replaces them
  const replaced = new Set(
    extra.map((extension) => extension.oid).filter((oid) => oid !== extensionOid.basicConstraints),
  );
  return [...generated.filter((extension) => !replaced.has(extension.oid)), ...extra];
}
