import { fromUtf8, type Bytes } from "../base/bytes.ts";
import {
  explicit,
  ia5String,
  octets,
  oid,
  readDer,
  tlvOf,
  utf8String,
  type Reader,
} from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { uriHost } from "../base/uri.ts";
import { ipToBytes, ipToText } from "./address.ts";
import { encodeDeviceName, type DeviceName } from "./device-name.ts";
import type { Extension } from "./extension.ts";
import { checkName } from "./name.ts";
import { extensionOid } from "./oid.ts";

/** The names in a SubjectAltName extension by kind, each kind in order. */
export interface GeneralNames {
  readonly dns: readonly string[];
  readonly email: readonly string[];
  /** IPv4 and IPv6 addresses in text form. */
  readonly ip: readonly string[];
  readonly uri: readonly string[];
  /** otherNames with a UTF8String value, such as user principal names. */
  readonly other: readonly { readonly oid: string; readonly value: string }[];
  /** Device names to encode. Parsed device names are in `unreadable`; see `readDeviceNames`. */
  readonly device?: readonly DeviceName[];
  /** DER of directory names. */
  readonly directory?: readonly Uint8Array[];
  /** Names copied from a CSR that have no text form; see `ParsedNames`. */
  readonly unreadable?: readonly string[];
}

/** The names parsed from GeneralNames, by kind. */
export interface ParsedNames extends GeneralNames {
  readonly directory: readonly Uint8Array[];
  /**
   * Names without a text form: `otherName 1.2.3`, `x400Address`, `ediPartyName`, `registeredID
   * 1.2.3`.
   */
  readonly unreadable: readonly string[];
}

/** An empty set of names. */
export const noNames: ParsedNames = {
  dns: [],
  email: [],
  ip: [],
  uri: [],
  other: [],
  directory: [],
  unreadable: [],
};

function ipName(text: string): Bytes {
  const bytes = ipToBytes(text);
  if (!bytes) throw new CaError("malformed", `not an IP address: ${text.slice(0, 80)}`);
  return octets(bytes, 0x87);
}

/** Encodes the GeneralName of a URI. */
export const uriName = (uri: string): Bytes => ia5String(uri, 0x86);
/** Encodes the GeneralName of a DNS name. */
export const dnsName = (name: string): Bytes => ia5String(name, 0x82);
/** Encodes the GeneralName of an email address. */
export const emailName = (address: string): Bytes => ia5String(address, 0x81);

/**
 * Encodes a SubjectAltName value. With `names-first`, the order is DNS, email, IP, URI, otherName.
 * With `other-first`, otherNames come first. Directory names are always last. Throws `CaError`
 * `malformed` for names that cannot be encoded as their type.
 */
export function encodeSan(
  names: GeneralNames,
  order: "names-first" | "other-first" = "names-first",
): Bytes {
  const other = [
    ...names.other.map(({ oid: type, value }) =>
      tlvOf(0xa0, [oid(type), explicit(0, utf8String(value))]),
    ),
    ...(names.device ?? []).map(encodeDeviceName),
  ];
  const plain = [
    ...names.dns.map(dnsName),
    ...names.email.map(emailName),
    ...names.ip.map(ipName),
    ...names.uri.map(uriName),
  ];
  const directory = (names.directory ?? []).map((name) => explicit(4, name));
  return tlvOf(
    0x30,
    order === "other-first"
      ? [...other, ...plain, ...directory]
      : [...plain, ...other, ...directory],
  );
}

/**
 * Returns a SubjectAltName extension, or undefined if there are no names. It must be critical if
 * the subject is empty (RFC 5280 section 4.2.1.6).
 */
export function subjectAltName(
  names: GeneralNames,
  critical: boolean,
  order: "names-first" | "other-first" = "names-first",
): Extension | undefined {
  const count =
    names.dns.length +
    names.email.length +
    names.ip.length +
    names.uri.length +
    names.other.length +
    (names.device?.length ?? 0) +
    (names.directory?.length ?? 0);
  return count === 0
    ? undefined
    : { oid: extensionOid.subjectAltName, critical, value: encodeSan(names, order) };
}

/** Reads an implicitly tagged IA5String of ASCII characters. */
export function readAscii(reader: Reader, what: string, tag: number): string {
  const bytes = reader.content(what, tag);
  if (bytes.some((byte) => byte >= 0x80)) throw reader.refuse(`${what} is not ASCII`);
  return fromUtf8(bytes);
}

function readIp(reader: Reader): string {
  const bytes = reader.content("an IP address", 0x87);
  if (bytes.length !== 4 && bytes.length !== 16)
    throw reader.refuse("an IP address has neither 4 nor 16 bytes");
  return ipToText(bytes);
}

type Growing<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : never };

function readOther(reader: Reader, names: Growing<ParsedNames>): void {
  const other = reader.enter("an otherName", 0xa0);
  const type = other.oid("the type");
  const value = other.enter("the value", 0xa0);
  other.end();
  const { tag, content } = value.element("the text");
  value.end();
  if (tag !== 0x0c) {
    names.unreadable.push(`otherName ${type}`);
    return;
  }
  try {
    names.other.push({ oid: type, value: fromUtf8(content) });
  } catch {
    throw value.refuse("the text is not UTF-8");
  }
}

function readName(reader: Reader, names: Growing<ParsedNames>): void {
  switch (reader.tag) {
    case 0x81:
      names.email.push(readAscii(reader, "an email address", 0x81));
      return;
    case 0x82:
      names.dns.push(readAscii(reader, "a DNS name", 0x82));
      return;
    case 0x86:
      names.uri.push(readAscii(reader, "a URI", 0x86));
      return;
    case 0x87:
      names.ip.push(readIp(reader));
      return;
    case 0xa0:
      return readOther(reader, names);
    case 0xa4: {
      const inner = reader.enter("a directory name", 0xa4);
      names.directory.push(inner.raw("the name", 0x30));
      return inner.end();
    }
    case 0x88:
      names.unreadable.push(`registeredID ${reader.oid("a registered ID", 0x88)}`);
      return;
    case 0xa3:
    case 0xa5:
      names.unreadable.push(reader.tag === 0xa3 ? "x400Address" : "ediPartyName");
      reader.element("a name");
      return;
    default:
      throw reader.refuse(`unknown GeneralName type (tag 0x${reader.tag?.toString(16)})`);
  }
}

/** Parses all remaining names of a reader that is inside GeneralNames. */
export function readNames(reader: Reader): ParsedNames {
  const names: Growing<ParsedNames> = {
    dns: [],
    email: [],
    ip: [],
    uri: [],
    other: [],
    directory: [],
    unreadable: [],
  };
  while (reader.tag !== undefined) readName(reader, names);
  return names;
}

/**
 * Parses a SubjectAltName value. Throws `CaError` `malformed` if it cannot be parsed or is empty.
 */
export function parseSan(der: Uint8Array): ParsedNames {
  const outer = readDer(der, "subject alternative name").enter("GeneralNames");
  if (outer.tag === undefined) throw outer.refuse("is empty");
  return readNames(outer);
}

/**
 * Rejects names that must not be copied into a certificate: an empty list, and directory names and
 * URIs that other parsers may reject (RFC 5280 section 4.2.1.6).
 */
export function checkNames(reader: Reader): void {
  if (reader.tag === undefined) throw reader.refuse("is empty");
  const names = readNames(reader);
  names.directory.forEach(checkName);
  for (const uri of names.uri)
    if (uriHost(uri) === undefined)
      throw reader.refuse("a URI is not absolute or cannot be parsed");
}

/** Checks the single name at the reader's position as `checkNames` does. */
export function checkOneName(reader: Reader, what: string): void {
  checkNames(readDer(reader.raw(what), reader.where));
}
