import { memoize } from "../base/memo.ts";
import { nameOid } from "../x509/oid.ts";
import { firstDefect, firstRepeated, quoted, when, type Lint } from "./finding.ts";
import {
  latin1,
  strictUtf8,
  type LintedAttribute,
  type LintedCertificate,
  type LintedName,
} from "./subject.ts";

const labels: ReadonlyMap<string, string> = new Map([
  [nameOid.commonName, "common name"],
  [nameOid.surname, "surname"],
  [nameOid.serialNumber, "subject serial number"],
  [nameOid.country, "country"],
  [nameOid.locality, "locality"],
  [nameOid.province, "province"],
  [nameOid.street, "street"],
  [nameOid.organization, "organization"],
  [nameOid.organizationalUnit, "organizational unit"],
  [nameOid.title, "title"],
  [nameOid.postalCode, "postal code"],
  [nameOid.givenName, "given name"],
  [nameOid.domainComponent, "domain component"],
  [nameOid.email, "e-mail address"],
  ["2.5.4.43", "initials"],
  ["2.5.4.44", "generation qualifier"],
  ["2.5.4.46", "distinguished name qualifier"],
  ["2.5.4.65", "pseudonym"],
]);
const labelOf = (oid: string): string => labels.get(oid) ?? `attribute ${oid}`;

/** Maximum lengths of attributes in characters (RFC 5280 appendix A.1, X.520). */
const maxCharacters: readonly (readonly [oid: string, limit: number])[] = [
  [nameOid.commonName, 64],
  [nameOid.organization, 64],
  [nameOid.organizationalUnit, 64],
  [nameOid.serialNumber, 64],
  [nameOid.title, 64],
  [nameOid.locality, 128],
  [nameOid.province, 128],
  [nameOid.street, 128],
  [nameOid.postalCode, 40],
  [nameOid.surname, 32768],
  [nameOid.givenName, 32768],
  [nameOid.email, 255],
  ["2.5.4.43", 32768],
  ["2.5.4.44", 32768],
  ["2.5.4.65", 128],
];

/** A distinguished name in a certificate: the subject's or the issuer's. */
interface PlacedName {
  readonly of: "Subject" | "Issuer";
  readonly name: LintedName;
}
const namesIn = ({ subject, issuer, isSelfIssued }: LintedCertificate): readonly PlacedName[] => [
  { of: "Subject", name: subject },
  ...(isSelfIssued ? [] : [{ of: "Issuer" as const, name: issuer }]),
];
/** An attribute of the subject or issuer. */
interface PlacedAttribute extends Pick<PlacedName, "of"> {
  readonly attribute: LintedAttribute;
}
/** Returns the attributes of the subject and the issuer. They are computed once for all lints. */
const attributesOf = memoize((certificate: LintedCertificate): readonly PlacedAttribute[] =>
  namesIn(certificate).flatMap(({ of, name }) =>
    name.rdns.flatMap((rdn) => rdn.map((attribute) => ({ of, attribute }))),
  ),
);
/**
 * Returns the attributes of the subject and the issuer by object identifier, because most lints
 * check a single type of attribute.
 */
const attributesByOid = memoize((certificate: LintedCertificate) => {
  const byOid = new Map<string, PlacedAttribute[]>();
  for (const one of attributesOf(certificate)) {
    const { oid } = one.attribute;
    const others = byOid.get(oid);
    if (others) others.push(one);
    else byOid.set(oid, [one]);
  }
  return byOid;
});
type IsBroken = (attribute: LintedAttribute) => boolean;
/**
 * A function that describes an invalid attribute. It is called only for the attribute to report,
 * because it is slow.
 */
type Describe = (attribute: LintedAttribute, label: string) => string;
function describeBroken(
  attributes: readonly PlacedAttribute[],
  isBroken: IsBroken,
  describe: Describe,
): string | undefined {
  const broken = attributes.find(({ attribute }) => isBroken(attribute));
  return broken && describe(broken.attribute, `${broken.of}: ${labelOf(broken.attribute.oid)}`);
}
/** Returns a lint that checks each attribute of the subject and the issuer. */
const eachAttribute =
  (isBroken: IsBroken, describe: Describe) => (certificate: LintedCertificate) =>
    describeBroken(attributesOf(certificate), isBroken, describe);
/** Returns a lint that checks each attribute of one type. */
const eachOf =
  (oid: string, isBroken: IsBroken, describe: Describe) => (certificate: LintedCertificate) =>
    describeBroken(attributesByOid(certificate).get(oid) ?? [], isBroken, describe);
const eachName =
  (defect: (name: LintedName, label: string) => string | undefined) =>
  (certificate: LintedCertificate): string | undefined =>
    firstDefect(namesIn(certificate), ({ of, name }) => defect(name, of));

const charactersOf = (text: string): number => [...text].length;
const lengthLints: readonly Lint<LintedCertificate>[] = maxCharacters.map(([oid, limit]) => [
  "error",
  `name-${labelOf(oid).replaceAll(" ", "-")}-long`,
  "RFC 5280 A.1",
  eachOf(
    oid,
    ({ text }) => text.length > limit && charactersOf(text) > limit,
    ({ text }, label) => `${label} of ${charactersOf(text)} characters; at most ${limit} allowed`,
  ),
]);

const [utf8, printable, teletex, ia5, universal, bmp] = [0x0c, 0x13, 0x14, 0x16, 0x1c, 0x1e];
const stringNames: ReadonlyMap<number, string> = new Map([
  [utf8, "UTF8String"],
  [0x12, "NumericString"],
  [printable, "PrintableString"],
  [teletex, "TeletexString"],
  [ia5, "IA5String"],
  [0x1a, "VisibleString"],
  [universal, "UniversalString"],
  [bmp, "BMPString"],
]);
/** Returns the name of the string type with the given tag. */
export const stringName = (tag: number): string =>
  stringNames.get(tag) ?? `tag 0x${tag.toString(16)}`;

/** Attributes for which only one string type is allowed (RFC 5280 appendix A.1). */
const fixedTypes: readonly (readonly [oid: string, tag: number, section: string])[] = [
  [nameOid.country, printable, "RFC 5280 A.1"],
  [nameOid.serialNumber, printable, "RFC 5280 A.1"],
  ["2.5.4.46", printable, "RFC 5280 A.1"],
  [nameOid.email, ia5, "RFC 5280 A.1"],
  [nameOid.domainComponent, ia5, "RFC 4519 2.4"],
];
const fixed: ReadonlySet<string> = new Set(fixedTypes.map(([oid]) => oid));
const typeLints: readonly Lint<LintedCertificate>[] = fixedTypes.map(([oid, tag, section]) => [
  "error",
  `name-${labelOf(oid).replaceAll(" ", "-")}-type`,
  section,
  eachOf(
    oid,
    (attribute) => attribute.tag !== tag,
    (attribute, label) =>
      `${label} is a ${stringName(attribute.tag)}; it must be a ${stringName(tag)}`,
  ),
]);

const stringLints: readonly Lint<LintedCertificate>[] = [
  [
    "warning",
    "name-string-type",
    "RFC 5280 4.1.2.6",
    eachAttribute(
      ({ oid, tag }) => labels.has(oid) && !fixed.has(oid) && tag !== printable && tag !== utf8,
      ({ tag }, label) =>
        `${label} is a ${stringName(tag)}; CAs must use PrintableString or UTF8String`,
    ),
  ],
  [
    "error",
    "name-printable-characters",
    "X.680 41.4",
    eachAttribute(
      ({ tag, content }) =>
        tag === printable && !/^[A-Za-z0-9 '()+,\-./:=?]*$/.test(latin1(content)),
      ({ text }, label) =>
        `${label} ${quoted(text)} has characters that PrintableString does not allow`,
    ),
  ],
  [
    "error",
    "name-ia5-characters",
    "X.680 41.2",
    eachAttribute(
      ({ tag, content }) => tag === ia5 && content.some((byte) => byte >= 0x80),
      ({ text }, label) => `${label} ${quoted(text)} is not ASCII, which IA5String requires`,
    ),
  ],
  [
    "error",
    "name-utf8-invalid",
    "RFC 3629 3",
    eachAttribute(
      ({ tag, content }) => tag === utf8 && strictUtf8(content) === undefined,
      ({ text }, label) => `${label} ${quoted(text)} is a UTF8String that is not UTF-8`,
    ),
  ],
  [
    "warning",
    "name-utf8-normalization",
    "RFC 5280 4.1.2.6",
    eachAttribute(
      ({ tag, text }) => tag === utf8 && text !== text.normalize("NFC"),
      ({ text }, label) =>
        `${label} ${quoted(text)} is not in normalization form C, so equal names may differ`,
    ),
  ],
  [
    "warning",
    "name-replacement-character",
    "Common practice",
    eachAttribute(
      ({ tag, content, text }) =>
        text.includes("\ufffd") && (tag !== utf8 || strictUtf8(content) !== undefined),
      ({ text }, label) =>
        `${label} ${quoted(text)} contains U+FFFD, which replaces a lost character`,
    ),
  ],
  [
    "warning",
    "name-double-encoded",
    "Common practice",
    eachAttribute(
      ({ text }) => /[\u00c2-\u00c3][\u0080-\u00bf]/.test(text),
      ({ text }, label) =>
        `${label} ${quoted(text)} looks like UTF-8 that was read as Latin-1 and encoded again`,
    ),
  ],
  [
    "error",
    "name-control-character",
    "RFC 5280 4.1.2.6",
    eachAttribute(
      ({ text }) => /\p{Cc}/u.test(text),
      ({ text }, label) => `${label} ${quoted(text)} contains a control character`,
    ),
  ],
  [
    "warning",
    "name-white-space",
    "RFC 5280 7.1",
    eachAttribute(
      ({ text }) => text !== text.trim(),
      ({ text }, label) => `${label} ${quoted(text)} begins or ends with white space`,
    ),
  ],
  [
    "warning",
    "name-html-entity",
    "Common practice",
    eachAttribute(
      ({ text }) => /&(?:#\d+|#x[0-9a-f]+|[a-z]{2,8});/i.test(text),
      ({ text }, label) => `${label} ${quoted(text)} contains an HTML entity`,
    ),
  ],
  [
    "warning",
    "name-empty-value",
    "RFC 5280 A.1",
    eachAttribute(
      ({ content }) => content.length === 0,
      (_, label) => `${label} is empty; it needs at least one character`,
    ),
  ],
  [
    "info",
    "name-filler",
    "CA/Browser Forum BR 7.1.4",
    eachAttribute(
      ({ text }) => /^[\s.\-?*]+$/.test(text) && text !== "*",
      ({ text }, label) => `${label} ${quoted(text)} contains no information`,
    ),
  ],
];

const value = ({ rdns }: LintedName, oid: string): readonly string[] =>
  rdns
    .flat()
    .filter((attribute) => attribute.oid === oid)
    .map(({ text }) => text);
/** Attributes that a name may contain several times. */
const repeatable: ReadonlySet<string> = new Set([
  nameOid.organizationalUnit,
  nameOid.domainComponent,
  nameOid.street,
  nameOid.userId,
]);

const structureLints: readonly Lint<LintedCertificate>[] = [
  [
    "error",
    "issuer-empty",
    "RFC 5280 4.1.2.4",
    ({ issuer }) => when(issuer.rdns.length === 0, "Empty issuer name"),
  ],
  [
    "error",
    "ca-subject-empty",
    "RFC 5280 4.1.2.6",
    ({ isCa, subject }) => when(isCa && subject.rdns.length === 0, "CA without subject name"),
  ],
  [
    "error",
    "name-country",
    "RFC 5280 A.1",
    eachOf(
      nameOid.country,
      ({ text }) => !/^[A-Za-z]{2}$/.test(text),
      ({ text }, label) => `${label} ${quoted(text)} is not a two-letter code`,
    ),
  ],
  [
    "warning",
    "name-country-case",
    "ISO 3166-1",
    eachOf(
      nameOid.country,
      ({ text }) => /^[A-Za-z]{2}$/.test(text) && text !== text.toUpperCase(),
      ({ text }, label) => `${label} ${quoted(text)} is not in capital letters`,
    ),
  ],
  [
    "info",
    "name-multiple-values",
    "Common practice",
    eachName(({ rdns }, label) => {
      const several = rdns.find((rdn) => rdn.length > 1);
      return (
        several &&
        `${label}: ${several.map(({ oid }) => labelOf(oid)).join(" and ")} in one relative name, which some software misreads`
      );
    }),
  ],
  [
    "error",
    "name-empty-rdn",
    "RFC 5280 A.1",
    eachName(({ rdns }, label) =>
      when(
        rdns.some((rdn) => rdn.length === 0),
        `${label}: relative name without attributes`,
      ),
    ),
  ],
  [
    "warning",
    "name-repeated-attribute",
    "CA/Browser Forum BR 7.1.4.1",
    eachName(({ rdns }, label) => {
      const repeated = firstRepeated(
        rdns.flatMap((rdn) => rdn.map(({ oid }) => oid)).filter((oid) => !repeatable.has(oid)),
      );
      return repeated && `${label}: more than one ${labelOf(repeated)}`;
    }),
  ],
  [
    "warning",
    "subject-email-not-in-names",
    "RFC 5280 4.1.2.6",
    ({ subject, names }) => {
      const addresses = new Set(
        names.flatMap(({ tag, text }) => (tag === 0x81 ? [text.toLowerCase()] : [])),
      );
      return firstDefect(value(subject, nameOid.email), (email) =>
        when(
          !addresses.has(email.toLowerCase()),
          `E-mail address ${quoted(email)} is in the subject, but not among the alternative names`,
        ),
      );
    },
  ],
];

/** Lints for the distinguished names of the subject and the issuer. */
export const nameLints: readonly Lint<LintedCertificate>[] = [
  ...structureLints,
  ...lengthLints,
  ...typeLints,
  ...stringLints,
];
