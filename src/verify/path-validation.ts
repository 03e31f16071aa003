import { CaError } from "../base/errors.ts";
import { nameBreach } from "../x509/name-breach.ts";
import { findExtension } from "../x509/certificate.ts";
import { extensionOid } from "../x509/oid.ts";
import { checkPublicKey, parsePublicKey } from "../x509/public-key.ts";
import { matchesName } from "./name-match.ts";
import { nameForMessage } from "./parsed-name.ts";
import { allowsUsage, type PathCertificate } from "./path-certificate.ts";
import { processPolicies, type PolicyOptions } from "./policy-graph.ts";
import { anyPurpose, type RequiredPurpose } from "./purpose.ts";
import type { PathReason, ReasonCode } from "./reasons.ts";

/** The requirements that a path must meet. */
export interface PathRequirements {
  /** Time of verification, Unix seconds. */
  readonly at: number;
  readonly purpose: RequiredPurpose;
  readonly name: string | undefined;
  readonly policies: PolicyOptions;
}

/** The result of validating a path, except for revocation. */
interface PathVerdict {
  readonly reasons: readonly PathReason[];
  /** The valid policies. */
  readonly policies: readonly string[];
}

/**
 * Validates a path from the leaf to the anchor, whose signatures have been verified (RFC 5280
 * section 6.1). The constraints in the anchor's certificate apply like those of other CAs (RFC
 * 5937), except for its policies.
 */
export function validatePath(
  path: readonly PathCertificate[],
  required: PathRequirements,
): PathVerdict {
  const policies = processPolicies(path.slice(0, -1).toReversed(), required.policies);
  const policyReasons: readonly PathReason[] =
    "failure" in policies ? [{ code: "policy", message: policies.failure, at: policies.at }] : [];
  return {
    reasons: [
      ...path.flatMap((one) => certificateReasons(one, required.at)),
      ...path.slice(1).flatMap((_, i) => caReasons(path, i + 1)),
      ...path.flatMap((one, i) => purposeReasons(one, required.purpose, i === 0)),
      ...nameConstraintReasons(path),
      ...policyReasons,
      ...nameReasons(path, required.name),
    ],
    policies: "failure" in policies ? [] : policies.policies,
  };
}

const reason = (code: ReasonCode, message: string, at: PathCertificate): PathReason => ({
  code,
  message,
  at,
});

/** Formats a time in Unix seconds as RFC 3339. */
const dateText = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

/** Returns the reasons to reject a certificate that do not depend on the rest of the path. */
function certificateReasons(one: PathCertificate, at: number): readonly PathReason[] {
  const { notBefore, notAfter } = one.certificate;
  return [
    ...one.malformed.map((message) => reason("malformed_extension", message, one)),
    ...one.unknown.map((oid) =>
      reason("unknown_critical_extension", `the critical extension ${oid} is unknown`, one),
    ),
    ...(at > notAfter ? [reason("expired", `expired at ${dateText(notAfter)}`, one)] : []),
    ...(at < notBefore
      ? [reason("not_yet_valid", `not valid before ${dateText(notBefore)}`, one)]
      : []),
    ...keyReasons(one),
  ];
}

function keyReasons(one: PathCertificate): readonly PathReason[] {
  try {
    checkPublicKey(parsePublicKey(one.certificate.spki));
    return [];
  } catch (error) {
    if (error instanceof CaError) return [reason("weak_key", error.message, one)];
    throw error;
  }
}

/**
 * Returns the reasons why a certificate must not issue the certificates below it (RFC 5280 section
 * 6.1.4 k to n).
 */
function caReasons(path: readonly PathCertificate[], at: number): readonly PathReason[] {
  const ca = path[at];
  if (!ca) return [];
  const reasons: PathReason[] = [];
  // an anchor of version 1 has no basic constraints, and is trusted as a CA
  const isOldAnchor = at === path.length - 1 && ca.certificate.version < 3;
  if (!isOldAnchor && (ca.certificate.version < 3 || !ca.isCa))
    reasons.push(reason("not_a_ca", "its basic constraints do not make it a CA", ca));
  if (!allowsUsage(ca, "CertSign"))
    reasons.push(reason("key_usage", "its key usage does not include signing certificates", ca));
  // the leaf and self-issued certificates do not count
  const following = path.slice(1, at).filter(({ isSelfIssued }) => !isSelfIssued).length;
  if (following > ca.pathLength)
    reasons.push(
      reason(
        "path_too_long",
        `its path length constraint allows ${ca.pathLength} CAs below it, but there are ${following}`,
        ca,
      ),
    );
  return reasons;
}

/**
 * Returns the reasons why a certificate does not allow the purpose. Also checks CA certificates,
 * because their extended key usage may restrict the purpose.
 */
function purposeReasons(
  one: PathCertificate,
  { oid, name, usages }: RequiredPurpose,
  isLeaf: boolean,
): readonly PathReason[] {
  if (oid === undefined) return [];
  const reasons: PathReason[] = [];
  const { purposes } = one;
  if (purposes && !purposes.includes(oid) && !purposes.includes(anyPurpose))
    reasons.push(reason("purpose", `its extended key usage does not include ${name}`, one));
  if (isLeaf && usages.length > 0 && !usages.some((usage) => allowsUsage(one, usage)))
    reasons.push(reason("key_usage", `its key usage includes none of ${usages.join(", ")}`, one));
  if (isLeaf && oid === timeStamping && !isOnlyTimeStamping(one))
    reasons.push(
      reason("purpose", "time stamping must be its only purpose, in a critical extension", one),
    );
  return reasons;
}

const timeStamping = "1.3.6.1.5.5.7.3.8";
/** Reports whether time stamping is the only purpose (RFC 3161 section 2.3). */
const isOnlyTimeStamping = ({ certificate, purposes }: PathCertificate): boolean =>
  purposes?.length === 1 && findExtension(certificate, extensionOid.extKeyUsage)?.critical === true;

/** Maximum number of comparisons of names with constraints per path. Real paths need far fewer. */
const maxComparisons = 100_000;

function nameConstraintReasons(path: readonly PathCertificate[]): readonly PathReason[] {
  const constraining = path.filter(
    ({ certificate }) => findExtension(certificate, extensionOid.nameConstraints) !== undefined,
  );
  if (constraining.length === 0) return [];
  const [names, bytes] = [
    path.reduce((sum, one) => sum + nameCount(one), 0),
    constraining.reduce((sum, { certificate }) => sum + constraintBytes(certificate), 0),
  ];
  // a subtree takes at least four bytes
  const first = constraining[0];
  if (first && names * (bytes / 4) > maxComparisons)
    return [reason("too_complex", "too many names and name constraints", first)];
  return path.flatMap((one, i) => {
    // self-issued CA certificates are exempt (RFC 5280 section 6.1.3 b)
    if (i > 0 && one.isSelfIssued) return [];
    return path.slice(i + 1).flatMap((ca) => breachReasons(one, ca));
  });
}

const nameCount = ({ names, certificate }: PathCertificate): number =>
  // an attribute of the subject takes at least ten bytes
  1 +
  certificate.subject.length / 10 +
  names.dns.length +
  names.email.length +
  names.ip.length +
  names.uri.length +
  names.other.length +
  names.directory.length +
  names.unreadable.length;

const constraintBytes = (certificate: PathCertificate["certificate"]): number =>
  findExtension(certificate, extensionOid.nameConstraints)?.value.length ?? 0;

function breachReasons(one: PathCertificate, ca: PathCertificate): readonly PathReason[] {
  try {
    const { subject } = one.certificate;
    const breach = nameBreach(ca.certificate, { subject, names: one.names });
    if (!breach) return [];
    const by = nameForMessage(ca.certificate.subject);
    return [reason("name_constraints", `${breach.why} (name constraints of ${by})`, one)];
  } catch (error) {
    if (error instanceof CaError) return [reason("malformed_extension", error.message, ca)];
    throw error;
  }
}

function nameReasons(
  path: readonly PathCertificate[],
  name: string | undefined,
): readonly PathReason[] {
  const [leaf] = path;
  if (name === undefined || !leaf || matchesName(leaf.names, name)) return [];
  const { dns, ip, email, uri } = leaf.names;
  const all = [...dns, ...ip, ...email, ...uri];
  const listed = all.slice(0, 5).join(", ") + (all.length > 5 ? ", …" : "");
  return [
    reason("name_mismatch", `is not valid for ${name}, but for ${listed || "no name"}`, leaf),
  ];
}
