import { compareBytes, fromUtf8, toHex, type Bytes } from "../base/bytes.ts";
import {
  directoryString,
  ia5String,
  oid,
  readDer,
  sequence,
  set,
  tlvOf,
  type Element,
  type Reader,
} from "../base/der.ts";
import { lowerAscii } from "../base/names.ts";
import { nameOid } from "./oid.ts";

/** One attribute of a name: the object identifier of its type, and its value as a string. */
interface Attribute {
  readonly oid: string;
  readonly value: string;
  /**
   * Set if the value is neither a string nor a BIT STRING. Not all clients can parse such a name.
   */
  readonly opaque?: true;
}
/** A relative distinguished name, which nearly always has a single attribute. */
export type Rdn = readonly Attribute[];

const ia5Types: ReadonlySet<string> = new Set([nameOid.email, nameOid.domainComponent]);

/**
 * Encodes a Name. A value becomes a PrintableString if its characters allow it, otherwise a
 * UTF8String; email and DC become an IA5String. The attributes of an RDN are a sorted SET. Throws
 * `CaError` `malformed` for a type that is not an object identifier, and for an email or DC that is
 * not ASCII.
 */
export function encodeName(rdns: readonly Rdn[]): Bytes {
  const sets: Bytes[] = [];
  for (const rdn of rdns) {
    const attributes: Bytes[] = [];
    for (const { oid: type, value } of rdn) {
      const string = ia5Types.has(type) ? ia5String(value) : directoryString(value);
      attributes.push(sequence(oid(type), string));
    }
    sets.push(set(...attributes));
  }
  return tlvOf(0x30, sets);
}

/** Reports whether a name (DER) is an empty SEQUENCE, that is, has no attributes. */
export const isEmptyName = (der: Uint8Array): boolean => der.length <= 2;

/** Decodes big-endian code units of two or four bytes. */
function wideText(bytes: Uint8Array, size: 2 | 4, reader: Reader): string {
  if (bytes.length % size !== 0) throw reader.refuse("a string ends in the middle of a character");
  let text = "";
  for (let at = 0; at < bytes.length; at += size) {
    let code = 0;
    for (let i = 0; i < size; i++) code = code * 256 + (bytes[at + i] ?? 0);
    if (code > 0x10ffff || (size === 4 && code >= 0xd800 && code < 0xe000))
      throw reader.refuse("a string has an invalid code point");
    text += size === 2 ? String.fromCharCode(code) : String.fromCodePoint(code);
  }
  if (/\p{Surrogate}/u.test(text)) throw reader.refuse("a string has an unpaired surrogate");
  return text;
}

function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/**
 * Returns the text of a string element, or `#` and the hexadecimal DER for other types (RFC 4514
 * section 2.4).
 */
function textOf({ tag, content, der }: Element, reader: Reader): string {
  switch (tag) {
    case 0x0c:
      try {
        return fromUtf8(content);
      } catch {
        throw reader.refuse("a UTF8String is not UTF-8");
      }
    case 0x12:
    case 0x13:
    case 0x16:
    case 0x1a:
      if (content.some((byte) => byte >= 0x80))
        throw reader.refuse("a string of an ASCII type has non-ASCII characters");
      return latin1(content);
    case 0x14:
      return latin1(content);
    case 0x1e:
      return wideText(content, 2, reader);
    case 0x1c:
      return wideText(content, 4, reader);
    default:
      return `#${toHex(der)}`;
  }
}

/** Tags of the strings that `textOf` decodes, and of BIT STRING. */
const nameTags: ReadonlySet<number> = new Set([
  0x03, 0x0c, 0x12, 0x13, 0x14, 0x16, 0x1a, 0x1c, 0x1e,
]);

function parseRdn(members: Reader): Rdn {
  const attributes: Attribute[] = [];
  let last: Uint8Array | undefined;
  while (members.tag !== undefined) {
    const { der } = members.element("an attribute", 0x30);
    if (last && compareBytes(last, der) > 0)
      throw members.refuse("the attributes are not in DER order");
    last = der;
    const attribute = readDer(der, "name").enter("an attribute");
    const type = attribute.oid("the type");
    const element = attribute.element("the value");
    attributes.push({
      oid: type,
      value: textOf(element, attribute),
      ...(nameTags.has(element.tag) ? {} : { opaque: true }),
    });
    attribute.end();
  }
  if (attributes.length === 0) throw members.refuse("has no attributes");
  return attributes;
}

/**
 * Parses a Name. Converts UTF8, Printable, IA5, Numeric, Visible, T61 (as Latin-1), BMP and
 * Universal strings to text. Throws `CaError` `malformed`.
 */
export function parseName(der: Uint8Array): readonly Rdn[] {
  const outer = readDer(der, "name").enter("Name");
  const rdns: Rdn[] = [];
  while (outer.tag !== undefined) rdns.push(parseRdn(outer.enter("RDN", 0x31)));
  return rdns;
}

/**
 * Normalizes an RDN for comparison (RFC 5280 section 7.1): converts ASCII letters to one case,
 * removes surrounding white space and folds inner white space.
 */
export const comparableRdn = (rdn: Rdn): string =>
  rdn
    .map(({ oid, value }) => JSON.stringify([oid, lowerAscii(value.trim().replace(/ +/g, " "))]))
    .sort()
    .join();

/**
 * Reports whether two names match by RFC 5280 section 7.1, which compares characters regardless of
 * string types.
 */
export const isSameName = (a: Uint8Array, b: Uint8Array): boolean =>
  compareBytes(a, b) === 0 || comparableName(a) === comparableName(b);
/**
 * Returns a string that is the same for all names that match (RFC 5280 section 7.1). Throws
 * `CaError` `malformed` if the name cannot be parsed.
 */
export const comparableName = (der: Uint8Array): string =>
  JSON.stringify(parseName(der).map(comparableRdn));

/**
 * Characters allowed in string types that other parsers check strictly, by tag. PrintableString
 * includes `*` and `&`, which many encoders use and most parsers accept.
 */
const characters: ReadonlyMap<number, RegExp> = new Map([
  [0x12, /^[0-9 ]*$/],
  [0x13, /^[A-Za-z0-9 '()+,\-./:=?*&]*$/],
  // the meaning of TeletexString is unclear beyond ASCII
  // eslint-disable-next-line no-control-regex -- ASCII; controls are rejected elsewhere
  [0x14, /^[\x00-\x7f]*$/],
]);

/**
 * Rejects a name that `parseName` accepts but other parsers may not: a name with characters that
 * its string type does not allow, or with the same attribute twice in an RDN. Throws `CaError`
 * `malformed`.
 */
export function checkName(der: Uint8Array): void {
  parseName(der);
  const outer = readDer(der, "name").enter("Name");
  while (outer.tag !== undefined) {
    const members = outer.enter("RDN", 0x31);
    const seen = new Set<string>();
    for (let count = 1; members.tag !== undefined; count++) {
      if (seen.add(toHex(members.peek("an attribute"))).size < count)
        throw members.refuse("duplicate attribute");
      const attribute = members.enter("an attribute");
      attribute.oid("the type");
      const { tag, content } = attribute.element("the value");
      if (characters.get(tag)?.test(latin1(content)) === false)
        throw attribute.refuse("a string has characters that its type does not allow");
    }
  }
}

const shortNames: ReadonlyMap<string, string> = new Map([
  [nameOid.commonName, "CN"],
  [nameOid.locality, "L"],
  [nameOid.province, "ST"],
  [nameOid.organization, "O"],
  [nameOid.organizationalUnit, "OU"],
  [nameOid.country, "C"],
  [nameOid.street, "STREET"],
  [nameOid.domainComponent, "DC"],
  [nameOid.userId, "UID"],
  [nameOid.serialNumber, "serialNumber"],
  [nameOid.postalCode, "postalCode"],
  [nameOid.surname, "SN"],
  [nameOid.givenName, "GN"],
  [nameOid.title, "title"],
  [nameOid.email, "emailAddress"],
  ["2.5.4.13", "description"],
  ["2.5.4.15", "businessCategory"],
  ["2.5.4.16", "postalAddress"],
  ["2.5.4.20", "telephoneNumber"],
  ["2.5.4.41", "name"],
  ["2.5.4.43", "initials"],
  ["2.5.4.44", "generationQualifier"],
  ["2.5.4.45", "x500UniqueIdentifier"],
  ["2.5.4.46", "dnQualifier"],
  ["2.5.4.65", "pseudonym"],
  ["2.5.4.72", "role"],
  ["2.5.4.97", "organizationIdentifier"],
  ["0.9.2342.19200300.100.1.3", "mail"],
  ["1.2.840.113549.1.9.2", "unstructuredName"],
  ["1.2.840.113549.1.9.8", "unstructuredAddress"],
  ["1.3.6.1.4.1.311.60.2.1.1", "jurisdictionL"],
  ["1.3.6.1.4.1.311.60.2.1.2", "jurisdictionST"],
  ["1.3.6.1.4.1.311.60.2.1.3", "jurisdictionC"],
]);

// eslint-disable-next-line no-control-regex -- a terminal or a page would act on these
const control = /[\x00-\x1f\x7f]/g;

const escapeValue = (value: string): string =>
  value
    .replace(/[\\"+,;<>]/g, "\\$&")
    .replace(/ $/, "\\ ")
    .replace(/^[ #]/, "\\$&")
    .replace(
      control,
      (char) => `\\${char.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
    );

function attributeText({ oid: type, value }: Attribute): string {
  return `${shortNames.get(type) ?? type}=${/^#([0-9a-f]{2})+$/.test(value) ? value : escapeValue(value)}`;
}

/**
 * Formats a name for display, last RDN first, escaped (RFC 4514): `CN=www.example.com,O=Example`.
 * To compare names, use `isSameName`.
 */
export const nameText = (der: Uint8Array): string =>
  [...parseName(der)]
    .reverse()
    .map((rdn) => rdn.map(attributeText).join("+"))
    .join(",");

/** Returns the values of one attribute type in a parsed name, in order. */
export function valuesOfType(rdns: readonly Rdn[], type: string): readonly string[] {
  const values: string[] = [];
  for (const { oid: own, value } of rdns.flat()) if (own === type) values.push(value);
  return values;
}
/** Returns the values of one attribute type in a name, in order. */
export const nameValues = (der: Uint8Array, type: string): readonly string[] =>
  valuesOfType(parseName(der), type);
