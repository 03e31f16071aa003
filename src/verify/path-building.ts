import { equalBytes, toHex } from "../base/bytes.ts";
import type { PathCertificate } from "./path-certificate.ts";
import { isUsableKey, unusableAlgorithm, type SignatureChecker } from "./path-signature.ts";

/** The certificates from which paths are built. */
export interface CertificatePool {
  readonly anchors: ReadonlySet<PathCertificate>;
  /** All certificates by subject, including the anchors. */
  readonly bySubject: ReadonlyMap<string, readonly PathCertificate[]>;
}

/** A path from the leaf upwards. `isComplete` is true if the last certificate is an anchor. */
export interface Path {
  readonly certificates: readonly PathCertificate[];
  readonly isComplete: boolean;
  /** The reason why an incomplete path ends: the state of the signature on its last certificate. */
  readonly end?: "no_issuer" | "bad_signature" | "weak_signature" | "unsupported_signature";
}

/** Maximum number of certificates in a path. Real paths are far shorter. */
const maxDepth = 20;

/** Groups certificates by subject, without duplicates. */
export const certificatePool = (
  anchors: readonly PathCertificate[],
  others: readonly PathCertificate[],
): CertificatePool =>
  extendPool({ anchors: new Set(anchors), bySubject: new Map() }, [...anchors, ...others]);

/** Returns a pool with additional certificates, which are not anchors. */
export function extendPool(
  { anchors, bySubject }: CertificatePool,
  others: readonly PathCertificate[],
): CertificatePool {
  const added = new Map<string, Map<string, PathCertificate>>();
  const derKey = ({ certificate }: PathCertificate): string => toHex(certificate.der);
  for (const one of others) {
    const group =
      added.get(one.subject) ??
      new Map(
        (bySubject.get(one.subject) ?? []).map((certificate) => [derKey(certificate), certificate]),
      );
    // of equal certificates, the first is kept, because it may be an anchor
    if (!group.has(derKey(one))) group.set(derKey(one), one);
    added.set(one.subject, group);
  }
  const lists = [...added].map(([subject, group]) => [subject, [...group.values()]] as const);
  return { anchors, bySubject: new Map([...bySubject, ...lists]) };
}

/** The remaining search budget of one verification. Real hierarchies need only a few steps. */
export interface SearchBudget {
  /** Number of certificates that may still be appended to a path. */
  steps: number;
  /** Number of complete paths that may still be validated. */
  paths: number;
  /** Whether a limit was reached, so that paths may have been missed. */
  isExhausted: boolean;
}

/** Returns the budget of one verification. */
export const searchBudget = (): SearchBudget => ({ steps: 2000, paths: 100, isExhausted: false });

/**
 * Yields the complete paths from a certificate to an anchor, the most likely first, followed by the
 * incomplete paths. All signatures in a path have been verified. Avoids loops, and limits the
 * length and number of paths and the number of signatures.
 */
export async function* buildPaths(
  leaf: PathCertificate,
  pool: CertificatePool,
  signatures: SignatureChecker,
  budget: SearchBudget,
): AsyncGenerator<Path> {
  const incomplete: Path[] = [];
  async function* extend(certificates: readonly PathCertificate[]): AsyncGenerator<Path> {
    const last = certificates.at(-1);
    if (!last || budget.steps === 0 || budget.paths === 0) {
      budget.isExhausted = true;
      return;
    }
    budget.steps--;
    if (pool.anchors.has(last)) {
      budget.paths--;
      yield { certificates, isComplete: true };
      return;
    }
    const unusable = unusableAlgorithm(last.certificate);
    if (unusable) {
      incomplete.push({ certificates, isComplete: false, end: unusable.code });
      return;
    }
    let signed = false;
    let claimed: PathCertificate | undefined;
    for (const issuer of issuersOf(last, pool)) {
      if (certificates.some((one) => isSameEntity(one, issuer))) continue;
      if (isLikely(last, issuer)) claimed ??= issuer;
      if (!(await signatures.verify(issuer.certificate.spki, last.certificate))) continue;
      signed = true;
      if (certificates.length < maxDepth) yield* extend([...certificates, issuer]);
      else budget.isExhausted = true;
    }
    if (!signed)
      incomplete.push({
        certificates,
        isComplete: false,
        end: claimed ? await endBelow(claimed, last) : "no_issuer",
      });
  }
  yield* extend([leaf]);
  yield* incomplete;
}

/**
 * Returns the reason why the signature of a certificate does not verify with the key of its claimed
 * issuer.
 */
const endBelow = async (issuer: PathCertificate, { certificate }: PathCertificate) =>
  (await isUsableKey(issuer.certificate.spki, certificate))
    ? "bad_signature"
    : "unsupported_signature";

/**
 * Reports whether two certificates have the same name and key, so that a path with both would be a
 * loop.
 */
const isSameEntity = (one: PathCertificate, other: PathCertificate): boolean =>
  one.subject === other.subject && equalBytes(one.certificate.spki, other.certificate.spki);

/**
 * Reports whether the key identifiers of a certificate and a possible issuer match. Returns true if
 * either has none.
 */
const isLikely = (
  { authorityKeyId }: PathCertificate,
  { subjectKeyId }: PathCertificate,
): boolean => authorityKeyId === "" || subjectKeyId === "" || authorityKeyId === subjectKeyId;

/**
 * Returns the certificates with the name of the issuer, in this order: certificates with a matching
 * key identifier, anchors, CAs.
 */
function issuersOf(last: PathCertificate, pool: CertificatePool): readonly PathCertificate[] {
  const rank = (issuer: PathCertificate): number =>
    (isLikely(last, issuer) ? 0 : 4) + (pool.anchors.has(issuer) ? 0 : 2) + (issuer.isCa ? 0 : 1);
  return (pool.bySubject.get(last.issuer) ?? []).toSorted((a, b) => rank(a) - rank(b));
}
