import { describe, expect, it } from "vitest";
import { concat, fromHex, utf8 } from "../../src/base/bytes.ts";
import {
  bitString,
  explicit,
  ia5String,
  integer,
  nullValue,
  octets,
  oid,
  sequence,
  set,
  tlv,
  utf8String,
} from "../../src/base/der.ts";
import { implicit } from "../support/der.ts";
import { CaError } from "../../src/base/errors.ts";
import * as extension from "./extensions.ts";
import { checkValue, isNetscapeCa } from "../../src/x509/extension-value.ts";
import { checkName, encodeName } from "../../src/x509/name.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { commonName } from "./fixture.ts";

type Kind = keyof typeof extensionOid;
const check = (kind: Kind, value: Uint8Array | undefined) =>
  checkValue({ oid: extensionOid[kind], critical: false, value: value ?? new Uint8Array() });
const url = (text: string): Uint8Array => implicit(6, ia5String(text));
const dns = (text: string): Uint8Array => implicit(2, ia5String(text));
const directory = tlv(0xa4, encodeName(commonName("D")));
const point = (...parts: readonly Uint8Array[]): Uint8Array => sequence(sequence(...parts));
const fullName = tlv(0xa0, tlv(0xa0, url("http://c.test/")));
const policy = (...qualifiers: readonly Uint8Array[]): Uint8Array =>
  sequence(sequence(oid("1.2.3"), ...(qualifiers.length ? [sequence(...qualifiers)] : [])));
const notice = (...parts: readonly Uint8Array[]): Uint8Array =>
  policy(sequence(oid("1.3.6.1.5.5.7.2.2"), sequence(...parts)));
const reference = sequence(utf8String("Org"), sequence(integer(1), integer(2)));
const period = (from: string, until: string): Uint8Array =>
  sequence(tlv(0x80, utf8(from)), tlv(0x81, utf8(until)));
const subtree = (base: Uint8Array): Uint8Array => sequence(tlv(0xa0, sequence(base)));
/** Returns an SCT list with one timestamp, whose signature has this length and these algorithms. */
function timestamps(
  signature: number,
  hash = 4,
  algorithm = 3,
  length = 49 + signature,
): Uint8Array {
  const one = concat([
    new Uint8Array(43),
    Uint8Array.of(hash, algorithm, 0, signature),
    new Uint8Array(length - 49),
    Uint8Array.of(0, 0),
  ]).subarray(0, length - 2);
  const list = concat([Uint8Array.of(0, one.length), one]);
  return octets(concat([Uint8Array.of(0, list.length), list]));
}

describe("the value of a copied extension", () => {
  it.each<readonly [Kind, string, Uint8Array | undefined]>([
    [
      "subjectAltName",
      "of all kinds",
      sequence(
        dns("a.test"),
        implicit(1, ia5String("u@a.test")),
        url("https://a.test/x"),
        implicit(7, octets(fromHex("c0000201"))),
        directory,
      ),
    ],
    [
      "subjectAltName",
      "of kinds that are rare",
      sequence(
        tlv(0xa0, oid("1.2.3"), explicit(0, octets(utf8("x")))),
        implicit(8, oid("1.2.3")),
        tlv(0xa3, sequence()),
      ),
    ],
    ["issuerAltName", "of a name", sequence(dns("a.test"))],
    [
      "keyUsage",
      "with decipherOnly beside keyAgreement",
      extension.keyUsage(["KeyAgreement", "DecipherOnly"])?.value,
    ],
    [
      "authorityKeyIdentifier",
      "with the identifier",
      extension.authorityKeyIdentifier(Uint8Array.of(1)).value,
    ],
    [
      "authorityKeyIdentifier",
      "with issuer and serial number",
      sequence(tlv(0xa1, directory), implicit(2, integer(7))),
    ],
    [
      "authorityInfoAccess",
      "of two",
      extension.authorityInfoAccess(["http://o.test/"], ["http://i.test/"])?.value,
    ],
    [
      "authorityInfoAccess",
      "of another method and kind",
      sequence(sequence(oid("1.2.3"), directory)),
    ],
    [
      "subjectInfoAccess",
      "of one",
      sequence(sequence(oid("1.3.6.1.5.5.7.48.5"), url("http://r.test/"))),
    ],
    [
      "crlDistributionPoints",
      "of a URL",
      extension.crlDistributionPoints(["http://c.test/"])?.value,
    ],
    [
      "crlDistributionPoints",
      "with reasons and an issuer",
      point(fullName, implicit(1, bitString(Uint8Array.of(0x60), 5)), tlv(0xa2, directory)),
    ],
    ["freshestCrl", "of a URL", extension.freshestCrl(["http://c.test/"])?.value],
    [
      "certificatePolicies",
      "with qualifiers",
      extension.certificatePolicies([
        "1.2.3",
        { oid: "1.2.4", cps: "https://cps.test", notice: "n" },
      ])?.value,
    ],
    ["certificatePolicies", "with a reference", notice(reference, utf8String("text"))],
    ["policyMappings", "of a policy", sequence(sequence(oid("1.2.3"), oid("1.2.4")))],
    [
      "policyConstraints",
      "of both kinds",
      sequence(implicit(0, integer(0)), implicit(1, integer(5))),
    ],
    ["policyConstraints", "of the second", sequence(implicit(1, integer(5)))],
    ["inhibitAnyPolicy", "of a number", integer(0)],
    ["privateKeyUsagePeriod", "of both ends", period("20300101000000Z", "20310101000000Z")],
    ["privateKeyUsagePeriod", "of one end", sequence(tlv(0x81, utf8("20310101000000Z")))],
    [
      "subjectDirectoryAttributes",
      "of a country",
      sequence(sequence(oid("1.3.6.1.5.5.7.9.4"), set(tlv(0x13, utf8("DE"))))),
    ],
    ["tlsFeature", "of status_request", sequence(integer(5))],
    ["ctTimestamps", "of one", timestamps(70)],
    ["acmeIdentifier", "of a digest", octets(new Uint8Array(32))],
    ["ocspNoCheck", "of nothing", nullValue],
    ["netscapeCertType", "of a server", fromHex("03020640")],
    [
      "nameConstraints",
      "of all kinds",
      extension.nameConstraints({
        permitted: {
          dns: ["", ".a.test"],
          ip: ["10.0.0.0/8"],
          email: ["u@a.test", "a.test"],
          uri: [".a.test"],
        },
      })?.value,
    ],
  ])("%s passes: %s", (kind, _, value) => {
    expect(() => check(kind, value)).not.toThrow();
  });

  it.each<readonly [Kind, string, Uint8Array]>([
    ["subjectAltName", "empty", sequence()],
    ["subjectAltName", "of a URI without a scheme", sequence(url("//a.test/"))],
    ["subjectAltName", "of a URI whose host nobody can read", sequence(url("http://[a/"))],
    [
      "subjectAltName",
      "of a directory name that is none",
      sequence(tlv(0xa4, sequence(utf8String("a")))),
    ],
    [
      "subjectAltName",
      "of a directory name with characters that its type lacks",
      sequence(tlv(0xa4, sequence(set(sequence(oid("2.5.4.3"), tlv(0x13, utf8("a@b"))))))),
    ],
    ["issuerAltName", "empty", sequence()],
    ["issuerAltName", "of text", utf8String("a")],
    ["keyUsage", "with decipherOnly alone", fromHex("0303070080")],
    ["authorityKeyIdentifier", "with a serial number alone", sequence(implicit(2, integer(7)))],
    ["authorityKeyIdentifier", "with an issuer alone", sequence(tlv(0xa1, directory))],
    ["subjectKeyIdentifier", "empty", octets(new Uint8Array())],
    ["authorityInfoAccess", "empty", sequence()],
    ["authorityInfoAccess", "without a location", sequence(sequence(oid("1.2.3")))],
    [
      "authorityInfoAccess",
      "with two locations",
      sequence(sequence(oid("1.2.3"), url("http://a.test/"), url("http://b.test/"))),
    ],
    [
      "authorityInfoAccess",
      "with a location that is not a name",
      sequence(sequence(oid("1.2.3"), utf8String("a"))),
    ],
    ["subjectInfoAccess", "empty", sequence()],
    ["crlDistributionPoints", "empty", sequence()],
    ["crlDistributionPoints", "of a point of nothing", point()],
    [
      "crlDistributionPoints",
      "of a relative name",
      point(tlv(0xa0, tlv(0xa1, sequence(oid("2.5.4.3"), utf8String("r"))))),
    ],
    ["crlDistributionPoints", "of an empty name", point(tlv(0xa0, tlv(0xa0)))],
    [
      "crlDistributionPoints",
      "of reasons alone",
      point(implicit(1, bitString(Uint8Array.of(0x60), 5))),
    ],
    ["crlDistributionPoints", "with something behind", point(fullName, nullValue)],
    ["freshestCrl", "empty", sequence()],
    ["certificatePolicies", "empty", sequence()],
    [
      "certificatePolicies",
      "of one policy twice",
      sequence(sequence(oid("1.2.3")), sequence(oid("1.2.3"))),
    ],
    [
      "certificatePolicies",
      "with a qualifier that is not known",
      policy(sequence(oid("1.2.3"), utf8String("x"))),
    ],
    [
      "certificatePolicies",
      "with an empty list of qualifiers",
      sequence(sequence(oid("1.2.3"), sequence())),
    ],
    [
      "certificatePolicies",
      "with an address that is no ASCII text",
      policy(sequence(oid("1.3.6.1.5.5.7.2.1"), utf8String("x"))),
    ],
    ["certificatePolicies", "with a notice that is a number", notice(integer(1))],
    [
      "certificatePolicies",
      "with a reference that lacks its numbers",
      notice(sequence(utf8String("Org"))),
    ],
    [
      "certificatePolicies",
      "with something behind a policy",
      sequence(
        sequence(
          oid("1.2.3"),
          sequence(sequence(oid("1.3.6.1.5.5.7.2.1"), ia5String("x"))),
          nullValue,
        ),
      ),
    ],
    ["policyMappings", "empty", sequence()],
    ["policyMappings", "of one side", sequence(sequence(oid("1.2.3")))],
    ["policyMappings", "of anyPolicy", sequence(sequence(oid("1.2.3"), oid("2.5.29.32.0")))],
    ["policyConstraints", "empty", sequence()],
    ["policyConstraints", "below zero", sequence(tlv(0x80, Uint8Array.of(0xff)))],
    [
      "policyConstraints",
      "in the wrong order",
      sequence(implicit(1, integer(5)), implicit(0, integer(0))),
    ],
    ["policyConstraints", "beyond any path", sequence(tlv(0x80, fromHex("0080000000")))],
    ["inhibitAnyPolicy", "below zero", fromHex("0201ff")],
    ["inhibitAnyPolicy", "of nothing", nullValue],
    ["privateKeyUsagePeriod", "empty", sequence()],
    [
      "privateKeyUsagePeriod",
      "that ends before it begins",
      period("20310101000000Z", "20300101000000Z"),
    ],
    ["privateKeyUsagePeriod", "of no times", period("2031", "2032")],
    ["subjectDirectoryAttributes", "empty", sequence()],
    ["subjectDirectoryAttributes", "without a value", sequence(sequence(oid("1.2.3"), set()))],
    ["tlsFeature", "empty", sequence()],
    ["tlsFeature", "that no field of TLS can hold", sequence(integer(65536))],
    ["ctTimestamps", "empty", octets(Uint8Array.of(0, 0))],
    ["ctTimestamps", "cut short", timestamps(70, 4, 3, 100)],
    ["ctTimestamps", "of an unknown algorithm", timestamps(70, 9)],
    ["ctTimestamps", "that are text", octets(utf8("timestamps"))],
    ["acmeIdentifier", "of another length", octets(new Uint8Array(31))],
    ["ocspNoCheck", "of something", integer(1)],
    ["noRevAvail", "of something", integer(1)],
    ["netscapeCertType", "that is no string of bits", integer(1)],
    ["nameConstraints", "empty", sequence()],
    ["nameConstraints", "of a domain with an empty label", subtree(dns("a..test"))],
    ["nameConstraints", "of a domain with a final dot", subtree(dns("a.test."))],
    ["nameConstraints", "of a wildcard", subtree(dns("*.a.test"))],
    ["nameConstraints", "of a URI in place of a domain", subtree(dns("https://a.test"))],
    ["nameConstraints", "of an address in place of a domain", subtree(dns("192.0.2.1"))],
    [
      "nameConstraints",
      "of a mailbox at a final dot",
      subtree(implicit(1, ia5String("u@a.test."))),
    ],
    ["nameConstraints", "of a mailbox that is none", subtree(implicit(1, ia5String("u@v@a.test")))],
  ])("%s is refused: %s", (kind, _, value) => {
    expect(() => check(kind, value)).toThrow(CaError);
  });

  it("must be DER if its OID is in a standard arc, and may be anything in other arcs", () => {
    for (const [type, value, passes] of [
      ["1.3.6.1.5.5.7.1.3", fromHex("3000"), true],
      ["1.3.6.1.5.5.7.1.3", fromHex("3001"), false],
      ["2.5.29.99", utf8("text"), false],
      ["1.3.6.1.4.1.311.20.2", tlv(0x1e, fromHex("0041")), true],
      ["1.3.6.1.4.1.311.21.7", sequence(oid("1.2.3"), integer(100)), true],
      ["1.3.6.1.4.1.311.21.7", sequence(integer(100)), false],
      ["1.2.3.4", utf8("text"), true],
    ] as const) {
      const refused = () => checkValue({ oid: type, critical: false, value });
      if (passes) expect(refused, type).not.toThrow();
      else expect(refused, type).toThrow(CaError);
    }
  });

  it("of netscapeCertType marks a CA by any of its last three bits", () => {
    expect(
      ["0302020c", "03020104", "03020001", "03020102", "03020204"].map((value) =>
        isNetscapeCa(fromHex(value)),
      ),
    ).toEqual([true, true, true, true, true]);
    expect(["030206c0", "030100", "03020410"].map((value) => isNetscapeCa(fromHex(value)))).toEqual(
      [false, false, false],
    );
  });
});

describe("a copied name", () => {
  const name = (...values: readonly Uint8Array[]): Uint8Array =>
    sequence(set(...values.map((value) => sequence(oid("2.5.4.3"), value))));
  it.each([
    ["a PrintableString", tlv(0x13, utf8("A-1 (b), *.c/d:e=f?'+&"))],
    ["a NumericString", tlv(0x12, utf8("12 34"))],
    ["a TeletexString of ASCII", tlv(0x14, utf8("a_b"))],
    ["a UTF8String", utf8String("ü@b")],
    ["a BMPString", tlv(0x1e, fromHex("00fc"))],
  ])("may hold %s", (_, value) => {
    expect(() => checkName(name(value))).not.toThrow();
  });
  it.each([
    ["a PrintableString with another character", [tlv(0x13, utf8("a@b"))]],
    ["a NumericString with a letter", [tlv(0x12, utf8("1a"))]],
    ["a TeletexString beyond ASCII", [tlv(0x14, Uint8Array.of(0xfc))]],
    ["a UTF8String that is none", [tlv(0x0c, Uint8Array.of(0xff))]],
    ["an attribute twice", [utf8String("a"), utf8String("a")]],
  ] as const)("may not contain %s", (_, values) => {
    expect(() => checkName(name(...values))).toThrow(CaError);
  });
});
