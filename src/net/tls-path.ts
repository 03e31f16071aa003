import { equalBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { verifySignature } from "../x509/algorithm.ts";
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
import { checkPublicKey, parsePublicKey } from "../x509/spki.ts";
import { extKeyUsageOid, readExtKeyUsage, readKeyUsage, type KeyUsage } from "../x509/usage.ts";
import { untrusted, type AlertName, type TlsError } from "./tls-error.ts";
import { namesHost, type Host } from "./tls-name.ts";

/** Certificates that are looked at, signatures that are verified, links of a path: at most. */
const [maxCertificates, maxSignatures, maxLinks] = [16, 32, 8];
/** Understood where policies are judged, which they are not here. */
const policyRules: readonly string[] = [
  extensionOid.policyConstraints,
  extensionOid.policyMappings,
  extensionOid.inhibitAnyPolicy,
];
const purposesOf = {
  server: ["ServerAuth", "Any"].map(extKeyUsageOid),
  client: ["ClientAuth", "Any"].map(extKeyUsageOid),
} as const;

/** What is wrong with a certificate, and the alert that says so. */
export type Fault = readonly [alert: AlertName, why: string];
/** What a path is wanted for. */
export interface PathRequirements {
  /** Unix seconds. */
  readonly now: number;
  readonly as: keyof typeof purposesOf;
  /** What is wrong with the first certificate besides. */
  judge?(leaf: Certificate): Fault | undefined;
}

/**
 * Demands a path from the server's certificate, the first of these, to a root, as {@link findPath}
 * finds it, and the certificate for this host. Throws `TlsError` `trust`.
 */
export async function requirePath(
  chain: readonly Uint8Array[],
  roots: readonly Uint8Array[],
  { now, ...host }: Host & { readonly now: number },
): Promise<void> {
  const judge = (leaf: Certificate) => leafFault(leaf, host);
  const { fault } = await findPath(chain, roots, { now, as: "server", judge });
  if (fault) throw told(fault);
}

/**
 * A path from the first of these certificates to a root (RFC 5280 section 6), all of it valid now
 * and for this purpose: the certificates on it, the root last, or why there is none. A root may
 * also be the first certificate itself. Revocation is not looked at.
 */
export async function findPath(
  chain: readonly Uint8Array[],
  roots: readonly Uint8Array[],
  { now, as, judge }: PathRequirements,
): Promise<
  { readonly path: readonly Certificate[]; readonly fault?: undefined } | { readonly fault: Fault }
> {
  const [leaf, ...sent] = chain.slice(0, maxCertificates).map(read);
  if (!leaf) return { fault: ["bad_certificate", `the certificate of the ${as} cannot be read`] };
  const fault = judged(() => judge?.(leaf) ?? commonFault(leaf, { now, as }));
  if (fault) return { fault };
  const search: Search = {
    anchors: roots.map(read).filter((root) => root !== undefined),
    sent: sent.filter((one) => one !== undefined),
    now,
    as,
    left: maxSignatures,
    fault: ["unknown_ca", `the certificate of the ${as} leads to no root that is trusted`],
  };
  const path = await reaches([leaf], search);
  return path ? { path } : { fault: search.fault };
}
const told = ([alert, why]: Fault): TlsError => untrusted(alert, why);

/** A certificate; undefined for what is none, which no path goes through. */
function read(der: Uint8Array): Certificate | undefined {
  try {
    return parseCertificate(der);
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}

/** A fault, also where something cannot be read. */
function judged(judge: () => Fault | undefined): Fault | undefined {
  try {
    return judge();
  } catch (error) {
    if (error instanceof CaError) return ["bad_certificate", "a certificate cannot be read"];
    throw error;
  }
}

interface Search extends Pick<PathRequirements, "now" | "as"> {
  readonly anchors: readonly Certificate[];
  readonly sent: readonly Certificate[];
  /** Signatures that may still be verified. */
  left: number;
  /** What is said when there is no path: of the issuers tried, the fault of the last. */
  fault: Fault;
}

/** A path that begins with this one, the first certificate first, and goes on to a root. */
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
    const fault = judged(() => issuerFault(issuer, path) ?? commonFault(issuer, search));
    const longer = [...path, issuer];
    if (fault) search.fault = fault;
    else if (anchors.includes(issuer)) return longer;
    else {
      const found = await reaches(longer, search);
      if (found) return found;
    }
  }
  return undefined;
}

/** What any certificate of the path must be. */
function commonFault(
  certificate: Certificate,
  { now, as }: Pick<PathRequirements, "now" | "as">,
): Fault | undefined {
  const { notBefore, notAfter, extensions, spki } = certificate;
  if (now < notBefore || now > notAfter)
    return ["certificate_expired", `a certificate of the ${as} is expired or not yet valid`];
  if (extensions.some((one) => isUnknown(one) || (one.critical && policyRules.includes(one.oid))))
    return ["unsupported_certificate", "a critical extension of a certificate is not known"];
  const purposes = findExtension(certificate, extensionOid.extKeyUsage);
  if (purposes && !readExtKeyUsage(purposes.value).some((oid) => purposesOf[as].includes(oid)))
    return ["unsupported_certificate", `a certificate is not for ${as}s`];
  checkPublicKey(parsePublicKey(spki));
  return undefined;
}

function leafFault(leaf: Certificate, host: Host): Fault | undefined {
  if (!namesHost(certificateNames(leaf), host))
    return ["bad_certificate", "the certificate of the server is for another name"];
  if (!allows(leaf, "DigitalSignature"))
    return ["unsupported_certificate", "the certificate of the server may not sign"];
  return undefined;
}

/** What an issuer must be for the path below it. */
function issuerFault(issuer: Certificate, path: readonly Certificate[]): Fault | undefined {
  if (!isCa(issuer) || !allows(issuer, "CertSign"))
    return ["unknown_ca", "a certificate was signed by one that may not"];
  const basic = findExtension(issuer, extensionOid.basicConstraints);
  const limit = basic && readBasicConstraints(basic.value).pathLength;
  const between = path.slice(1).filter((one) => !isSelfIssued(one)).length;
  if (limit !== undefined && between > limit)
    return ["unknown_ca", "there are more CAs than one of them allows below it"];
  const constrained = path.filter((one, i) => i === 0 || !isSelfIssued(one));
  for (const one of constrained)
    if (nameBreach(issuer, { subject: one.subject, names: certificateNames(one) }))
      return ["bad_certificate", "a CA may not certify the names of the server"];
  return undefined;
}
const isSelfIssued = ({ issuer, subject }: Certificate): boolean => equalBytes(issuer, subject);

/** Whether the key usage, where there is one, has this use. */
function allows(certificate: Certificate, usage: KeyUsage): boolean {
  const found = findExtension(certificate, extensionOid.keyUsage);
  return !found || readKeyUsage(found.value).includes(usage);
}
