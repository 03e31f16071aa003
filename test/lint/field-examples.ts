import { fromHex } from "../../src/base/bytes.ts";
import { explicit, integer, nullValue, oid, sequence, tlv } from "../../src/base/der.ts";
import { extensionOid as ext, nameOid } from "../../src/x509/oid.ts";
import {
  ca,
  dns,
  ecKey,
  joinedName,
  modulus,
  name,
  names,
  p256,
  point,
  rsaKey,
  spki,
  timeText,
  withExtension,
  x,
  type Attribute,
  type Changes,
} from "./build.ts";

/** An example of a lint: changes to a valid leaf, and the text of the finding. */
export type Example = readonly [id: string, changes: Changes, text: string];
const zero = Uint8Array.of(0);
const algorithm = (type: string, ...parameters: Uint8Array[]): Uint8Array =>
  sequence(oid(type), ...parameters);
const attributes = (...list: readonly Attribute[]): Changes => ({ subject: name(...list) });
const organization = (value: string | Uint8Array, tag = 0x0c): Changes =>
  attributes([nameOid.organization, value, tag]);
const san = (...list: readonly (readonly [number, string | Uint8Array])[]): Changes => ({
  ...withExtension(ext.subjectAltName, names(...list)),
  subject: name([nameOid.organization, "A"]),
});
const dnsName = (text: string): Changes => ({
  ...withExtension(ext.subjectAltName, dns(text)),
  subject: name([nameOid.organization, "A"]),
});

const fields: readonly Example[] = [
  ["serial-number", { serial: integer(0) }, "Serial number 0; it must be positive"],
  ["serial-number", { serial: tlv(0x02, Uint8Array.of(0x80)) }, "Serial number 80 is negative"],
  [
    "serial-number",
    { serial: integer(new Uint8Array(21).fill(1)) },
    "Serial number of 21 octets; at most 20 allowed, with the sign",
  ],
  [
    "serial-number-short",
    { serial: integer(5) },
    "Serial number of 1 octet; at least 8 random octets make it unpredictable",
  ],
  ["version-old", { version: new Uint8Array(), isBare: true }, "Version 1, without extensions"],
  ["version-unknown", { version: explicit(0, integer(3)) }, "Version 4; there are versions 1 to 3"],
  [
    "version-extensions",
    { version: explicit(0, integer(1)) },
    "Extensions in a certificate of version 2; they require version 3",
  ],
  [
    "unique-identifier",
    { afterKey: tlv(0x82, Uint8Array.of(0, 1)) },
    "Unique identifier of the subject, which CAs must not include",
  ],
  [
    "unique-identifier-version",
    { version: new Uint8Array(), afterKey: tlv(0x81, Uint8Array.of(0, 1)), isBare: true },
    "Unique identifier in a certificate of version 1; it requires version 2",
  ],
  [
    "validity-order",
    { notAfter: timeText("291231235959Z") },
    "Expires on 2029-12-31T23:59:59Z, before it becomes valid on 2030-01-01T00:00:00Z",
  ],
  [
    "validity-long",
    { notAfter: timeText("330101000000Z") },
    "Server certificate valid for 1096 days; Apple's software accepts at most 825",
  ],
  [
    "validity-public",
    { notAfter: timeText("310101000000Z") },
    "Server certificate valid for 365 days; public CAs issue at most 200",
  ],
];
const times: readonly Example[] = (["not-before", "not-after"] as const).flatMap((id) => {
  const field = id === "not-before" ? "notBefore" : "notAfter";
  return (
    [
      ["type", "3001", 0x0c, "has ASN.1 tag 0xc instead of UTCTime or GeneralizedTime"],
      ["seconds", "3001010000Z", 0x17, "3001010000Z has no seconds"],
      ["zulu", "300101000000+0100", 0x17, "300101000000+0100 does not end with Z"],
      ["fraction", "20300101000000.5Z", 0x18, "20300101000000.5Z has fractions of a second"],
      [
        "form",
        "20300101000000Z",
        0x18,
        "20300101000000Z is a GeneralizedTime; years before 2050 require UTCTime",
      ],
      ["invalid", "300231000000Z", 0x17, "300231000000Z is not a date"],
    ] as const
  ).map(
    ([which, text, tag, words]) =>
      [`${id}-${which}`, { [field]: timeText(text, tag) }, `${field} ${words}`] as const,
  );
});
const signatures: readonly Example[] = [
  [
    "signature-weak",
    { algorithm: algorithm("1.2.840.113549.1.1.5", nullValue) },
    "Signed with SHA1WithRSA, which can be forged",
  ],
  [
    "signature-algorithms-differ",
    { outerAlgorithm: algorithm("1.2.840.10045.4.3.3") },
    "The field signature is ECDSAWithSHA256, but signatureAlgorithm is ECDSAWithSHA384",
  ],
  [
    "signature-rsa-parameters",
    { algorithm: algorithm("1.2.840.113549.1.1.11") },
    "SHA256WithRSA without NULL as its parameters",
  ],
  [
    "signature-pss-parameters",
    { algorithm: algorithm("1.2.840.113549.1.1.10") },
    "RSASSA-PSS without parameters, which the signature of a certificate requires",
  ],
  [
    "signature-parameters-present",
    { algorithm: algorithm("1.3.101.112", nullValue) },
    "1.3.101.112 with parameters, which must be absent",
  ],
];

const octetsOf = (...parts: readonly (Uint8Array | number)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === "number" ? Uint8Array.of(part) : part)));
const rsa = (n?: Uint8Array, e?: Uint8Array): Changes => ({ spki: rsaKey(n, e) });
const even = Uint8Array.from(modulus);
even[even.length - 1] = 0;
const keys: readonly Example[] = [
  [
    "rsa-size",
    rsa(octetsOf(0, 0x80, modulus.subarray(1, 128))),
    "RSA key of 1024 bits; at least 2048 required",
  ],
  [
    "rsa-size-large",
    rsa(octetsOf(0, 0x80, new Uint8Array(1024), 1)),
    "RSA key of 8208 bits; much software rejects more than 8192",
  ],
  ["rsa-size-odd", rsa(octetsOf(1, modulus)), "RSA key of 2049 bits, which is not a multiple of 8"],
  ["rsa-modulus-negative", rsa(modulus), "RSA key with a negative modulus"],
  [
    "rsa-modulus-weak",
    rsa(octetsOf(0, even)),
    "RSA private key can be computed: the modulus is even",
  ],
  [
    "rsa-exponent-negative",
    rsa(undefined, Uint8Array.of(0x83)),
    "RSA key with a negative exponent",
  ],
  ["rsa-exponent-even", rsa(undefined, Uint8Array.of(4)), "RSA key with exponent 4, which is even"],
  [
    "rsa-exponent-one",
    rsa(undefined, Uint8Array.of(1)),
    "RSA key with exponent 1, which does not encrypt",
  ],
  [
    "rsa-exponent-small",
    rsa(undefined, Uint8Array.of(3)),
    "RSA key with exponent 3; at least 65537 recommended",
  ],
  [
    "rsa-exponent-large",
    rsa(undefined, octetsOf(1, new Uint8Array(31), 1)),
    "RSA key with an exponent of 257 bits; at most 256 recommended",
  ],
  [
    "rsa-parameters",
    { spki: rsaKey(undefined, undefined, new Uint8Array()) },
    "RSA key without NULL as its parameters",
  ],
  ["key-unreadable", { spki: sequence() }, "Public key that is not a SubjectPublicKeyInfo"],
  [
    "key-unsupported",
    { spki: spki([oid("1.2.3.4")], zero) },
    "Key of type 1.2.3.4, which these lints do not check",
  ],
  [
    "ec-parameters-explicit",
    { spki: ecKey(sequence(integer(1))) },
    "EC key with explicit curve parameters; a named curve is required",
  ],
  ["ec-parameters-missing", { spki: ecKey(new Uint8Array()) }, "EC key without a named curve"],
  [
    "ec-point-compressed",
    { spki: ecKey(p256, octetsOf(2, point.subarray(1, 33))) },
    "EC key with a compressed point, which much software cannot read",
  ],
  [
    "key-parameters-present",
    { spki: spki([oid("2.16.840.1.101.3.4.3.18"), nullValue], new Uint8Array(1952)) },
    "Key of type 2.16.840.1.101.3.4.3.18 with parameters, which must be absent",
  ],
  [
    "key-invalid",
    { spki: ecKey(p256, octetsOf(4, new Uint8Array(63), 1)) },
    "Invalid key: EC key: the point is not on P-256",
  ],
  [
    "key-length",
    { spki: spki([oid("2.16.840.1.101.3.4.3.17")], new Uint8Array(1311)) },
    "Key of 1311 octets; 1312 expected",
  ],
];

const limits = [
  ["common-name", nameOid.commonName, 64],
  ["organization", nameOid.organization, 64],
  ["organizational-unit", nameOid.organizationalUnit, 64],
  ["subject-serial-number", nameOid.serialNumber, 64],
  ["title", nameOid.title, 64],
  ["locality", nameOid.locality, 128],
  ["province", nameOid.province, 128],
  ["street", nameOid.street, 128],
  ["postal-code", nameOid.postalCode, 40],
  ["surname", nameOid.surname, 32768],
  ["given-name", nameOid.givenName, 32768],
  ["e-mail-address", nameOid.email, 255],
  ["initials", "2.5.4.43", 32768],
  ["generation-qualifier", "2.5.4.44", 32768],
  ["pseudonym", "2.5.4.65", 128],
] as const;
const label = (id: string): string => id.replaceAll("-", " ").replace("e mail", "e-mail");
const subjects: readonly Example[] = [
  ...limits.map(
    ([id, type, limit]) =>
      [
        `name-${id}-long`,
        attributes([type, x(limit + 1)]),
        `Subject: ${label(id)} of ${limit + 1} characters; at most ${limit} allowed`,
      ] as const,
  ),
  ...(
    [
      ["country", nameOid.country, "PrintableString"],
      ["subject-serial-number", nameOid.serialNumber, "PrintableString"],
      ["distinguished-name-qualifier", "2.5.4.46", "PrintableString"],
      ["e-mail-address", nameOid.email, "IA5String"],
      ["domain-component", nameOid.domainComponent, "IA5String"],
    ] as const
  ).map(
    ([id, type, string]) =>
      [
        `name-${id}-type`,
        attributes([type, "DE"]),
        `Subject: ${label(id)} is a UTF8String; it must be a ${string}`,
      ] as const,
  ),
  ["issuer-empty", { issuer: name() }, "Empty issuer name"],
  ["ca-subject-empty", ca({ subject: name() }), "CA without subject name"],
  [
    "name-country",
    attributes([nameOid.country, "DEU", 0x13]),
    'Subject: country "DEU" is not a two-letter code',
  ],
  [
    "name-country-case",
    attributes([nameOid.country, "de", 0x13]),
    'Subject: country "de" is not in capital letters',
  ],
  [
    "name-multiple-values",
    { subject: joinedName([nameOid.commonName, "a.test"], [nameOid.organization, "A"]) },
    "Subject: common name and organization in one relative name, which some software misreads",
  ],
  ["name-empty-rdn", { subject: sequence(tlv(0x31)) }, "Subject: relative name without attributes"],
  [
    "name-repeated-attribute",
    attributes([nameOid.locality, "A"], [nameOid.locality, "B"]),
    "Subject: more than one locality",
  ],
  [
    "subject-email-not-in-names",
    attributes([nameOid.email, "a@a.test", 0x16]),
    'E-mail address "a@a.test" is in the subject, but not among the alternative names',
  ],
  [
    "name-string-type",
    organization("A", 0x14),
    "Subject: organization is a TeletexString; CAs must use PrintableString or UTF8String",
  ],
  [
    "name-printable-characters",
    organization("a@b", 0x13),
    'Subject: organization "a@b" has characters that PrintableString does not allow',
  ],
  [
    "name-ia5-characters",
    attributes([nameOid.email, "ä@a.test", 0x16]),
    'Subject: e-mail address "ä@a.test" is not ASCII, which IA5String requires',
  ],
  [
    "name-utf8-invalid",
    organization(fromHex("41ff")),
    'Subject: organization "A\ufffd" is a UTF8String that is not UTF-8',
  ],
  [
    "name-utf8-normalization",
    organization("A\u0308"),
    'Subject: organization "A\u0308" is not in normalization form C, so equal names may differ',
  ],
  [
    "name-replacement-character",
    organization("A\ufffd"),
    'Subject: organization "A\ufffd" contains U+FFFD, which replaces a lost character',
  ],
  [
    "name-double-encoded",
    { issuer: name([nameOid.commonName, "Nürnberg".replace("ü", "Ã¼")]) },
    'Issuer: common name "NÃ¼rnberg" looks like UTF-8 that was read as Latin-1 and encoded again',
  ],
  [
    "name-control-character",
    organization("A\u0000B"),
    'Subject: organization "A\\u0000B" contains a control character',
  ],
  [
    "name-white-space",
    organization(" A"),
    'Subject: organization " A" begins or ends with white space',
  ],
  [
    "name-html-entity",
    organization("A &amp; B"),
    'Subject: organization "A &amp; B" contains an HTML entity',
  ],
  [
    "name-empty-value",
    organization(""),
    "Subject: organization is empty; it needs at least one character",
  ],
  ["name-filler", organization("-"), 'Subject: organization "-" contains no information'],
];

const dnsExamples: readonly Example[] = [
  ["dns-empty", dnsName(""), "Empty DNS name"],
  ["dns-blank", dnsName(" "), 'DNS name " "; an absent name is omitted'],
  [
    "dns-ascii",
    san([0x82, Uint8Array.of(0xe4, 0x2e, 0x61)]),
    'DNS name "ä.a" is not ASCII; other characters need the xn-- form',
  ],
  [
    "dns-control-character",
    dnsName("a.test\u0000.b.test"),
    'DNS name "a.test\\u0000.b.test" contains a control character, at which software may truncate it',
  ],
  [
    "dns-long",
    dnsName(`${"a".repeat(49)}.`.repeat(5) + "test"),
    "DNS name of 254 octets; at most 253 allowed",
  ],
  ["dns-leading-dot", dnsName(".a.test"), 'DNS name ".a.test" begins with a dot'],
  ["dns-final-dot", dnsName("a.test."), 'DNS name "a.test." ends with a dot'],
  ["dns-empty-label", dnsName("a..test"), 'DNS name "a..test" has an empty label'],
  [
    "dns-address",
    dnsName("192.0.2.1"),
    'DNS name "192.0.2.1" is read as an IP address, which has its own name type',
  ],
  [
    "dns-address",
    dnsName("0300.0.2.1"),
    'DNS name "0300.0.2.1" is read as an IP address, which has its own name type',
  ],
  [
    "dns-address",
    dnsName("2001:db8::1"),
    'DNS name "2001:db8::1" is read as an IP address, which has its own name type',
  ],
  ["dns-wildcard-alone", dnsName("*"), 'DNS name "*" without a domain'],
  [
    "dns-wildcard-position",
    dnsName("a.*.test"),
    'DNS name "a.*.test" has * outside its first label, where no client matches it',
  ],
  [
    "dns-wildcard-position",
    dnsName("*.*.test"),
    'DNS name "*.*.test" has * outside its first label, where no client matches it',
  ],
  [
    "dns-wildcard-partial",
    dnsName("f*o.a.test"),
    'DNS name "f*o.a.test" has * as part of a label; clients match only a whole first label',
  ],
  [
    "dns-wildcard-wide",
    dnsName("*.test"),
    'DNS name "*.test" covers a whole top-level domain; many clients reject that',
  ],
  [
    "dns-label-long",
    dnsName(`${x(64)}.test`),
    `DNS label "${x(64)}" of 64 octets; at most 63 allowed`,
  ],
  [
    "dns-label-hyphen",
    dnsName("a-.test"),
    'DNS name "a-.test": label "a-" begins or ends with a hyphen',
  ],
  [
    "dns-label-characters",
    dnsName("a!.test"),
    'DNS name "a!.test": label "a!" has characters other than letters, digits and hyphens',
  ],
  ["dns-label-underscore", dnsName("a_b.test"), 'DNS name "a_b.test" contains an underscore'],
  [
    "dns-label-reserved",
    dnsName("ab--c.test"),
    'DNS name "ab--c.test": label "ab--c" has hyphens at positions 3 and 4, which are reserved',
  ],
  [
    "dns-idn-malformed",
    dnsName("xn--9.test"),
    'DNS name "xn--9.test": label "xn--9" is not valid Punycode',
  ],
  [
    // "a" and a combining diaeresis
    "dns-idn-normalization",
    dnsName("xn--a-ccb.test"),
    'DNS name "xn--a-ccb.test": label "xn--a-ccb" is not in normalization form C',
  ],
  [
    // a capital "Ä"
    "dns-idn-round-trip",
    dnsName("xn--7ba.test"),
    'DNS name "xn--7ba.test": label "xn--7ba" is not the Punycode of a lower-case label',
  ],
];
const alternatives: readonly Example[] = [
  [
    "subject-nameless",
    { ...withExtension(ext.subjectAltName, undefined), subject: name() },
    "No name: the subject is empty, and there are no alternative names",
  ],
  [
    "names-critical",
    { subject: name() },
    "Alternative names that are not critical although the subject is empty",
  ],
  [
    "names-needlessly-critical",
    withExtension(ext.subjectAltName, dns("a.test"), true),
    "Critical alternative names although there is a subject; they should not be critical",
  ],
  [
    "server-nameless",
    withExtension(ext.subjectAltName, names([0x81, "a@a.test"])),
    "Server certificate without a DNS name or IP address among its alternative names; clients do not read the common name",
  ],
  [
    "common-name-not-in-names",
    withExtension(ext.subjectAltName, dns("b.test")),
    'Common name "a.test" is not among the alternative names, so clients do not match it',
  ],
  ["ip-length", san([0x87, new Uint8Array(5)]), "IP address of 5 octets; 4 or 16 expected"],
  [
    "ip-unspecified",
    san([0x87, new Uint8Array(4)]),
    "IP address 0.0.0.0 is the unspecified address, which no host has",
  ],
  ["email-format", san([0x81, "a"]), 'E-mail address "a" does not have the form local@domain'],
  [
    "email-ascii",
    san([0x81, Uint8Array.of(0xe4, 0x40, 0x61)]),
    'E-mail address "ä@a" is not ASCII; RFC 9598 has a name type for it',
  ],
  ["uri-ascii", san([0x86, Uint8Array.of(0x61, 0x3a, 0xe4)]), 'URI "a:ä" is not printable ASCII'],
  ["uri-relative", san([0x86, "a.test/b"]), 'URI "a.test/b" has no scheme'],
  ["uri-format", san([0x86, "http://"]), 'URI "http://" is malformed'],
  [
    "uri-host",
    san([0x86, "http://a/"]),
    'URI "http://a/": host "a" is neither a full domain name nor an address',
  ],
  [
    "directory-name-empty",
    san([0xa4, sequence()]),
    "Empty directory name among the alternative names",
  ],
  ["name-kind-unknown", san([0x89, "a"]), "Alternative name of unknown kind 0x89"],
  [
    "names-empty",
    withExtension(ext.subjectAltName, sequence()),
    "Subject Alternative Name without names",
  ],
  [
    "names-repeated",
    withExtension(ext.subjectAltName, dns("a.test", "A.test")),
    'Alternative name "a.test" occurs twice',
  ],
];

/** Examples for lints of fields, keys and names. */
export const fieldExamples: readonly Example[] = [
  ...fields,
  ...times,
  ...signatures,
  ...keys,
  ...subjects,
  ...dnsExamples,
  ...alternatives,
];
