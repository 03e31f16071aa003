import { CaError } from "../base/errors.ts";
import { allReasons } from "./crl-scope.ts";
import { coveredReasons, expectedPoints } from "./crl-match.ts";
import {
  extendsCrl,
  findEntry,
  isCurrent,
  type ListedRevocation,
  type LoadedCrl,
} from "./loaded-crl.ts";
import { reasonName } from "./parsed-crl.ts";
import type { PathCertificate } from "./path-certificate.ts";
import type { RevocationStatus } from "./revocation-status.ts";

/** The CRLs from which a revocation status is determined, and the conditions for using them. */
interface CrlSources {
  readonly crls: readonly LoadedCrl[];
  /** Time of verification, Unix seconds. */
  readonly at: number;
  /** Reports whether a CRL has a valid signature of a CA that is trusted for it. */
  readonly isTrusted: (crl: LoadedCrl) => Promise<boolean>;
}

/** Reason code of a delta CRL entry for a certificate that is no longer revoked (removeFromCRL). */
const removeFromCrl = 8;

/**
 * Determines the revocation status of a certificate from complete, indirect and partitioned CRLs
 * and their deltas (RFC 5280 section 6.3). An entry in an expired CRL still counts.
 */
export async function crlStatus(
  one: PathCertificate,
  sources: CrlSources,
): Promise<RevocationStatus> {
  let covered = 0;
  let why: string | undefined;
  for (const point of expectedPoints(one))
    for (const complete of sources.crls) {
      if (complete.base !== undefined) continue;
      const reasons = coveredReasons(complete, one, point);
      if ((reasons & ~covered) === 0) continue;
      const result = await statusBy(complete, one, sources);
      if (typeof result === "string") why ??= result;
      else if (result.entry) return revokedBy(result.entry);
      else if (result.isCurrent) covered |= reasons;
      else why ??= "the CRL is not valid at this time";
      if (covered === allReasons) return { status: "good" };
    }
  if (covered > 0) why = "the CRLs do not cover all revocation reasons";
  return { status: "unknown", ...(why !== undefined && { why }) };
}

/**
 * Returns the entry for a certificate in a CRL and its deltas, or the reason why the CRL cannot be
 * used.
 */
async function statusBy(
  complete: LoadedCrl,
  one: PathCertificate,
  { crls, at, isTrusted }: CrlSources,
): Promise<{ readonly entry?: ListedRevocation; readonly isCurrent: boolean } | string> {
  if (!(await isTrusted(complete))) return "the signature of the CRL cannot be verified";
  const current = isCurrent(complete.crl, at);
  try {
    let entry = findEntry(complete, one);
    const byNumber = crls.toSorted((a, b) => Number((a.number ?? 0n) - (b.number ?? 0n)));
    for (const delta of byNumber) {
      if (!extendsCrl(delta, complete) || !isCurrent(delta.crl, at)) continue;
      if (await isTrusted(delta)) entry = findEntry(delta, one) ?? entry;
    }
    if (entry?.reason === removeFromCrl || (!current && entry && entry.revokedAt > at))
      entry = undefined;
    return { ...(entry && { entry }), isCurrent: current };
  } catch (error) {
    if (error instanceof CaError) return error.message;
    throw error;
  }
}

const revokedBy = ({ revokedAt, reason }: ListedRevocation): RevocationStatus => ({
  status: "revoked",
  revokedAt,
  reason: reasonName(reason),
  source: "CRL",
});
