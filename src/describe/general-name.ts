import { colonHex, toHex } from "../base/bytes.ts";
import { readDer, type Reader } from "../base/der.ts";
import { cidrText, ipToText } from "../x509/address.ts";
import { nameText } from "../x509/name.ts";
import { elementText, namedOid, readText } from "./element-text.ts";
import { oidName } from "./oid-names.ts";
import { stringText } from "./string-text.ts";

/** A GeneralName as text: its kind, such as `DNS`, and its value, such as `www.example.com`. */
export interface KindOfName {
  readonly kind: string;
  readonly value: string;
}

function permanentIdentifier(value: Reader): string {
  const body = value.enter("PermanentIdentifier");
  const text = body.tag === 0x0c ? readText(body, "the identifier") : "";
  const assigner = body.tag === 0x06 ? `assigned by ${body.oid("the assigner")}` : "";
  return [text, assigner].filter(Boolean).join(", ");
}

function hardwareModule(value: Reader): string {
  const body = value.enter("HardwareModuleName");
  return `type ${body.oid("the type")}, serial ${colonHex(body.octets("the serial number"))}`;
}

function kerberosPrincipal(value: Reader): string {
  const body = value.enter("KRB5PrincipalName");
  const realm = readText(body.enter("the realm", 0xa0), "the realm");
  const name = body.enter("the principal", 0xa1).enter("PrincipalName");
  name.optional("the type", 0xa0);
  const parts = name.enter("the names", 0xa1).enter("the names");
  const names: string[] = [];
  while (parts.tag !== undefined)
    names.push(stringText({ ...parts.element("a name"), tag: 0x0c }) ?? "");
  return `${names.join("/")}@${realm}`;
}

/** Readers of otherName values that are not simple strings, by type. */
const otherReaders: Readonly<Record<string, (value: Reader) => string>> = {
  "1.3.6.1.5.5.7.8.3": permanentIdentifier,
  "1.3.6.1.5.5.7.8.4": hardwareModule,
  "1.3.6.1.5.2.2": kerberosPrincipal,
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function readOther(reader: Reader): KindOfName {
  const other = reader.enter("an otherName", 0xa0);
  const type = other.oid("the type");
  const value = other.enter("the value", 0xa0);
  const name = oidName(type);
  const read = Object.hasOwn(otherReaders, type) ? otherReaders[type] : undefined;
  return {
    kind: name === undefined ? `Other ${type}` : capital(name),
    value: read ? read(value) : elementText(value.element("the value")),
  };
}

/** Formats an IP address, or the IP address and mask of a name constraint. */
const ipText = (bytes: Uint8Array): string =>
  bytes.length === 4 || bytes.length === 16 ? ipToText(bytes) : (cidrText(bytes) ?? toHex(bytes));

function readEdiParty(reader: Reader): string {
  const party = reader.enter("an ediPartyName", 0xa5);
  const texts: string[] = [];
  while (party.tag !== undefined)
    texts.push(readText(party.enter("a name", party.tag), "the text"));
  return texts.reverse().join(", assigned by ");
}

const text = (content: Uint8Array): string => stringText({ tag: 0x0c, content }) ?? "";

/** Reads a GeneralName of any kind (RFC 5280 section 4.2.1.6). Throws `CaError` `malformed`. */
export function readGeneralName(reader: Reader): KindOfName {
  switch (reader.tag) {
    case 0xa0:
      return readOther(reader);
    case 0x81:
      return { kind: "E-mail", value: text(reader.content("an e-mail address", 0x81)) };
    case 0x82:
      return { kind: "DNS", value: text(reader.content("a DNS name", 0x82)) };
    case 0xa3:
      return { kind: "X.400", value: toHex(reader.content("an X.400 address", 0xa3)) };
    case 0xa4:
      return {
        kind: "Directory",
        value: nameText(reader.enter("a directory name", 0xa4).raw("the name", 0x30)),
      };
    case 0xa5:
      return { kind: "EDI party", value: readEdiParty(reader) };
    case 0x86:
      return { kind: "URI", value: text(reader.content("a URI", 0x86)) };
    case 0x87:
      return { kind: "IP", value: ipText(reader.content("an IP address", 0x87)) };
    case 0x88:
      return { kind: "Registered ID", value: namedOid(reader.oid("a registered ID", 0x88)) };
    default:
      throw reader.refuse(`unknown GeneralName type (tag 0x${reader.tag?.toString(16)})`);
  }
}

/** Formats a name with its kind: `DNS: www.example.com`. */
export const generalNameText = ({ kind, value }: KindOfName): string => `${kind}: ${value}`;

/** Reads all remaining names. */
export function readGeneralNames(names: Reader): readonly KindOfName[] {
  const result: KindOfName[] = [];
  while (names.tag !== undefined) result.push(readGeneralName(names));
  return result;
}

/**
 * Parses the value of a subject or issuer alternative name extension. Throws `CaError` `malformed`.
 */
export function readAlternativeNames(value: Uint8Array): readonly KindOfName[] {
  const names = readDer(value, "alternative name").enter("GeneralNames");
  if (names.tag === undefined) throw names.refuse("it is empty");
  return readGeneralNames(names);
}
