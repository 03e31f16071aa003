import { CaError } from "../base/errors.ts";
import { memoize } from "../base/memo.ts";
import { isHostName, isWildLabel, lowerAscii as lower, toAscii } from "../base/names.ts";
import { addressesIn, addressesReadFrom, inRange, ipToBytes } from "./address.ts";
import { findExtension, type Certificate } from "./certificate.ts";
import { deviceNameOid } from "./device-name.ts";
import { readNameConstraints, type ReadSubtrees } from "./name-constraints.ts";
import { comparableRdn, encodeName, isEmptyName, nameValues, parseName, type Rdn } from "./name.ts";
import { extensionOid, nameOid } from "./oid.ts";
import type { GeneralNames } from "./san.ts";

/** A name rule of the chain that a new leaf would break: the rule's name, and the reason. */
export interface NameBreach {
  readonly rule: string;
  readonly why: string;
}
/** The names that constraints apply to. */
export interface CheckedNames {
  /** Relative names in order, or the DER of a name. */
  readonly subject: readonly Rdn[] | Uint8Array;
  readonly names: GeneralNames;
}
/**
 * Returns the violation of a CA's name constraints by names below it, if any (RFC 5280 section
 * 4.2.1.10). Throws `CaError` for malformed constraints.
 */
export function nameBreach(certificate: Certificate, leaf: CheckedNames): NameBreach | undefined {
  const read = constraintsOf(certificate);
  if (!read) return undefined;
  const subject = leaf.subject instanceof Uint8Array ? leaf.subject : encodeName(leaf.subject);
  const { permitted, excluded } = read;
  const why =
    namesOf(subject, leaf).flatMap(([kind, name]) =>
      breachOf(kind, name, permitted, excluded),
    )[0] ??
    otherBreach(leaf, [...permitted.unreadable, ...excluded.unreadable]) ??
    [subject, ...(leaf.names.directory ?? [])]
      .map((name) => directoryBreach(name, permitted, excluded))
      .find((breach) => breach !== undefined);
  return why === undefined ? undefined : { rule: "name constraints (4.2.1.10)", why };
}

const constraintsOf = memoize((certificate: Certificate) => {
  const extension = findExtension(certificate, extensionOid.nameConstraints);
  return extension && readNameConstraints(extension.value);
});

/** Type of otherName for mailboxes outside ASCII (RFC 9598). */
const utf8Mailbox = "1.3.6.1.5.5.7.8.9";
/**
 * Reports whether a common name looks like a host name, perhaps with a wildcard label, as some
 * clients read it.
 */
function isHostLike(name: string): boolean {
  // some clients accept underscores in host names
  const plain = name.replaceAll("_", "a");
  const dot = plain.indexOf(".");
  return (
    plain === "*" ||
    (dot > 0 &&
      (isHostName(plain) || (isWildLabel(plain.slice(0, dot)) && isHostName(plain.slice(dot + 1)))))
  );
}
/** Yields all names to which constraints apply. */
function namesOf(
  subject: Uint8Array,
  { names }: CheckedNames,
): readonly (readonly [Kind, string])[] {
  const common = nameValues(subject, nameOid.commonName).filter(isHostLike);
  const wide = names.other.filter((name) => name.oid === utf8Mailbox).map((name) => name.value);
  const mail = nameValues(subject, nameOid.email);
  const loose = [
    ...names.dns.flatMap(addressesReadFrom),
    ...nameValues(subject, nameOid.commonName).flatMap(addressesIn),
  ];
  return [
    ...[...names.dns, ...common].map((name) => ["dns", name] as const),
    ...[...names.email, ...wide, ...mail].map((name) => ["email", name] as const),
    ...[...names.ip, ...loose].map((name) => ["ip", name] as const),
    ...names.uri.map((name) => ["uri", name] as const),
  ];
}

/**
 * Checks a name against constraints. Exclusions take precedence; if names of a kind are permitted,
 * names of that kind must match one.
 */
function breachOf(
  kind: Kind,
  name: string,
  permitted: ReadSubtrees,
  excluded: ReadSubtrees,
): readonly string[] {
  const within = matchers[kind];
  const forbidden = excluded[kind].find((subtree) => within(name, subtree, true));
  if (forbidden !== undefined)
    return [`the name ${name} is excluded by ${forbidden || "a constraint on every name"}`];
  if (permitted[kind].length && !permitted[kind].some((subtree) => within(name, subtree, false)))
    return [`the name ${name} is in none of the permitted ${permitted[kind].join(", ")}`];
  return [];
}

/**
 * Returns the violation by names that are constrained but have no text form. Their match cannot be
 * evaluated, so they are rejected (RFC 5280 section 4.2.1.10).
 */
function otherBreach({ names }: CheckedNames, constrained: readonly string[]): string | undefined {
  const kinds = [
    ...names.other.map(({ oid }) => `otherName ${oid}`),
    ...(names.device ?? []).map(({ type }) => `otherName ${deviceNameOid[type]}`),
    ...(names.unreadable ?? []),
  ].map(kindOf);
  const kind = kinds.find((kind) => constrained.some((one) => kindOf(one) === kind));
  return kind && `names of the kind ${kind} are constrained in a way that is not known here`;
}
/**
 * Returns the kind of such a name: otherName types are separate kinds, all registeredID are one.
 */
const kindOf = (unreadable: string): string => unreadable.replace(/^(registeredID) .*/, "$1");

/**
 * Returns the violation by directory names, including the subject: each must be within a permitted
 * subtree and within no excluded one.
 */
function directoryBreach(
  subject: Uint8Array,
  permitted: ReadSubtrees,
  excluded: ReadSubtrees,
): string | undefined {
  if (isEmptyName(subject)) return undefined;
  const rdns = parseName(subject).map(comparableRdn);
  const below = (tree: Uint8Array) =>
    parseName(tree).every((rdn, i) => comparableRdn(rdn) === rdns[i]);
  if (excluded.directory.some(below)) return "the subject is excluded by a directory name";
  if (permitted.directory.length && !permitted.directory.some(below))
    return "the subject is below none of the permitted directory names";
  return undefined;
}

/** Kinds of constrained names that have a text form. */
type Kind = "dns" | "email" | "ip" | "uri";

/** Reports whether `host` is the domain or below it; with a leading dot, only below it. */
function inDomain(host: string, domain: string): boolean {
  const [name, tree] = [lower(host), lower(domain)];
  if (tree === "") return true;
  return tree.startsWith(".")
    ? name.endsWith(tree) && name.length > tree.length
    : name === tree || name.endsWith(`.${tree}`);
}
/** Reports whether `host` equals the tree, or is below it if the tree has a leading dot. */
const atHost = (host: string, tree: string): boolean =>
  tree === "" ? true : tree.startsWith(".") ? inDomain(host, tree) : lower(host) === lower(tree);

/**
 * Removes a final dot for exclusions, which it must not evade. For permitted names (not `wide`)
 * returns undefined, because no path validator matches a name with a final dot.
 */
const plainHost = (host: string, wide: boolean): string | undefined =>
  host.endsWith(".") ? (wide ? host.slice(0, -1) : undefined) : host;

/**
 * Converts the host of a mailbox to the form of constraints (RFC 9598 section 6); unchanged if that
 * is impossible.
 */
function asciiHost(host: string): string {
  try {
    return toAscii(host);
  } catch (error) {
    if (error instanceof CaError) return host;
    throw error;
  }
}

/**
 * Match functions by kind of name. `wide`: a wildcard matches if any name it covers would, so that
 * it cannot escape an exclusion.
 */
const matchers: Readonly<Record<Kind, (name: string, subtree: string, wide: boolean) => boolean>> =
  {
    dns: (host, subtree, wide) => {
      const name = plainHost(host, wide);
      if (name === undefined) return false;
      if (!name.includes("*")) return inDomain(name, subtree);
      const below = lower(subtree).replace(/^\./, "");
      if (!name.includes(".")) return wide && !below.includes(".");
      const base = name.slice(name.indexOf(".") + 1);
      // a placeholder label stands for all labels, because a real one could equal that of the
      // subtree
      return (
        inDomain(`*.${base}`, subtree) ||
        (wide &&
          below.endsWith(`.${lower(base)}`) &&
          !below.slice(0, -base.length - 1).includes("."))
      );
    },
    email: (address, subtree, wide) => {
      const name = plainHost(address, wide);
      if (name === undefined) return false;
      const at = name.lastIndexOf("@");
      const host = asciiHost(name.slice(at + 1));
      if (!subtree.includes("@")) return atHost(host, subtree);
      const own = subtree.lastIndexOf("@");
      return (
        name.slice(0, at) === subtree.slice(0, own) && lower(host) === lower(subtree.slice(own + 1))
      );
    },
    // path validators compare addresses of the same family: an IPv6 constraint on mapped addresses
    // permits no IPv4 address, but an exclusion must not be evaded by mapping
    ip: (name, subtree, wide) =>
      inRange(name, subtree) && (wide || name.includes(":") === subtree.includes(":")),
    uri: (name, subtree, wide) => {
      const host = plainHost(URL.canParse(name) ? hostOf(name) : "", wide);
      // a URI without a host name cannot satisfy constraints (RFC 5280 section 4.2.1.10): every
      // exclusion excludes it, and nothing permits it
      return host ? atHost(host, subtree) : wide;
    },
  };
function hostOf(uri: string): string {
  // URIs that parsers read differently have no host: a second @, a backslash, a percent-encoded
  // letter
  const host = /^[^:]+:\/\/(?:[^@/?#\\[\]]*@)?([\w.~-]*)(?::\d*)?(?:[/?#]|$)/.exec(uri)?.[1] ?? "";
  return ipToBytes(host) ? "" : host;
}
