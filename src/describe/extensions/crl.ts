import { readDer, tlv, type Reader } from "../../base/der.ts";
import { revocationReasons } from "../../x509/crl.ts";
import { nameText } from "../../x509/name.ts";
import { extensionOid } from "../../x509/oid.ts";
import { bitNames, integerText, namedOid, timeText } from "../element-text.ts";
import { generalNameText, readGeneralNames, type KindOfName } from "../general-name.ts";
import type { ExtensionReaders } from "./reader.ts";

/** Names of the bits of ReasonFlags (RFC 5280 section 4.2.1.13). */
const reasonFlags = [
  "unused",
  "key compromise",
  "CA compromise",
  "affiliation changed",
  "superseded",
  "cessation of operation",
  "certificate hold",
  "privilege withdrawn",
  "AA compromise",
];

const reasonNames: ReadonlyMap<number, string> = new Map(
  Object.entries(revocationReasons).map(([name, code]) => [code, name]),
);

const plainUri = (name: KindOfName): string =>
  name.kind === "URI" ? name.value : generalNameText(name);

/**
 * Reads a DistributionPointName, which consists of full names such as URLs, or of a name relative
 * to the issuer.
 */
function pointNames(point: Reader): readonly string[] {
  const full = point.optional("fullName", 0xa0);
  if (full) return readGeneralNames(full).map(plainUri);
  const relative = point.content("the relative name", 0xa1);
  return [`Relative to the issuer: ${nameText(tlv(0x30, tlv(0x31, relative)))}`];
}

/** Returns the lines for the CRL distribution points or freshest CRL extension. */
function pointLines(value: Uint8Array): readonly string[] {
  const list = readDer(value, "CRL distribution points").enter("CRLDistributionPoints");
  const lines: string[] = [];
  while (list.tag !== undefined) {
    const point = list.enter("a distribution point");
    const name = point.optional("the distribution point name", 0xa0);
    if (name) lines.push(...pointNames(name));
    if (point.tag === 0x81)
      lines.push(
        `Reasons: ${bitNames(point.bitString("the reasons", 0x81), reasonFlags).join(", ")}`,
      );
    const issuer = point.optional("the CRL issuer", 0xa2);
    if (issuer)
      lines.push(...readGeneralNames(issuer).map((one) => `CRL issuer: ${generalNameText(one)}`));
  }
  return lines;
}

/** The lines for the flags of an issuing distribution point, by tag. */
const scopes = [
  [0x81, "Only end-entity certificates"],
  [0x82, "Only CA certificates"],
] as const;

function scopeLines(value: Uint8Array): readonly string[] {
  const body = readDer(value, "issuing distribution point").enter("IssuingDistributionPoint");
  const lines: string[] = [];
  const name = body.optional("the distribution point name", 0xa0);
  if (name) lines.push(...pointNames(name));
  for (const [tag, line] of scopes)
    if (body.tag === tag && body.boolean("the flag", tag)) lines.push(line);
  if (body.tag === 0x83)
    lines.push(
      `Only these reasons: ${bitNames(body.bitString("the reasons", 0x83), reasonFlags).join(", ")}`,
    );
  if (body.tag === 0x84 && body.boolean("indirect", 0x84))
    lines.push("Indirect: includes certificates of other issuers");
  if (body.tag === 0x85 && body.boolean("the flag", 0x85))
    lines.push("Only attribute certificates");
  return lines.length > 0 ? lines : ["All certificates of the issuer"];
}

const number =
  (before: string) =>
  (value: Uint8Array): readonly string[] => [
    `${before}${integerText(readDer(value, "CRL number").integer("the number"))}`,
  ];

const time =
  (before: string) =>
  (value: Uint8Array): readonly string[] => [
    `${before}${timeText(1000 * readDer(value, "time").generalizedTime("the time"))}`,
  ];

function reasonLines(value: Uint8Array): readonly string[] {
  const code = readDer(value, "reason code").number("the code", 0x0a);
  return [reasonNames.get(code) ?? `code ${code}`];
}

/**
 * Readers of the extensions of CRLs and their entries, and of extensions that refer to CRLs (RFC
 * 5280 sections 4.2.1.13, 5.2 and 5.3).
 */
export const crlReaders: ExtensionReaders = {
  [extensionOid.crlDistributionPoints]: pointLines,
  [extensionOid.freshestCrl]: pointLines,
  [extensionOid.issuingDistributionPoint]: scopeLines,
  [extensionOid.crlNumber]: number(""),
  [extensionOid.deltaCrlIndicator]: number("Changes since CRL number "),
  [extensionOid.reasonCode]: reasonLines,
  [extensionOid.invalidityDate]: time(""),
  [extensionOid.certificateIssuer]: (value) =>
    readGeneralNames(readDer(value, "certificate issuer").enter("GeneralNames")).map(
      generalNameText,
    ),
  "2.5.29.23": (value) => [namedOid(readDer(value, "hold instruction").oid("the instruction"))],
  "2.5.29.60": time("Includes certificates that expired since "),
};
