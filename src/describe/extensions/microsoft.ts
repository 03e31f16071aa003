import { colonHex } from "../../base/bytes.ts";
import { readDer } from "../../base/der.ts";
import { elementText, integerText, readText } from "../element-text.ts";
import { generalNameText, readGeneralNames } from "../general-name.ts";
import type { ExtensionReaders } from "./reader.ts";

function templateLines(value: Uint8Array): readonly string[] {
  const body = readDer(value, "certificate template").enter("CertificateTemplate");
  const id = body.oid("the template");
  const [major, minor] = ["the major version", "the minor version"].map((what) =>
    body.tag === 0x02 ? integerText(body.integer(what)) : undefined,
  );
  return [
    `Template: ${id}`,
    ...(major === undefined ? [] : [`Version: ${major}${minor === undefined ? "" : `.${minor}`}`]),
  ];
}

/**
 * Returns the line for a CA version. The low half of the number is the certificate's index, and the
 * high half is the key's index.
 */
function versionLines(value: Uint8Array): readonly string[] {
  const version = readDer(value, "CA version").number("the version");
  return [`Certificate ${version % 65_536}, key ${Math.floor(version / 65_536)}`];
}

/**
 * Returns a line for each security identifier, which is an otherName whose value is an OCTET
 * STRING.
 */
function securityIdentifierLines(value: Uint8Array): readonly string[] {
  const names = readDer(value, "security identifier").enter("the names");
  const lines: string[] = [];
  while (names.tag !== undefined) {
    const other = names.enter("a name", 0xa0);
    const type = other.oid("the type");
    const text = new TextDecoder().decode(other.enter("the value", 0xa0).octets("the identifier"));
    lines.push(type === "1.3.6.1.4.1.311.25.2.1" ? `SID: ${text}` : `${type}: ${text}`);
  }
  return lines;
}

function locationLines(value: Uint8Array): readonly string[] {
  const list = readDer(value, "published CRL locations").enter("the locations");
  const lines: string[] = [];
  while (list.tag !== undefined) {
    const names = list.enter("a location").enter("the name", 0xa0).enter("fullName", 0xa0);
    lines.push(...readGeneralNames(names).map(generalNameText));
  }
  return lines;
}

/** Readers of extensions from Active Directory Certificate Services ([MS-WCCE] section 2.2.2.7). */
export const microsoftReaders: ExtensionReaders = {
  "1.3.6.1.4.1.311.20.2": (value) => [
    `Template: ${readText(readDer(value, "template name"), "the name")}`,
  ],
  "1.3.6.1.4.1.311.21.1": versionLines,
  "1.3.6.1.4.1.311.21.2": (value) => [
    `SHA-1: ${colonHex(readDer(value, "previous CA certificate hash").octets("the hash"))}`,
  ],
  "1.3.6.1.4.1.311.21.3": (value) => [
    integerText(readDer(value, "virtual base").integer("the number")),
  ],
  "1.3.6.1.4.1.311.21.4": (value) => [
    elementText(readDer(value, "next publication").element("the time")),
  ],
  "1.3.6.1.4.1.311.21.7": templateLines,
  "1.3.6.1.4.1.311.21.14": locationLines,
  "1.3.6.1.4.1.311.25.2": securityIdentifierLines,
};
