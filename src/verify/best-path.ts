import type { LoadedCrl } from "./loaded-crl.ts";
import { nameForMessage } from "./parsed-name.ts";
import { buildPaths, searchBudget, type Path } from "./path-building.ts";
import type { PathCertificate } from "./path-certificate.ts";
import { signatureChecker } from "./path-signature.ts";
import { validatePath, type PathRequirements } from "./path-validation.ts";
import type { PathReason } from "./reasons.ts";
import { revocationReasons, type RevocationContext } from "./revocation.ts";

/**
 * A certification path from the leaf upwards, the reasons why it is not valid, and its valid
 * policies.
 */
export interface PathResult {
  readonly path: readonly PathCertificate[];
  readonly reasons: readonly PathReason[];
  readonly policies: readonly string[];
}

/** The certificates, CRLs and OCSP responses that many verifications share. */
export type PathSources = Pick<RevocationContext, "crls" | "ocsp" | "mode" | "pool">;

/** Sorts CRLs newest first, so that an older CRL that is still valid does not hide a revocation. */
export const newestFirst = (crls: readonly LoadedCrl[]): readonly LoadedCrl[] =>
  crls.toSorted((a, b) => b.crl.thisUpdate - a.crl.thisUpdate);

/** Returns the context of a separate verification, with fresh limits. */
const contextOf = (sources: PathSources, at: number): RevocationContext => ({
  ...sources,
  at,
  signatures: signatureChecker(),
  budget: searchBudget(),
  pending: new Set(),
});

/**
 * Returns the first path that verifies, or else the path with the fewest reasons against it. Limits
 * on the work apply per call.
 */
export async function bestPath(
  leaf: PathCertificate,
  required: PathRequirements,
  sources: PathSources,
): Promise<PathResult> {
  const context = contextOf(sources, required.at);
  const { pool, signatures, budget } = context;
  let best: PathResult | undefined;
  for await (const path of buildPaths(leaf, pool, signatures, budget)) {
    // a complete path is more informative than an incomplete one
    if (!path.isComplete && best) break;
    const attempt = await attemptOf(path, required, context);
    // once a limit was reached, CRLs and OCSP responses may not have been evaluated
    const isStopped = budget.isExhausted || signatures.isExhausted();
    if (attempt.reasons.length === 0 && !isStopped) return attempt;
    if (!best || attempt.reasons.length < best.reasons.length) best = attempt;
  }
  best ??= refusedPath(leaf, "issuer_unknown", "no path was found");
  if (!budget.isExhausted && !signatures.isExhausted()) return best;
  const stopped = "the search was stopped: too many certificates or signatures";
  return { ...best, reasons: [...best.reasons, reasonAt(leaf, "too_complex", stopped)] };
}

async function attemptOf(
  path: Path,
  required: PathRequirements,
  context: RevocationContext,
): Promise<PathResult> {
  const { certificates } = path;
  const { reasons, policies } = validatePath(certificates, required);
  if (!path.isComplete)
    return { path: certificates, reasons: [...endReasons(path), ...reasons], policies: [] };
  const revocation = await revocationReasons(certificates, context);
  return { path: certificates, reasons: [...reasons, ...revocation], policies };
}

/** Returns the reasons why an incomplete path ends. */
function endReasons({ certificates, end }: Path): readonly PathReason[] {
  const last = certificates.at(-1);
  if (!last) return [];
  const issuer = nameForMessage(last.certificate.issuer);
  if (end === "weak_signature" || end === "unsupported_signature")
    return [reasonAt(last, end, "its signature algorithm is not accepted")];
  if (end === "bad_signature")
    return [reasonAt(last, end, `its signature does not verify with the key of ${issuer}`)];
  return last.isSelfIssued
    ? [reasonAt(last, "untrusted_root", `${issuer} is not among the anchors`)]
    : [reasonAt(last, "issuer_unknown", `the certificate of its issuer ${issuer} is missing`)];
}

const reasonAt = (at: PathCertificate, code: PathReason["code"], message: string): PathReason => ({
  code,
  message,
  at,
});

/** Returns a result that consists of the leaf and one reason. */
export const refusedPath = (
  leaf: PathCertificate,
  code: PathReason["code"],
  message: string,
): PathResult => ({
  path: [leaf],
  reasons: [reasonAt(leaf, code, message)],
  policies: [],
});
