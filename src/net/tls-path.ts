import { equalBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { verifySignature, checkPublicKey, parsePublicKey } from "../x509/public-key.ts";
import { readBasicConstraints } from "../x509/basic-constraints.ts";
import {
  certificateNames,
  findExtension,
  isCa,
  parseCertificate,
  type Certificate,
} from "../x509/certificate.ts";
import { isUnknown } from "../x509/critical.ts";
import { nameBreach } from "../x509/name-breach.ts";
import { extensionOid } from "../x509/oid.ts";
import { extKeyUsageOid, readExtKeyUsage, readKeyUsage, type KeyUsage } from "../x509/usage.ts";
import { untrusted, type AlertName, type TlsError } from "./tls-error.ts";
import { namesHost, type Host } from "./tls-name.ts";

/** Maximum numbers of certificates to examine, signatures to verify, and links in a path. */
const [maxCertificates, maxSignatures, maxLinks] = [16, 32, 8];
/** The policy extensions. They are recognized but not evaluated, so critical ones are rejected. */
const policyRules: readonly string[] = [
  extensionOid.policyConstraints,
  extensionOid.policyMappings,
  extensionOid.inhibitAnyPolicy,
];
const purposesOf = {
  server: ["ServerAuth", "Any"].map(extKeyUsageOid),
  client: ["ClientAuth", "Any"].map(extKeyUsageOid),
} as const;

/** The reason to reject a certificate, and the alert to send. */
type Fault = readonly [alert: AlertName, why: string];
/** The requirements of a certification path. */
interface PathRequirements {
  /** Time of validation in Unix seconds. */
  readonly now: number;
  readonly as: keyof typeof purposesOf;
  /** Performs additional checks of the leaf certificate. */
  checkLeaf?(leaf: Certificate): Fault | undefined;
}

/**
 * Requires that there is a path from the server's certificate, the first of the chain, to a root,
 * and that the certificate is valid for the host. Throws `TlsError` `trust` otherwise.
 */
export async function requirePath(
  chain: readonly Uint8Array[],
  roots: readonly Uint8Array[],
  { now, ...host }: Host & { readonly now: number },
): Promise<void> {
  const checkLeaf = (leaf: Certificate) => leafFault(leaf, host);
  const { fault } = await findPath(chain, roots, { now, as: "server", checkLeaf });
  if (fault) throw faultError(fault);
}

/**
 * Builds a path from the first certificate to a root (RFC 5280 section 6) that is valid at the
 * given time and for the given purpose. Returns the certificates of the path, with the root last,
 * or the reason why there is no path. The first certificate may itself be a root. Does not check
 * revocation.
 */
export async function findPath(
  chain: readonly Uint8Array[],
  roots: readonly Uint8Array[],
  { now, as, checkLeaf }: PathRequirements,
): Promise<
  { readonly path: readonly Certificate[]; readonly fault?: undefined } | { readonly fault: Fault }
> {
  const [leaf, ...sent] = chain.slice(0, maxCertificates).map(read);
  if (!leaf) return { fault: ["bad_certificate", `the certificate of the ${as} cannot be parsed`] };
  const fault = faultOf(() => checkLeaf?.(leaf) ?? commonFault(leaf, { now, as }));
  if (fault) return { fault };
  const search: Search = {
    anchors: roots.map(read).filter((root) => root !== undefined),
    sent: sent.filter((one) => one !== undefined),
    now,
    as,
    left: maxSignatures,
    fault: ["unknown_ca", `the certificate of the ${as} has no chain to a trusted root`],
  };
  const path = await reaches([leaf], search);
  return path ? { path } : { fault: search.fault };
}
const faultError = ([alert, why]: Fault): TlsError => untrusted(alert, why);

/** Parses a certificate. Returns undefined if it is malformed, so that no path uses it. */
function read(der: Uint8Array): Certificate | undefined {
  try {
    return parseCertificate(der);
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}

/** Runs a check, and treats a parse error as a failure. */
function faultOf(check: () => Fault | undefined): Fault | undefined {
  try {
    return check();
  } catch (error) {
    if (error instanceof CaError)
      return ["bad_certificate", "a certificate in the chain cannot be parsed"];
    throw error;
  }
}

interface Search extends Pick<PathRequirements, "now" | "as"> {
  readonly anchors: readonly Certificate[];
  readonly sent: readonly Certificate[];
  /** Number of signature verifications left. */
  left: number;
  /** The reason to report if there is no path: that of the last issuer that was rejected. */
  fault: Fault;
}

/**
 * Extends a path (leaf first) to a root. Returns the complete path, or undefined if there is none.
 */
async function reaches(
  path: readonly Certificate[],
  search: Search,
): Promise<readonly Certificate[] | undefined> {
  const last = path.at(-1);
  const { anchors, sent } = search;
  if (!last || path.length > maxLinks) return undefined;
  if (anchors.some((anchor) => equalBytes(anchor.der, last.der))) return path;
  for (const issuer of [...anchors, ...sent]) {
    if (!equalBytes(issuer.subject, last.issuer) || path.includes(issuer)) continue;
    if (search.left-- <= 0) return undefined;
    if (!(await verifySignature(issuer.spki, last.algorithm, last.tbs, last.signature))) continue;
    const fault = faultOf(() => issuerFault(issuer, path) ?? commonFault(issuer, search));
    const longer = [...path, issuer];
    if (fault) search.fault = fault;
    else if (anchors.includes(issuer)) return longer;
    else {
      const path = await reaches(longer, search);
      if (path) return path;
    }
  }
  return undefined;
}

/** Checks the rules that apply to every certificate in a path. */
function commonFault(
  certificate: Certificate,
  { now, as }: Pick<PathRequirements, "now" | "as">,
): Fault | undefined {
  const { notBefore, notAfter, extensions, spki } = certificate;
  if (now < notBefore || now > notAfter)
    return ["certificate_expired", `a certificate of the ${as} is expired or not yet valid`];
  if (extensions.some((one) => isUnknown(one) || (one.critical && policyRules.includes(one.oid))))
    return ["unsupported_certificate", "a certificate has an unknown critical extension"];
  const purposes = findExtension(certificate, extensionOid.extKeyUsage);
  if (purposes && !readExtKeyUsage(purposes.value).some((oid) => purposesOf[as].includes(oid)))
    return ["unsupported_certificate", `a certificate is not valid for ${as}s`];
  checkPublicKey(parsePublicKey(spki));
  return undefined;
}

function leafFault(leaf: Certificate, host: Host): Fault | undefined {
  if (!namesHost(certificateNames(leaf), host))
    return ["bad_certificate", "the server's certificate is not valid for the name of the server"];
  if (!allows(leaf, "DigitalSignature"))
    return [
      "unsupported_certificate",
      "the key usage of the server's certificate does not allow signatures",
    ];
  return undefined;
}

/** Checks whether an issuer may extend a path. */
function issuerFault(issuer: Certificate, path: readonly Certificate[]): Fault | undefined {
  if (!isCa(issuer) || !allows(issuer, "CertSign"))
    return ["unknown_ca", "an issuer in the chain is not allowed to sign certificates"];
  const basic = findExtension(issuer, extensionOid.basicConstraints);
  const limit = basic && readBasicConstraints(basic.value).pathLength;
  const between = path.slice(1).filter((one) => !isSelfIssued(one)).length;
  if (limit !== undefined && between > limit)
    return ["unknown_ca", "the chain has more CAs than a path length constraint allows"];
  const constrained = path.filter((one, i) => i === 0 || !isSelfIssued(one));
  for (const one of constrained)
    if (nameBreach(issuer, { subject: one.subject, names: certificateNames(one) }))
      return [
        "bad_certificate",
        "a CA in the chain is not allowed to certify the names of the server",
      ];
  return undefined;
}
const isSelfIssued = ({ issuer, subject }: Certificate): boolean => equalBytes(issuer, subject);

/**
 * Reports whether the key usage extension allows a use. Returns true if the certificate has no such
 * extension.
 */
function allows(certificate: Certificate, usage: KeyUsage): boolean {
  const extension = findExtension(certificate, extensionOid.keyUsage);
  return !extension || readKeyUsage(extension.value).includes(usage);
}
