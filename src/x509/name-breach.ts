import { CaError } from "../base/errors.ts";
import { memoize } from "../base/memo.ts";
import { isHostName, isWildLabel, lowerAscii as lower, toAscii } from "../base/names.ts";
import { addressesIn, addressesReadFrom, inRange, ipToBytes } from "./address.ts";
import { findExtension, type Certificate } from "./certificate.ts";
import { readNameConstraints, type ReadSubtrees } from "./name-constraints.ts";
import { comparableRdn, encodeName, isEmptyName, nameValues, parseName, type Rdn } from "./name.ts";
import { extensionOid, nameOid } from "./oid.ts";
import type { GeneralNames } from "./san.ts";

/** One rule of a chain that a new leaf would break: the rule's name, and why. */
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
    namesOf(subject, leaf).flatMap(([kind, name]) => judge(kind, name, permitted, excluded))[0] ??
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

/** Mailboxes outside ASCII stand in other names of this type (RFC 9598). */
const utf8Mailbox = "1.3.6.1.5.5.7.8.9";
/**
 * Reports whether a common name looks like a host name, perhaps with a wildcard label, as some
 * clients read it.
 */
function looksLikeHost(name: string): boolean {
  // others take an underscore for a letter of it
  const plain = name.replaceAll("_", "a");
  const dot = plain.indexOf(".");
  return (
    plain === "*" ||
    (dot > 0 &&
      (isHostName(plain) || (isWildLabel(plain.slice(0, dot)) && isHostName(plain.slice(dot + 1)))))
  );
}
/** Every name that constraints speak of. */
function namesOf(
  subject: Uint8Array,
  { names }: CheckedNames,
): readonly (readonly [Kind, string])[] {
  const common = nameValues(subject, nameOid.commonName).filter(looksLikeHost);
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

/** Excluded wins; with any permitted name of a kind, a name of that kind must be in one. */
function judge(
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
 * Names of a kind that a constraint speaks of, and no text form here: what it says of them is not
 * known, so they are refused (4.2.1.10).
 */
function otherBreach({ names }: CheckedNames, constrained: readonly string[]): string | undefined {
  const kinds = [
    ...names.other.map(({ oid }) => `otherName ${oid}`),
    ...(names.unreadable ?? []),
  ].map(kindOf);
  const found = kinds.find((kind) => constrained.some((one) => kindOf(one) === kind));
  return found && `names of the kind ${found} are constrained in a way that is not known here`;
}
/** Other names are of a kind for each type; `registeredID 1.2.3` is of one kind with all others. */
const kindOf = (unreadable: string): string => unreadable.replace(/^(registeredID) .*/, "$1");

/**
 * Directory names, the subject first of all: each must lie below a permitted one and below no
 * excluded one.
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

/** Kinds of names that name constraints speak of and that have a text form. */
type Kind = "dns" | "email" | "ip" | "uri";

/** `host` is the domain or below it; a leading dot asks for a name below. */
function inDomain(host: string, domain: string): boolean {
  const [name, tree] = [lower(host), lower(domain)];
  if (tree === "") return true;
  return tree.startsWith(".")
    ? name.endsWith(tree) && name.length > tree.length
    : name === tree || name.endsWith(`.${tree}`);
}
/** `host` is exactly this one, or below a domain with a leading dot. */
const atHost = (host: string, tree: string): boolean =>
  tree === "" ? true : tree.startsWith(".") ? inDomain(host, tree) : lower(host) === lower(tree);

/**
 * Without a final dot: no path validator takes one for permitted, so it is not, and an exclusion it
 * does not evade. Nothing where it may not be.
 */
const plainHost = (host: string, wide: boolean): string | undefined =>
  host.endsWith(".") ? (wide ? host.slice(0, -1) : undefined) : host;

/**
 * The host of a mailbox in the form that constraints are written in (RFC 9598 section 6); as it is
 * where it has none.
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
 * Matchers of names and subtrees, by kind. `wide`: a wildcard counts as each name it stands for, so
 * that it cannot escape an exclusion.
 */
const matchers: Readonly<Record<Kind, (name: string, subtree: string, wide: boolean) => boolean>> =
  {
    dns: (given, subtree, wide) => {
      const name = plainHost(given, wide);
      if (name === undefined) return false;
      if (!name.includes("*")) return inDomain(name, subtree);
      const below = lower(subtree).replace(/^\./, "");
      if (!name.includes(".")) return wide && !below.includes(".");
      const base = name.slice(name.indexOf(".") + 1);
      // a label of its own stands for all: a real one could be that of the subtree
      return (
        inDomain(`*.${base}`, subtree) ||
        (wide &&
          below.endsWith(`.${lower(base)}`) &&
          !below.slice(0, -base.length - 1).includes("."))
      );
    },
    email: (given, subtree, wide) => {
      const name = plainHost(given, wide);
      if (name === undefined) return false;
      const at = name.lastIndexOf("@");
      const host = asciiHost(name.slice(at + 1));
      if (!subtree.includes("@")) return atHost(host, subtree);
      const own = subtree.lastIndexOf("@");
      return (
        name.slice(0, at) === subtree.slice(0, own) && lower(host) === lower(subtree.slice(own + 1))
      );
    },
    // path validators compare like with like: a constraint in the dress of IPv6 permits no IPv4 to
    // them, and an exclusion is not evaded by the dress
    ip: (name, subtree, wide) =>
      inRange(name, subtree) && (wide || name.includes(":") === subtree.includes(":")),
    uri: (name, subtree, wide) => {
      const host = plainHost(URL.canParse(name) ? hostOf(name) : "", wide);
      // a URI without a host name cannot be shown to obey (4.2.1.10): excluded by any exclusion,
      // permitted by nothing
      return host ? atHost(host, subtree) : wide;
    },
  };
function hostOf(uri: string): string {
  // what parsers read differently has no host: a second @, a backslash, an encoded letter
  const host = /^[^:]+:\/\/(?:[^@/?#\\[\]]*@)?([\w.~-]*)(?::\d*)?(?:[/?#]|$)/.exec(uri)?.[1] ?? "";
  return ipToBytes(host) ? "" : host;
}
