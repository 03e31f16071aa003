import { colonHex, equalBytes } from "../base/bytes.ts";
import type { SignedAnswers } from "../x509/ocsp-response.ts";
import { crlStatus } from "./crl-status.ts";
import type { LoadedCrl } from "./loaded-crl.ts";
import { hasNoCheck, ocspStatus } from "./ocsp-status.ts";
import { nameForMessage } from "./parsed-name.ts";
import { buildPaths, type CertificatePool, type SearchBudget } from "./path-building.ts";
import { allowsUsage, type PathCertificate } from "./path-certificate.ts";
import type { SignatureChecker } from "./path-signature.ts";
import { validatePath } from "./path-validation.ts";
import { requiredPurpose } from "./purpose.ts";
import type { PathReason } from "./reasons.ts";
import type { RevocationStatus } from "./revocation-status.ts";

/** Modes of revocation checks. */
export const revocationModes = ["chain", "leaf", "available"] as const;
/**
 * The certificates whose revocation status must be known: all below the anchor with `chain`, only
 * the first with `leaf`, and none with `available`. In each mode, verification fails if a
 * certificate is known to be revoked.
 */
export type RevocationMode = (typeof revocationModes)[number];

/**
 * The CRLs and OCSP responses of a verification, and everything needed to decide whether to trust
 * them.
 */
export interface RevocationContext {
  readonly crls: readonly LoadedCrl[];
  readonly ocsp: readonly SignedAnswers[];
  readonly mode: RevocationMode;
  /** Time of verification, Unix seconds. */
  readonly at: number;
  readonly pool: CertificatePool;
  readonly signatures: SignatureChecker;
  readonly budget: SearchBudget;
  /**
   * CRL issuers whose own paths are being validated. A path must not depend on a CRL from an issuer
   * in that same path.
   */
  readonly pending: Set<PathCertificate>;
}

/**
 * Returns the reasons to reject a path (in order from the leaf to the anchor) that follow from the
 * revocation status of its certificates.
 */
export async function revocationReasons(
  path: readonly PathCertificate[],
  context: RevocationContext,
): Promise<readonly PathReason[]> {
  const reasons: PathReason[] = [];
  for (const [i, at] of path.slice(0, -1).entries()) {
    const status = await statusOf(path, i, context);
    const isRequired = context.mode === "chain" || (context.mode === "leaf" && i === 0);
    const reason = reasonOf(status, at, isRequired);
    if (reason) reasons.push(reason);
  }
  return reasons;
}

function reasonOf(
  status: RevocationStatus,
  at: PathCertificate,
  isRequired: boolean,
): PathReason | undefined {
  if (status.status === "revoked") {
    const since = new Date(status.revokedAt * 1000).toISOString().replace(".000Z", "Z");
    return {
      code: "revoked",
      message: `according to the ${status.source}, ${nameOf(at)} has been revoked since ${since} (${status.reason})`,
      at,
    };
  }
  if (status.status === "good" || !isRequired) return undefined;
  const why = status.why ?? "none of the CRLs and OCSP responses covers it";
  const message = `the revocation status of ${nameOf(at)} is unknown: ${why}`;
  return { code: "revocation_unknown", message, at };
}

const nameOf = ({ certificate: { subject, serial } }: PathCertificate): string =>
  `${nameForMessage(subject)} (serial number ${colonHex(serial)})`;

/**
 * Returns the revocation status of the certificate at index `i` of a path. It is revoked if any CRL
 * or OCSP response says so.
 */
async function statusOf(
  path: readonly PathCertificate[],
  i: number,
  context: RevocationContext,
): Promise<RevocationStatus> {
  const [one, issuer] = [path[i], path[i + 1]];
  if (!one || !issuer) return { status: "unknown" };
  const { at, signatures } = context;
  const crlSources = {
    crls: context.crls,
    at,
    isTrusted: (crl: LoadedCrl) => isTrustedCrl(crl, path.slice(i + 1), context),
  };
  const byOcsp = await ocspStatus(one, issuer, {
    responses: context.ocsp,
    at,
    signatures,
    isRevoked: async (responder) =>
      !hasNoCheck(responder) && (await crlStatus(responder, crlSources)).status === "revoked",
  });
  if (byOcsp.status === "revoked") return byOcsp;
  const byCrl = await crlStatus(one, crlSources);
  if (byCrl.status === "revoked" || byOcsp.status === "unknown")
    return byCrl.status === "unknown" && byCrl.why === undefined ? byOcsp : byCrl;
  return byOcsp;
}

/**
 * Reports whether a CRL was signed by a key that may sign CRLs (RFC 5280 section 6.3.3 f and g):
 * the key of a CA in the path itself, or of a certificate with a valid path to the same anchor. A
 * CRL issuer with the name of the certificate's issuer must be certified by the same CA as that
 * issuer, because another CA below the anchor may have the same name.
 */
async function isTrustedCrl(
  { crl, issuer, authorityKeyId }: LoadedCrl,
  above: readonly PathCertificate[],
  context: RevocationContext,
): Promise<boolean> {
  const { pool, signatures } = context;
  const named = (pool.bySubject.get(issuer) ?? []).filter((one) => allowsUsage(one, "CRLSign"));
  const isLikely = ({ subjectKeyId }: PathCertificate): boolean =>
    authorityKeyId === "" || subjectKeyId === "" || subjectKeyId === authorityKeyId;
  const inPath = named.filter((one) => above.some((other) => isSame(one, other)));
  const others = named.filter((one) => !inPath.includes(one)).filter(isLikely);
  for (const one of inPath) if (await signatures.verify(one.certificate.spki, crl)) return true;
  for (const one of others)
    if (
      (await signatures.verify(one.certificate.spki, crl)) &&
      (await isTrustedSigner(one, above, context))
    )
      return true;
  return false;
}

const isSame = (one: PathCertificate, other: PathCertificate): boolean =>
  equalBytes(one.certificate.der, other.certificate.der);

/**
 * Returns the CA that certified the entity at the start of a path, skipping the entity's
 * self-issued certificates.
 */
function parentOf(path: readonly PathCertificate[]): PathCertificate | undefined {
  const own = path.findIndex(({ isSelfIssued }) => !isSelfIssued);
  return own < 0 ? undefined : path[own + 1];
}

function hasSameParent(
  path: readonly PathCertificate[],
  other: readonly PathCertificate[],
): boolean {
  const [parent, expected] = [parentOf(path), parentOf(other)];
  if (!parent || !expected) return parent === expected;
  return (
    parent.subject === expected.subject &&
    equalBytes(parent.certificate.spki, expected.certificate.spki)
  );
}

async function isTrustedSigner(
  signer: PathCertificate,
  above: readonly PathCertificate[],
  context: RevocationContext,
): Promise<boolean> {
  const anchor = above.at(-1);
  if (context.pending.has(signer)) return false;
  context.pending.add(signer);
  try {
    const { at, pool, signatures, budget } = context;
    const required = { at, purpose: requiredPurpose("any"), name: undefined, policies: {} };
    for await (const path of buildPaths(signer, pool, signatures, budget)) {
      const top = path.certificates.at(-1);
      if (!path.isComplete || !top || !anchor || !isSame(top, anchor)) continue;
      const isNamesake = signer.subject === above[0]?.subject;
      if (isNamesake && !hasSameParent(path.certificates, above)) continue;
      if (validatePath(path.certificates, required).reasons.length > 0) continue;
      if ((await revocationReasons(path.certificates, context)).length === 0) return true;
    }
    return false;
  } finally {
    context.pending.delete(signer);
  }
}
