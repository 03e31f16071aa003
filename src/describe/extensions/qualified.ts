import { colonHex } from "../../base/bytes.ts";
import { readDer, type Reader } from "../../base/der.ts";
import { elementText, integerText, namedOid, readText } from "../element-text.ts";
import { generalNameText, readGeneralNames } from "../general-name.ts";
import { oidName } from "../oid-names.ts";
import type { ExtensionReaders } from "./reader.ts";

function limitLine(info: Reader): string {
  const body = info.enter("the limit");
  const currency = elementText(body.element("the currency"));
  const amount = integerText(body.integer("the amount"));
  const exponent = body.number("the exponent");
  return `Transaction limit: ${amount}${"0".repeat(Math.min(exponent, 30))} ${currency}`;
}

function disclosureLine(info: Reader): string {
  const list = info.enter("the statements");
  const all: string[] = [];
  while (list.tag !== undefined) {
    const one = list.enter("a statement");
    const url = readText(one, "the URL");
    all.push(`${url} (${readText(one, "the language")})`);
  }
  return `Disclosure statement: ${all.join(", ")}`;
}

/** Formats the elements of a list, with the names of object identifiers. */
function listText(info: Reader): string {
  const list = info.enter("the list");
  const all: string[] = [];
  while (list.tag !== undefined) {
    const element = list.element("an entry");
    all.push(
      element.tag === 0x06
        ? namedOid(readDer(element.der, "an entry").oid("the type"))
        : elementText(element),
    );
  }
  return all.join(", ");
}

function semanticsLine(info: Reader, profile: string): string {
  const body = info.enter("the semantics");
  const meaning = body.tag === 0x06 ? [`semantics ${namedOid(body.oid("the semantics"))}`] : [];
  const authorities = body.optional("nameRegistrationAuthorities", 0x30);
  const names = authorities
    ? [`names registered by ${readGeneralNames(authorities).map(generalNameText).join(", ")}`]
    : [];
  return [profile, ...meaning, ...names].join(", ");
}

function paymentLine(info: Reader): string {
  const body = info.enter("PSD2QcType");
  const list = body.enter("the roles");
  const roles: string[] = [];
  while (list.tag !== undefined) {
    const role = list.enter("a role");
    const oid = role.oid("the role");
    roles.push(oidName(oid) ?? oid);
  }
  const authority = readText(body, "the authority");
  return `Payment services (PSD2): ${roles.join(", ")}; supervised by ${authority}, ${readText(body, "its identifier")}`;
}

/**
 * Functions that describe qualified certificate statements (RFC 3739 section 3.2.6, ETSI EN 319
 * 412-5, ETSI TS 119 495), by object identifier.
 */
const statements: Readonly<Record<string, (info: Reader) => string>> = {
  "0.4.0.1862.1.1": () => "Qualified certificate (EU)",
  "0.4.0.1862.1.2": limitLine,
  "0.4.0.1862.1.3": (info) =>
    `Records are retained for ${integerText(info.integer("the years"))} years`,
  "0.4.0.1862.1.4": () => "The key is in a qualified signature or seal creation device (QSCD)",
  "0.4.0.1862.1.5": disclosureLine,
  "0.4.0.1862.1.6": (info) => `Type: ${listText(info)}`,
  "0.4.0.1862.1.7": (info) => `Legislation of ${listText(info)}`,
  "0.4.0.19495.2": paymentLine,
  "1.3.6.1.5.5.7.11.1": (info) => semanticsLine(info, "Profile of RFC 3039"),
  "1.3.6.1.5.5.7.11.2": (info) => semanticsLine(info, "Profile of RFC 3739"),
};

const needsNothing: ReadonlySet<string> = new Set(["0.4.0.1862.1.1", "0.4.0.1862.1.4"]);

function statementLines(value: Uint8Array): readonly string[] {
  const list = readDer(value, "qualified certificate statements").enter("QCStatements");
  const lines: string[] = [];
  while (list.tag !== undefined) {
    const statement = list.enter("a statement");
    const id = statement.oid("the identifier");
    const read = Object.hasOwn(statements, id) ? statements[id] : undefined;
    if (read && (statement.tag !== undefined || needsNothing.has(id))) lines.push(read(statement));
    else
      lines.push(
        statement.tag === undefined
          ? namedOid(id)
          : `${namedOid(id)}: ${elementText(statement.element("the information"))}`,
      );
  }
  return lines;
}

const biometricTypes = ["picture", "handwritten signature"];

function biometricLines(value: Uint8Array): readonly string[] {
  const list = readDer(value, "biometric information").enter("BiometricSyntax");
  const lines: string[] = [];
  while (list.tag !== undefined) {
    const data = list.enter("biometric data");
    const type =
      data.tag === 0x02
        ? (biometricTypes[data.number("the type")] ?? "unknown type")
        : namedOid(data.oid("the type"));
    const hash = data.enter("the hash algorithm").oid("the algorithm");
    lines.push(`${type}: ${oidName(hash) ?? hash} ${colonHex(data.octets("the hash"))}`);
    if (data.tag !== undefined) lines.push(`Source: ${readText(data, "the source")}`);
  }
  return lines;
}

/** Readers of extensions in qualified certificates (RFC 3739). */
export const qualifiedReaders: ExtensionReaders = {
  "1.3.6.1.5.5.7.1.3": statementLines,
  "1.3.6.1.5.5.7.1.2": biometricLines,
};
