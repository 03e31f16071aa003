import { concat, type Bytes } from "../base/bytes.ts";
import { absentPart, octets, readDer, sequence, tlvOf, type Reader } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { endsInNumber, isWithinDnsLimits, isMailAddress } from "../base/names.ts";
import { cidrText, parseCidr } from "./address.ts";
import type { Extension } from "./extension.ts";
import { checkName } from "./name.ts";
import { extensionOid } from "./oid.ts";
import { dnsName, emailName, readNames, uriName } from "./san.ts";

/**
 * The permitted or excluded subtrees of name constraints. An IP range is in CIDR notation, such as
 * `192.0.2.0/24`; an email constraint is an address, a host, or a domain with a leading dot.
 */
export interface Subtrees {
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  readonly email?: readonly string[];
  readonly uri?: readonly string[];
}

function rangeName(text: string): Bytes {
  const range = parseCidr(text);
  if (!range)
    throw new CaError("malformed", `not an IP range in CIDR notation: ${text.slice(0, 80)}`);
  return octets(concat([range.address, range.mask]), 0x87);
}

function subtrees(tag: number, { dns = [], ip = [], email = [], uri = [] }: Subtrees): Bytes {
  const bases = [
    ...dns.map(dnsName),
    ...ip.map(rangeName),
    ...email.map(emailName),
    ...uri.map(uriName),
  ];
  return bases.length === 0
    ? absentPart
    : tlvOf(
        0xa0 | tag,
        bases.map((base) => sequence(base)),
      );
}

/**
 * Returns a critical NameConstraints extension, or undefined if nothing is constrained. Throws
 * `CaError` `malformed` for an invalid range.
 */
export function nameConstraints({
  permitted = {},
  excluded = {},
}: {
  permitted?: Subtrees;
  excluded?: Subtrees;
}): Extension | undefined {
  const [first, second] = [subtrees(0, permitted), subtrees(1, excluded)];
  if (first.length + second.length === 0) return undefined;
  return { oid: extensionOid.nameConstraints, critical: true, value: sequence(first, second) };
}

/** The parsed permitted or excluded subtrees of name constraints. */
export interface ReadSubtrees {
  readonly dns: readonly string[];
  /** Address ranges in CIDR notation, such as `192.0.2.0/24`. */
  readonly ip: readonly string[];
  readonly email: readonly string[];
  readonly uri: readonly string[];
  /** DER of directory names. */
  readonly directory: readonly Uint8Array[];
  /**
   * Kinds of constrained names that have no text form. Callers must treat each constraint as
   * matching every name of that kind.
   */
  readonly unreadable: readonly string[];
}

function readSubtrees(list: Reader | undefined): ReadSubtrees {
  const ip: string[] = [];
  const subtrees = {
    dns: [] as string[],
    email: [] as string[],
    uri: [] as string[],
    directory: [] as Uint8Array[],
    unreadable: [] as string[],
  };
  if (list?.tag === undefined && list) throw list.refuse("is empty");
  while (list?.tag !== undefined) {
    const subtree = list.enter("a subtree");
    if (subtree.tag === 0x87) {
      const range = cidrText(subtree.content("an IP range", 0x87));
      if (!range) throw subtree.refuse("an IP range has the wrong length or a mask with gaps");
      ip.push(range);
    } else {
      const base = subtree.element("a name");
      const names = readNames(readDer(base.der, "name constraints"));
      subtrees.dns.push(...names.dns);
      subtrees.email.push(...names.email);
      subtrees.uri.push(...names.uri);
      subtrees.directory.push(...names.directory);
      subtrees.unreadable.push(
        ...names.unreadable,
        ...names.other.map((other) => `otherName ${other.oid}`),
      );
    }
    // minimum is 0 and therefore omitted, and maximum is absent (RFC 5280 section 4.2.1.10)
    subtree.end();
  }
  return { ...subtrees, ip };
}

/** Parses a NameConstraints value. Rejects masks with gaps, `minimum` and `maximum`. */
export function readNameConstraints(value: Uint8Array): {
  readonly permitted: ReadSubtrees;
  readonly excluded: ReadSubtrees;
} {
  const body = readDer(value, "name constraints").enter("NameConstraints");
  const permitted = readSubtrees(body.optional("permitted", 0xa0));
  const excluded = readSubtrees(body.optional("excluded", 0xa1));
  body.end();
  return { permitted, excluded };
}

/**
 * Reports whether all clients understand a constraint on DNS names, email hosts or URIs (RFC 5280
 * section 4.2.1.10). It must consist of labels of a host name, optionally with a leading dot. ""
 * matches every domain. A final dot, a wildcard, an address or a URI would permit and exclude
 * nothing.
 */
export function isConstraintDomain(text: string): boolean {
  const domain = text.replace(/^\./, "");
  return (
    text === "" ||
    (/^[\w-]+(?:\.[\w-]+)*$/.test(domain) && isWithinDnsLimits(domain) && !endsInNumber(domain))
  );
}

/** Reports whether a constraint on email addresses is a mailbox, a host, or a domain. */
export function isConstraintMail(text: string): boolean {
  const at = text.indexOf("@");
  return at < 0
    ? isConstraintDomain(text)
    : isMailAddress(text) &&
        !text.startsWith(".", at + 1) &&
        isConstraintDomain(text.slice(at + 1));
}

/**
 * Rejects a NameConstraints value with names that some clients do not understand. Throws `CaError`
 * `malformed`.
 */
export function checkNameConstraints(value: Uint8Array): void {
  const { permitted, excluded } = readNameConstraints(value);
  const body = readDer(value, "name constraints").enter("NameConstraints");
  if (body.tag === undefined) throw body.refuse("is empty");
  for (const { dns, email, uri, directory } of [permitted, excluded]) {
    directory.forEach(checkName);
    if (![...dns, ...uri].every(isConstraintDomain) || !email.every(isConstraintMail))
      throw body.refuse("invalid domain or mailbox");
  }
}
