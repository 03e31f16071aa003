import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { IssuerRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { isUnknown } from "../../x509/critical.ts";
import type { Extension } from "../../x509/extension.ts";
import type { IssuanceContext } from "../request/rule-checker.ts";
import type { Template, CertificateFields, Profile } from "../request/template.ts";
import { nameBreach, type NameBreach, type CheckedNames } from "../../x509/name-breach.ts";
import { criticalRule, linksOf, usageBreach } from "./chain-links.ts";
import { cachedPath } from "./path.ts";
import { equalBytes } from "../../base/bytes.ts";
import { isWithinDnsLimits, isWithinMailLimit } from "../../base/names.ts";
import type { Scheme } from "../../engine/ports.ts";
import { ipToBytes } from "../../x509/address.ts";
import { parsePublicKey, supportsScheme } from "../../x509/public-key.ts";
import { isNetscapeCa } from "../../x509/extension-value.ts";
import { isEmptyName } from "../../x509/name.ts";
import { extensionOid } from "../../x509/oid.ts";
import type { GeneralNames } from "../../x509/san.ts";
import { isForbiddenUsage, readKeyUsage } from "../../x509/usage.ts";
import { maxNames } from "../request/names.ts";
import type { Authority } from "./authority.ts";

/** The fields of a leaf certificate that the rules check. */
type Leaf = CheckedNames & Pick<Template, "extKeyUsage" | "extra">;

/**
 * Returns the first rule of an issuer's chain that a leaf certificate would violate, if any (A
 * 6.10; RFC 5280 sections 4.2.1.9, 4.2.1.10, 6.1). Each kind of check can be disabled per issuer.
 */
function chainBreach(config: Snapshot, issuer: IssuerRow, leaf: Leaf): NameBreach | undefined {
  const { gap, links } = linksOf(config)(issuer);
  if (gap) return gap;
  const stray = strayBreach(issuer, leaf.extra);
  if (stray) return stray;
  for (const { certificate, breach, purposes, constrains } of links) {
    const rule =
      breach ??
      purposeBreach(purposes, leaf.extKeyUsage) ??
      (constrains ? nameBreach(certificate, leaf) : undefined);
    if (rule) return rule;
  }
  return undefined;
}

/**
 * Returns the violation if an extension is critical and unknown, unless this check is disabled for
 * the issuer.
 */
function strayBreach(
  { checks }: IssuerRow,
  extra: readonly Extension[] | undefined,
): NameBreach | undefined {
  const stray = checks.disable_critical_extension_checks ? undefined : extra?.find(isUnknown);
  return (
    stray && {
      rule: criticalRule,
      why: `the certificate would have the unknown critical extension ${stray.oid}`,
    }
  );
}

/**
 * Returns the first rule of an issuer's chain that a new CA certificate would violate, if any. Name
 * constraints apply to every certificate in a path (RFC 5280 section 4.2.1.10), and each CA in the
 * path must be allowed to sign certificates (6.1.4 (n)).
 */
function constraintBreach(
  config: Snapshot,
  issuer: IssuerRow,
  named: CheckedNames,
): NameBreach | undefined {
  for (const certificate of cachedPath(config, issuer)) {
    const breach =
      usageBreach(certificate) ??
      (issuer.checks.disable_name_constraint_checks ? undefined : nameBreach(certificate, named));
    if (breach) return breach;
  }
  return undefined;
}

function purposeBreach(
  allowed: readonly string[] | undefined,
  purposes: readonly string[],
): NameBreach | undefined {
  const missing = allowed && purposes.find((oid) => !allowed.includes(oid));
  return missing === undefined
    ? undefined
    : {
        rule: "extended key usage along the chain (4.2.1.12)",
        why: `a certificate in the chain does not allow the extended key usage ${missing}`,
      };
}

/**
 * Throws `constraint` for a leaf certificate that violates the constraints of the issuer's chain,
 * unless the operator disabled these checks (A 6.10).
 */
export function requireValidChain(
  { mount, config, checker }: Pick<IssuanceContext<unknown>, "mount" | "config" | "checker">,
  issuer: IssuerRow,
  leaf: Leaf,
): void {
  if (mount.storeContext.features["chainChecks"] === false) return;
  const breach = chainBreach(config, issuer, leaf);
  const rule = breach?.rule ?? "the chain's constraints (4.2.1.10)";
  checker.enforce(rule, issuer.name || issuer.id, breach === undefined, () => refusalOf(breach));
}
/** Throws `constraint` for unknown critical extensions, unless the issuer permits them. */
export function rejectUnknownCritical(
  issuer: IssuerRow,
  extra: readonly Extension[] | undefined,
): void {
  const breach = strayBreach(issuer, extra);
  if (breach) throw refusalOf(breach);
}
/**
 * Throws `constraint` for a CA certificate that violates the name constraints of the issuer's
 * chain, or that has a CA above it that may not sign certificates. Throws nothing if the operator
 * disabled these checks.
 */
export function assertConstraints(
  mount: Mount,
  config: Snapshot,
  issuer: IssuerRow,
  named: CheckedNames,
): void {
  const breach =
    mount.storeContext.features["chainChecks"] === false
      ? undefined
      : constraintBreach(config, issuer, named);
  if (breach) throw refusalOf(breach);
}
const refusalOf = (breach: NameBreach | undefined): CaError =>
  new CaError("constraint", `the certificate would violate ${breach?.rule}: ${breach?.why}`);

/** A condition that must hold, and the rule to state in the error if it does not. */
export type Invariant<T> = readonly [holds: (about: T) => boolean, rule: string];

/** Throws `constraint` with the first rule whose condition does not hold, if any. */
export function assertAll<T>(rules: readonly Invariant<T>[], about: T): void {
  for (const [isMet, rule] of rules) if (!isMet(about)) throw breakOf(rule);
}
/** Returns the error for a violated rule. */
export const breakOf = (rule: string): CaError =>
  new CaError("constraint", `the certificate would violate a rule: ${rule}`);

/**
 * Reports whether an IP address is unambiguous. Clients disagree on whether addresses in
 * `::ffff:0:0/96` are IPv4 or IPv6, and name constraints cover only one of these.
 */
const isPlainAddress = (text: string): boolean =>
  text.includes(":") === (ipToBytes(text)?.length === 16);
const plainAddressRule =
  "an IPv4 address must be given as four octets, not as an IPv4-mapped IPv6 address (4.2.1.6)";
const lengthRule =
  "a DNS name may have at most 253 octets, with labels of at most 63 (RFC 1035 section 2.3.4), and an email address at most 254 (RFC 5321)";
/** Returns the rule that the names of a certificate, new or re-signed, would violate, if any. */
function brokenNameRule({
  ip,
  dns,
  email,
}: Pick<GeneralNames, "ip" | "dns" | "email">): string | undefined {
  if (!ip.every(isPlainAddress)) return plainAddressRule;
  return dns.every(isWithinDnsLimits) && email.every(isWithinMailLimit) ? undefined : lengthRule;
}
/**
 * Asserts that the names of a certificate to be re-signed comply with the rules. Throws
 * `constraint` if they do not.
 */
export function assertNames(names: Pick<GeneralNames, "ip" | "dns" | "email">): void {
  const broken = brokenNameRule(names);
  if (broken !== undefined) throw breakOf(broken);
}

interface Plan extends Profile {
  readonly authority: Authority;
  readonly scheme: Scheme;
}
const isCa = ({ basicConstraints: basic }: Pick<Profile, "basicConstraints">): boolean =>
  basic?.ca === true;
const planRules: readonly Invariant<Plan>[] = [
  [
    (plan) => isCa(plan) === (plan.kind !== "leaf"),
    "a root or intermediate must be a CA according to its basic constraints, and a leaf must not be one (4.2.1.9)",
  ],
  [
    (plan) => isCa(plan) || !["CertSign", "CRLSign"].some((usage) => plan.keyUsage.includes(usage)),
    "only a CA may sign certificates or CRLs (4.2.1.3)",
  ],
  [
    (plan) => !isCa(plan) || plan.keyUsage.includes("CertSign"),
    "a CA must have the key usage keyCertSign (4.2.1.3)",
  ],
  [
    (plan) => isCa(plan) || plan.basicConstraints?.pathLength === undefined,
    "only a CA may have a path length constraint (4.2.1.9)",
  ],
  [
    ({ kind, constraints }) => kind !== "leaf" || constraints === undefined,
    "only a CA may have name constraints (4.2.1.10)",
  ],
  [
    ({ kind, basicConstraints: basic, authority: { pathLength: limit } }) =>
      kind !== "intermediate" ||
      limit === undefined ||
      (basic?.pathLength !== undefined && basic.pathLength < limit),
    "the path length constraint must be less than the issuer's (4.2.1.9)",
  ],
  [
    ({ scheme, authority }) => supportsScheme(scheme, authority.publicKey),
    "the signature algorithm must fit the issuer's key",
  ],
  [
    ({ authority: { signer, publicKey } }) => equalBytes(signer.spki, publicKey.spki),
    "the signing key must be the issuer's",
  ],
];
/** Asserts the rules of RFC 5280 for a plan, regardless of earlier checks. Throws `constraint`. */
export const assertPlan = (plan: Plan): void => assertAll(planRules, plan);

/** A certificate that is about to be encoded. */
interface PlannedCertificate {
  readonly profile: Pick<Profile, "kind" | "keyUsage">;
  readonly authority: Authority;
  readonly own: CertificateFields;
  readonly serial: Uint8Array;
  /** DER of the subject. */
  readonly subject: Uint8Array;
}
const latest = 253_402_300_799; // 9999-12-31T23:59:59Z, RFC 5280 section 4.1.2.5
/**
 * Returns the rule of RFC 5280 that a single certificate would violate, if any, in addition to the
 * rules for its plan.
 */
export function brokenCertificateRule({
  profile,
  authority,
  own,
  serial,
  subject,
}: PlannedCertificate): string | undefined {
  const { notBefore, notAfter } = own;
  const { 0: first = 0, length } = serial;
  // a serial number whose first bit is set needs one more octet in DER
  if (first === 0 || length > (first < 0x80 ? 20 : 19))
    return "the serial number must be positive and have at most 20 octets (4.1.2.2)";
  if (length < 8) return "the serial number must have at least 64 bits";
  if (!Number.isInteger(notBefore) || !Number.isInteger(notAfter) || notBefore >= notAfter)
    return "notBefore must be earlier than notAfter (4.1.2.5)";
  if (notBefore < 0 || notAfter > latest)
    return "the validity must be between 1970 and 9999 (4.1.2.5)";
  return (
    (own.extra && brokenExtensionRule(profile, own.extra)) ??
    brokenUsageRule(profile, own) ??
    brokenNameRule(own.names) ??
    brokenSubjectRule(profile, subject, countOf(own.names)) ??
    brokenKeyRule(profile, authority, own.spki)
  );
}
function brokenExtensionRule({ kind }: PlannedCertificate["profile"], extra: readonly Extension[]) {
  if (kind === "leaf" && extra.some(isForCa))
    return "an extension copied to a leaf must not give the leaf the rights of a CA";
  if (extra.some(saysNoUsage))
    return "a key usage extension must have at least one bit set (4.2.1.3)";
  if (extra.some(({ critical, oid }) => critical && neverCritical.has(oid)))
    return "key identifiers and authority information access must not be critical (4.2.1.1, 4.2.1.2, 4.2.2.1)";
  return undefined;
}
function brokenUsageRule(
  { keyUsage }: PlannedCertificate["profile"],
  { spki, extra = [] }: CertificateFields,
) {
  const { algorithm } = parsePublicKey(spki);
  const copied = extra.find(({ oid }) => oid === extensionOid.keyUsage);
  for (const usage of copied ? readKeyUsage(copied.value) : keyUsage)
    if (isForbiddenUsage(algorithm, usage))
      return `a key of type ${algorithm.type} may only have key usages for signing (RFC 9881 section 5)`;
  return undefined;
}
function brokenSubjectRule(
  { kind }: PlannedCertificate["profile"],
  subject: Uint8Array,
  names: number,
) {
  if (kind === "intermediate" && isEmptyName(subject))
    return "an intermediate CA must have a subject (4.1.2.6)";
  if (names > maxNames) return `a certificate may have at most ${maxNames} names`;
  if (kind === "leaf" && names === 0 && isEmptyName(subject))
    return "a certificate with an empty subject must have alternative names (4.1.2.6)";
  return undefined;
}
function brokenKeyRule(
  { kind }: PlannedCertificate["profile"],
  authority: Authority,
  spki: Uint8Array,
) {
  if (kind === "intermediate") return undefined;
  const isOwn = equalBytes(authority.signer.spki, spki);
  if (kind === "leaf") return isOwn ? "a leaf must not have the key of its issuer" : undefined;
  return isOwn && authority.subject === undefined
    ? undefined
    : "a root must be signed with its own key";
}
const countOf = (names: GeneralNames): number =>
  names.dns.length +
  names.email.length +
  names.ip.length +
  names.uri.length +
  names.other.length +
  (names.device?.length ?? 0) +
  (names.directory?.length ?? 0) +
  (names.unreadable?.length ?? 0);
const saysNoUsage = ({ oid, value }: Extension): boolean =>
  oid === extensionOid.keyUsage && readKeyUsage(value).length === 0;
/** Extensions that must not be critical, because some clients would reject the certificate. */
const neverCritical: ReadonlySet<string> = new Set([
  extensionOid.authorityKeyIdentifier,
  extensionOid.subjectKeyIdentifier,
  extensionOid.authorityInfoAccess,
]);
/** Reports whether an extension belongs in CA certificates only. */
const isForCa = ({ oid, value }: Extension): boolean =>
  oid === extensionOid.basicConstraints ||
  oid === extensionOid.nameConstraints ||
  (oid === extensionOid.netscapeCertType && isNetscapeCa(value));
