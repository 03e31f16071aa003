import { CaError } from "../../base/errors.ts";
import { isHostName, isWildLabel, lowerAscii as lower, toAscii } from "../../base/names.ts";
import { equalBytes } from "../../base/bytes.ts";
import type { IssuerRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { findExtension, type Certificate } from "../../x509/certificate.ts";
import { addressesReadFrom, inRange, ipToBytes } from "../../x509/address.ts";
import { readBasicConstraints, readExtKeyUsage, readNameConstraints, type ReadSubtrees } from "../../x509/extension-read.ts";
import { type Extension } from "../../x509/extension.ts";
import { encodeName, nameText, nameValues, parseName, type Rdn } from "../../x509/name.ts";
import { extensionOid, nameOid } from "../../x509/oid.ts";
import { certificateOf, chainRows, maySignCertificates } from "./issuer.ts";
import { knownPath } from "./path.ts";
import { addressesIn } from "../request/names.ts";
import type { Template } from "../request/template.ts";

/** One rule of a chain that a new leaf would break: the rule's name, and why. */
export interface Breach {
  readonly rule: string;
  readonly why: string;
}
/** What name constraints speak of. */
export type Named = Pick<Template, "subject" | "names">;
/** What of a leaf the rules look at. */
export type Leaf = Named & Pick<Template, "extKeyUsage" | "extra">;

/**
 * What the chain of an issuer forbids of a leaf that it would sign (A 6.10; RFC 5280 sections 4.2.1.9, 4.2.1.10, 6.1): the first breach, or nothing. Each
 * kind of check can be switched off at the issuer.
 */
export function chainBreach(config: Snapshot, issuer: IssuerRow, leaf: Leaf): Breach | undefined {
  const path = knownPath(config, issuer);
  const { checks } = issuer;
  const gap = checks.disable_name_checks ? undefined : nameGap(config, issuer, path);
  if (gap) return gap;
  const stray = checks.disable_critical_extension_checks ? undefined : leaf.extra?.find(isUnknown);
  if (stray) return { rule: criticalRule, why: `the certificate would have the critical extension ${stray.oid}, which is not known here` };
  for (const [depth, certificate] of path.entries()) {
    const breach =
      usageBreach(certificate) ??
      (checks.disable_critical_extension_checks ? undefined : unknownCritical(certificate)) ??
      (checks.disable_path_length_checks ? undefined : tooDeep(certificate, path.slice(0, depth))) ??
      purposeBreach(certificate, leaf.extKeyUsage) ??
      (checks.disable_name_constraint_checks ? undefined : nameBreach(certificate, leaf));
    if (breach) return breach;
  }
  return undefined;
}

/**
 * What an issuer's chain forbids of a CA that it would sign: name constraints hold for every certificate of a path (RFC 5280 section 4.2.1.10), and each CA of it
 * must be allowed to sign certificates (6.1.4 (n)).
 * The first breach, or nothing.
 */
export function constraintBreach(config: Snapshot, issuer: IssuerRow, named: Named): Breach | undefined {
  for (const certificate of knownPath(config, issuer)) {
    const breach = usageBreach(certificate) ?? (issuer.checks.disable_name_constraint_checks ? undefined : nameBreach(certificate, named));
    if (breach) return breach;
  }
  return undefined;
}

/**
 * Where a chain that was set by hand stops short of a root because nobody in it bears the name that is wanted: the first certificate there that is neither a
 * parent nor another certificate of a CA before it (RFC 5280 section 6.1.3 (a)(4)). Chains of our own building follow names always.
 */
function nameGap(config: Snapshot, issuer: IssuerRow, path: readonly Certificate[]): Breach | undefined {
  const last = path.at(-1);
  if (issuer.manual_chain.length === 0 || !last || equalBytes(last.subject, last.issuer)) return undefined;
  const chain = chainRows(config, issuer).map(certificateOf);
  const follows = ({ subject }: Certificate, i: number) =>
    i === 0 || chain.slice(0, i).some((before) => equalBytes(before.issuer, subject) || equalBytes(before.subject, subject));
  const stray = chain.find((certificate, i) => !follows(certificate, i));
  return (
    stray && {
      rule: "names along the chain (6.1.3)",
      why: `${nameText(stray.subject)} stands in the chain that was set for the issuer, and no certificate before it names it as its issuer`,
    }
  );
}

const understood: ReadonlySet<string> = new Set([
  extensionOid.keyUsage,
  extensionOid.extKeyUsage,
  extensionOid.basicConstraints,
  extensionOid.nameConstraints,
  extensionOid.subjectAltName,
  extensionOid.certificatePolicies,
  extensionOid.subjectKeyIdentifier,
  extensionOid.authorityKeyIdentifier,
  extensionOid.crlDistributionPoints,
  extensionOid.policyConstraints,
  extensionOid.inhibitAnyPolicy,
  extensionOid.policyMappings,
]);
const criticalRule = "critical extensions (4.2)";
const isUnknown = ({ oid, critical }: Extension): boolean => critical && !understood.has(oid);
function unknownCritical(certificate: Certificate): Breach | undefined {
  const found = certificate.extensions.find(isUnknown);
  return found && { rule: criticalRule, why: `a certificate of the chain has the critical extension ${found.oid}, which is not known here` };
}

function tooDeep(certificate: Certificate, below: readonly Certificate[]): Breach | undefined {
  const extension = findExtension(certificate, extensionOid.basicConstraints);
  const limit = extension ? readBasicConstraints(extension.value).pathLength : undefined;
  // self-issued certificates do not count (4.2.1.9)
  const between = below.filter((one) => !equalBytes(one.subject, one.issuer)).length;
  return limit !== undefined && between > limit
    ? { rule: "path length (4.2.1.9)", why: `a certificate of the chain allows ${limit} CAs below it, and there are ${between}` }
    : undefined;
}

/** A path through a CA that may not sign certificates is valid to nobody (RFC 5280 section 6.1.4 (n)). */
function usageBreach(certificate: Certificate): Breach | undefined {
  return maySignCertificates(certificate)
    ? undefined
    : { rule: "key usage along the chain (4.2.1.3)", why: `the key usage of ${nameText(certificate.subject)} lacks keyCertSign` };
}

const anyPurpose = "2.5.29.37.0";
function purposeBreach(certificate: Certificate, purposes: readonly string[]): Breach | undefined {
  const extension = findExtension(certificate, extensionOid.extKeyUsage);
  const allowed = extension ? readExtKeyUsage(extension.value) : [anyPurpose];
  const missing = allowed.includes(anyPurpose) ? undefined : purposes.find((oid) => !allowed.includes(oid));
  return missing === undefined
    ? undefined
    : { rule: "extended key usage along the chain (4.2.1.12)", why: `a certificate of the chain does not allow the purpose ${missing}` };
}

function nameBreach(certificate: Certificate, leaf: Named): Breach | undefined {
  const extension = findExtension(certificate, extensionOid.nameConstraints);
  if (!extension) return undefined;
  const subject = leaf.subject instanceof Uint8Array ? leaf.subject : encodeName(leaf.subject);
  const { permitted, excluded } = readNameConstraints(extension.value);
  const why =
    namesOf(subject, leaf).flatMap(([kind, name]) => judge(kind, name, permitted, excluded))[0] ??
    otherBreach(leaf, [...permitted.unreadable, ...excluded.unreadable]) ??
    [subject, ...(leaf.names.directory ?? [])].map((name) => directoryBreach(name, permitted, excluded)).find((breach) => breach !== undefined);
  return why === undefined ? undefined : { rule: "name constraints (4.2.1.10)", why };
}

type Kind = "dns" | "email" | "ip" | "uri";
/** Mailboxes outside ASCII stand in other names of this type (RFC 9598). */
const utf8Mailbox = "1.3.6.1.5.5.7.8.9";
/** Whether a common name looks like a host name, perhaps with a wild first label: some clients read it as one. */
function looksLikeHost(name: string): boolean {
  // others take an underscore for a letter of it
  const plain = name.replaceAll("_", "a");
  const dot = plain.indexOf(".");
  return plain === "*" || (dot > 0 && (isHostName(plain) || (isWildLabel(plain.slice(0, dot)) && isHostName(plain.slice(dot + 1)))));
}
/** Every name that constraints speak of. */
function namesOf(subject: Uint8Array, { names }: Named): readonly (readonly [Kind, string])[] {
  const common = nameValues(subject, nameOid.commonName).filter(looksLikeHost);
  const wide = names.other.filter((name) => name.oid === utf8Mailbox).map((name) => name.value);
  const mail = nameValues(subject, nameOid.email);
  const loose = [...names.dns.flatMap(addressesReadFrom), ...nameValues(subject, nameOid.commonName).flatMap(addressesIn)];
  return [
    ...[...names.dns, ...common].map((name) => ["dns", name] as const),
    ...[...names.email, ...wide, ...mail].map((name) => ["email", name] as const),
    ...[...names.ip, ...loose].map((name) => ["ip", name] as const),
    ...names.uri.map((name) => ["uri", name] as const),
  ];
}

/** Excluded wins; with any permitted name of a kind, a name of that kind must be in one. */
function judge(kind: Kind, name: string, permitted: ReadSubtrees, excluded: ReadSubtrees): readonly string[] {
  const within = matchers[kind];
  const forbidden = excluded[kind].find((subtree) => within(name, subtree, true));
  if (forbidden !== undefined) return [`the name ${name} is excluded by ${forbidden || "a constraint on every name"}`];
  if (permitted[kind].length && !permitted[kind].some((subtree) => within(name, subtree, false)))
    return [`the name ${name} is in none of the permitted ${permitted[kind].join(", ")}`];
  return [];
}

/** `host` is the domain or below it; a leading dot asks for a name below. */
function inDomain(host: string, domain: string): boolean {
  const [name, tree] = [lower(host), lower(domain)];
  if (tree === "") return true;
  return tree.startsWith(".") ? name.endsWith(tree) && name.length > tree.length : name === tree || name.endsWith(`.${tree}`);
}
/** `host` is exactly this one, or below a domain with a leading dot. */
const atHost = (host: string, tree: string): boolean => (tree === "" ? true : tree.startsWith(".") ? inDomain(host, tree) : lower(host) === lower(tree));

/** Without a final dot: no path validator takes one for permitted, so it is not, and an exclusion it does not evade. Nothing where it may not be. */
const plainHost = (host: string, wide: boolean): string | undefined => (host.endsWith(".") ? (wide ? host.slice(0, -1) : undefined) : host);

/** The host of a mailbox in the form that constraints are written in (RFC 9598 section 6); as it is where it has none. */
function asciiHost(host: string): string {
  try {
    return toAscii(host);
  } catch (error) {
    if (error instanceof CaError) return host;
    throw error;
  }
}

/** Whether a name lies in a subtree. `wide`: a wildcard counts as each name it stands for, so that it cannot slip past an exclusion. */
const matchers: Readonly<Record<Kind, (name: string, subtree: string, wide: boolean) => boolean>> = {
  dns: (given, subtree, wide) => {
    const name = plainHost(given, wide);
    if (name === undefined) return false;
    if (!name.includes("*")) return inDomain(name, subtree);
    const below = lower(subtree).replace(/^\./, "");
    if (!name.includes(".")) return wide && !below.includes(".");
    const base = name.slice(name.indexOf(".") + 1);
    // a label of its own stands for all: a real one could be that of the subtree
    return inDomain(`*.${base}`, subtree) || (wide && below.endsWith(`.${lower(base)}`) && !below.slice(0, -base.length - 1).includes("."));
  },
  email: (given, subtree, wide) => {
    const name = plainHost(given, wide);
    if (name === undefined) return false;
    const at = name.lastIndexOf("@");
    const host = asciiHost(name.slice(at + 1));
    if (!subtree.includes("@")) return atHost(host, subtree);
    const own = subtree.lastIndexOf("@");
    return name.slice(0, at) === subtree.slice(0, own) && lower(host) === lower(subtree.slice(own + 1));
  },
  // path validators compare like with like: a constraint in the dress of IPv6 permits no IPv4 to them, and an exclusion is not evaded by the dress
  ip: (name, subtree, wide) => inRange(name, subtree) && (wide || name.includes(":") === subtree.includes(":")),
  uri: (name, subtree, wide) => {
    const host = plainHost(URL.canParse(name) ? hostOf(name) : "", wide);
    // a URI without a host name cannot be shown to obey (4.2.1.10): excluded by any exclusion, permitted by nothing
    return host ? atHost(host, subtree) : wide;
  },
};
function hostOf(uri: string): string {
  // what parsers read differently has no host: a second @, a backslash, an encoded letter
  const host = /^[^:]+:\/\/(?:[^@/?#\\[\]]*@)?([\w.~-]*)(?::\d*)?(?:[/?#]|$)/.exec(uri)?.[1] ?? "";
  return ipToBytes(host) ? "" : host;
}

/** Names of a kind that a constraint speaks of, and no text form here: what it says of them is not known, so they are refused (4.2.1.10). */
function otherBreach({ names }: Named, constrained: readonly string[]): string | undefined {
  const kinds = [...names.other.map(({ oid }) => `otherName ${oid}`), ...(names.unreadable ?? [])].map(kindOf);
  const found = kinds.find((kind) => constrained.some((one) => kindOf(one) === kind));
  return found && `names of the kind ${found} are constrained in a way that is not known here`;
}
/** Other names are of a kind for each type; `registeredID 1.2.3` is of one kind with all others. */
const kindOf = (unreadable: string): string => unreadable.replace(/^(registeredID) .*/, "$1");

/** An RDN as others compare it: ASCII letters in one case, blanks around gone and inside folded (RFC 5280 section 7.1). */
const comparable = (rdn: Rdn): string =>
  rdn
    .map(({ oid, value }) => JSON.stringify([oid, lower(value.trim().replace(/ +/g, " "))]))
    .sort()
    .join();

/** Directory names, the subject first of all: each must lie below a permitted one and below no excluded one. */
function directoryBreach(subject: Uint8Array, permitted: ReadSubtrees, excluded: ReadSubtrees): string | undefined {
  if (subject.length <= 2) return undefined;
  const rdns = parseName(subject).map(comparable);
  const below = (tree: Uint8Array) => parseName(tree).every((rdn, i) => comparable(rdn) === rdns[i]);
  if (excluded.directory.some(below)) return "the subject is excluded by a directory name";
  if (permitted.directory.length && !permitted.directory.some(below)) return "the subject is below none of the permitted directory names";
  return undefined;
}
