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

/** A rule about names that a certificate violates, and the reason. */
export interface NameBreach {
  readonly rule: string;
  readonly why: string;
}
/** The names of a certificate to which name constraints apply. */
export interface CheckedNames {
  /** RDNs in order, or the DER of a Name. */
  readonly subject: readonly Rdn[] | Uint8Array;
  readonly names: GeneralNames;
}
/**
 * Returns the first violation of a CA's name constraints by a certificate below the CA, if any (RFC
 * 5280 section 4.2.1.10). Throws `CaError` for malformed constraints.
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

/** The otherName type SmtpUTF8Mailbox: email addresses beyond ASCII (RFC 9598). */
const utf8Mailbox = "1.3.6.1.5.5.7.8.9";
/**
 * Reports whether a common name looks like a host name, possibly with a wildcard label. Some
 * clients treat such a common name as a host name.
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
/** Returns the names of kinds that have a text form, including those in the subject. */
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
 * Returns the message about a name that violates constraints, or an empty list. Exclusions take
 * precedence; if any names of a kind are permitted, every name of that kind must match one of them.
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
    return [`the name ${name} is not within the permitted ${permitted[kind].join(", ")}`];
  return [];
}

/**
 * Returns the violation of constraints by names that have no text form. They are rejected, because
 * the constraint cannot be evaluated (RFC 5280 section 4.2.1.10).
 */
function otherBreach({ names }: CheckedNames, constrained: readonly string[]): string | undefined {
  const kinds = [
    ...names.other.map(({ oid }) => `otherName ${oid}`),
    ...(names.device ?? []).map(({ type }) => `otherName ${deviceNameOid[type]}`),
    ...(names.unreadable ?? []),
  ].map(kindOf);
  const kind = kinds.find((kind) => constrained.some((one) => kindOf(one) === kind));
  return kind && `constraints on names of the kind ${kind} cannot be evaluated`;
}
/**
 * Returns the kind of a name without a text form. Each otherName type is a separate kind, and all
 * registeredIDs are one kind.
 */
const kindOf = (unreadable: string): string => unreadable.replace(/^(registeredID) .*/, "$1");

/**
 * Returns the violation of constraints by a directory name, such as the subject. The name must be
 * within a permitted subtree, if there are any, and must not be within an excluded subtree.
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
  if (excluded.directory.some(below)) return "the subject is in an excluded directory subtree";
  if (permitted.directory.length && !permitted.directory.some(below))
    return "the subject is in no permitted directory subtree";
  return undefined;
}

/** Kinds of constrained names that have a text form. */
type Kind = "dns" | "email" | "ip" | "uri";

/** Reports whether `host` is under `domain` or, unless `domain` has a leading dot, equal to it. */
function inDomain(host: string, domain: string): boolean {
  const [name, tree] = [lower(host), lower(domain)];
  if (tree === "") return true;
  return tree.startsWith(".")
    ? name.endsWith(tree) && name.length > tree.length
    : name === tree || name.endsWith(`.${tree}`);
}
/**
 * Reports whether `host` equals `tree` or, if `tree` starts with a dot, is a subdomain of it. An
 * empty `tree` matches every host.
 */
const atHost = (host: string, tree: string): boolean =>
  tree === "" ? true : tree.startsWith(".") ? inDomain(host, tree) : lower(host) === lower(tree);

/**
 * For an excluded subtree (`wide`), removes a trailing dot, so that the name cannot evade the
 * exclusion. For a permitted subtree, returns undefined for a name with a trailing dot, because no
 * path validator accepts it.
 */
const plainHost = (host: string, wide: boolean): string | undefined =>
  host.endsWith(".") ? (wide ? host.slice(0, -1) : undefined) : host;

/**
 * Converts the host of an email address to the form used in constraints (RFC 9598 section 6).
 * Returns it unchanged if it cannot be converted.
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
 * Match functions by kind of name. If `wide`, a wildcard matches if any name that it covers would
 * match, so that it cannot evade an exclusion.
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
      // `*` stands for any label, because a real label might happen to equal a label of the subtree
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
    // path validators compare only addresses of the same family, so a permitted subtree of
    // IPv4-mapped IPv6 addresses permits no IPv4 address; an excluded subtree applies to both
    // forms, because otherwise mapping would evade it
    ip: (name, subtree, wide) =>
      inRange(name, subtree) && (wide || name.includes(":") === subtree.includes(":")),
    uri: (name, subtree, wide) => {
      const host = plainHost(URL.canParse(name) ? hostOf(name) : "", wide);
      // a URI without a host name cannot satisfy constraints (RFC 5280 section 4.2.1.10): therefore
      // every exclusion excludes it, and nothing permits it
      return host ? atHost(host, subtree) : wide;
    },
  };
function hostOf(uri: string): string {
  // a URI that parsers read differently, because it has a second @, a backslash or a
  // percent-encoded letter, counts as having no host
  const host = /^[^:]+:\/\/(?:[^@/?#\\[\]]*@)?([\w.~-]*)(?::\d*)?(?:[/?#]|$)/.exec(uri)?.[1] ?? "";
  return ipToBytes(host) ? "" : host;
}
