import { colonHex } from "../../base/bytes.ts";
import { readDer, tlv, type Reader } from "../../base/der.ts";
import { readBasicConstraints } from "../../x509/basic-constraints.ts";
import { readSubjectKeyIdentifier } from "../../x509/key-identifiers.ts";
import { extensionOid } from "../../x509/oid.ts";
import { extKeyUsageName, readExtKeyUsage, readKeyUsage } from "../../x509/usage.ts";
import { elementText, namedOid, timeText } from "../element-text.ts";
import {
  generalNameText,
  readAlternativeNames,
  readGeneralNames,
  readGeneralName,
} from "../general-name.ts";
import { oidName } from "../oid-names.ts";
import type { ExtensionReaders } from "./reader.ts";

function constraintLines(value: Uint8Array): readonly string[] {
  const { ca, pathLength } = readBasicConstraints(value);
  return [
    ca ? "Certificate authority" : "Not a certificate authority",
    ...(pathLength === undefined ? [] : [`Path length: ${pathLength}`]),
  ];
}

function authorityKeyLines(value: Uint8Array): readonly string[] {
  const body = readDer(value, "authority key identifier").enter("AuthorityKeyIdentifier");
  const lines: string[] = [];
  if (body.tag === 0x80) lines.push(colonHex(body.content("the identifier", 0x80)));
  const issuer = body.optional("the issuer", 0xa1);
  if (issuer) lines.push(...readGeneralNames(issuer).map((name) => `Issuer: ${name.value}`));
  if (body.tag === 0x82) lines.push(`Serial: ${colonHex(body.integer("the serial number", 0x82))}`);
  return lines.length > 0 ? lines : ["Empty"];
}

const methodNames: Readonly<Record<string, string>> = { "CA issuers": "Issuer" };

/**
 * Returns a line with the method and location of each access description in an authority or subject
 * information access extension.
 */
function accessLines(value: Uint8Array): readonly string[] {
  const list = readDer(value, "information access").enter("InfoAccess");
  const lines: string[] = [];
  while (list.tag !== undefined) {
    const item = list.enter("an access description");
    const method = item.oid("the method");
    const name = oidName(method) ?? method;
    const location = readGeneralName(item);
    lines.push(
      `${methodNames[name] ?? name}: ${location.kind === "URI" ? location.value : generalNameText(location)}`,
    );
  }
  return lines;
}

function subtreeLines(label: string, list: Reader | undefined): readonly string[] {
  const lines: string[] = [];
  while (list?.tag !== undefined)
    lines.push(`${label} ${generalNameText(readGeneralName(list.enter("a subtree")))}`);
  return lines;
}

function nameConstraintLines(value: Uint8Array): readonly string[] {
  const body = readDer(value, "name constraints").enter("NameConstraints");
  return [
    ...subtreeLines("Permitted", body.optional("permitted", 0xa0)),
    ...subtreeLines("Excluded", body.optional("excluded", 0xa1)),
  ];
}

const implicitTime = (reader: Reader, what: string, tag: number): string =>
  timeText(1000 * readDer(tlv(0x18, reader.content(what, tag)), what).generalizedTime(what));

function usagePeriodLines(value: Uint8Array): readonly string[] {
  const body = readDer(value, "private key usage period").enter("PrivateKeyUsagePeriod");
  return [
    ...(body.tag === 0x80 ? [`From: ${implicitTime(body, "notBefore", 0x80)}`] : []),
    ...(body.tag === 0x81 ? [`Until: ${implicitTime(body, "notAfter", 0x81)}`] : []),
  ];
}

function directoryAttributeLines(value: Uint8Array): readonly string[] {
  const list = readDer(value, "subject directory attributes").enter("Attributes");
  const lines: string[] = [];
  while (list.tag !== undefined) {
    const attribute = list.enter("an attribute");
    const type = namedOid(attribute.oid("the type"));
    const values = attribute.enter("the values", 0x31);
    while (values.tag !== undefined)
      lines.push(`${type}: ${elementText(values.element("a value"))}`);
  }
  return lines;
}

/** Descriptions of the TLS extensions that a certificate can require. */
const features: Readonly<Record<number, string>> = {
  5: "status_request: a stapled OCSP response is required (must-staple)",
  17: "status_request_v2: stapled OCSP responses are required",
};

function featureLines(value: Uint8Array): readonly string[] {
  const list = readDer(value, "TLS feature").enter("Features");
  const lines: string[] = [];
  while (list.tag !== undefined) {
    const feature = list.number("a feature");
    lines.push(features[feature] ?? `TLS extension ${feature}`);
  }
  return lines;
}

const usageLines = (value: Uint8Array): readonly string[] =>
  readExtKeyUsage(value).map((oid) => extKeyUsageName(oid) ?? oidName(oid) ?? oid);

const altNameLines = (value: Uint8Array): readonly string[] =>
  readAlternativeNames(value).map(generalNameText);

/** Returns a reader for an extension whose value is always NULL. */
const presence =
  (line: string) =>
  (value: Uint8Array): readonly string[] => {
    readDer(value, "extension").null("the value");
    return [line];
  };

/**
 * Readers of certificate extensions (RFC 5280 section 4.2, RFC 7633, RFC 6960, RFC 9608, RFC 8737).
 */
export const certificateReaders: ExtensionReaders = {
  [extensionOid.keyUsage]: readKeyUsage,
  [extensionOid.extKeyUsage]: usageLines,
  [extensionOid.basicConstraints]: constraintLines,
  [extensionOid.subjectKeyIdentifier]: (value) => [colonHex(readSubjectKeyIdentifier(value))],
  [extensionOid.authorityKeyIdentifier]: authorityKeyLines,
  [extensionOid.authorityInfoAccess]: accessLines,
  [extensionOid.subjectInfoAccess]: accessLines,
  [extensionOid.subjectAltName]: altNameLines,
  [extensionOid.issuerAltName]: altNameLines,
  [extensionOid.nameConstraints]: nameConstraintLines,
  [extensionOid.privateKeyUsagePeriod]: usagePeriodLines,
  [extensionOid.subjectDirectoryAttributes]: directoryAttributeLines,
  [extensionOid.tlsFeature]: featureLines,
  [extensionOid.ocspNoCheck]: presence(
    "Present: clients do not check whether this responder's certificate is revoked",
  ),
  [extensionOid.noRevAvail]: presence("Present: no revocation information is available"),
  [extensionOid.acmeIdentifier]: (value) => [
    `SHA-256 of the key authorization: ${colonHex(readDer(value, "ACME identifier").octets("the hash"))}`,
  ],
};
