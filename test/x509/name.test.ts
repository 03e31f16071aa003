import { describe, expect, it } from "vitest";
import { fromHex, toHex, utf8 } from "../../src/base/bytes.ts";
import { bitString, oid, sequence, set, tlv } from "../../src/base/der.ts";
import { CaError } from "../../src/base/errors.ts";
import { encodeName, nameText, nameValues, parseName, type Rdn } from "../../src/x509/name.ts";
import { nameOid } from "../../src/x509/oid.ts";
import { itWith } from "../support/programs.ts";
import { certify, makeCa, makeKey, openssl } from "./fixture.ts";

const cn = (value: string): Rdn => [{ oid: nameOid.commonName, value }];
const withValue = (value: Uint8Array): Uint8Array =>
  sequence(set(sequence(oid(nameOid.commonName), value)));

describe("encodeName", () => {
  it.each([
    ["Example Ltd '()+,-./:=?", 0x13],
    ["", 0x13],
    ["*.example.com", 0x0c],
    ["me@example.com", 0x0c],
    ["a_b", 0x0c],
    ["a&b", 0x0c],
    ["Zürich", 0x0c],
    ["日本", 0x0c],
  ])("encodes %j with the string type that its characters need", (value, tag) => {
    const string = tlv(tag, utf8(value));
    expect(toHex(encodeName([cn(value)]))).toBe(toHex(withValue(string)));
    expect(parseName(encodeName([cn(value)]))).toEqual([cn(value)]);
  });

  it("encodes e-mail and DC as IA5String, and rejects non-ASCII characters there", () => {
    for (const type of [nameOid.email, nameOid.domainComponent]) {
      expect(toHex(encodeName([[{ oid: type, value: "abc" }]]))).toContain("1603616263");
      expect(() => encodeName([[{ oid: type, value: "ü" }]])).toThrow(CaError);
    }
  });

  it("sorts the attributes of one RDN and keeps the order of RDNs", () => {
    const units = ["zz", "b", "a"].map((value) => ({ oid: nameOid.organizationalUnit, value }));
    const der = encodeName([cn("z"), units, cn("a")]);
    expect(parseName(der).map((rdn) => rdn.map(({ value }) => value))).toEqual([
      ["z"],
      ["a", "b", "zz"],
      ["a"],
    ]);
    expect(nameValues(der, nameOid.organizationalUnit)).toEqual(["a", "b", "zz"]);
  });

  it("encodes the empty name", () => {
    expect(toHex(encodeName([]))).toBe("3000");
    expect(parseName(fromHex("3000"))).toEqual([]);
    expect(nameText(fromHex("3000"))).toBe("");
  });
});

describe("parseName", () => {
  it.each([
    ["T61 as Latin-1", tlv(0x14, Uint8Array.of(0x5a, 0xfc)), "Zü"],
    ["BMP", tlv(0x1e, Uint8Array.of(0x65, 0xe5, 0, 0x41)), "日A"],
    ["Universal", tlv(0x1c, Uint8Array.of(0, 1, 0xf6, 0, 0, 0, 0, 0x41)), "😀A"],
    ["BMP with a surrogate pair", tlv(0x1e, Uint8Array.of(0xd8, 0x3d, 0xde, 0)), "😀"],
    ["Numeric", tlv(0x12, utf8("12 3")), "12 3"],
    ["Visible", tlv(0x1a, utf8("a*")), "a*"],
    ["Printable with characters it should not have", tlv(0x13, utf8("*.a@b")), "*.a@b"],
    ["another type as hexadecimal", bitString(Uint8Array.of(0xaa)), "#030200aa"],
  ])("reads %s", (_, value, text) => expect(parseName(withValue(value))[0]?.[0]?.value).toBe(text));

  it("marks values as opaque that are neither text nor a BIT STRING", () => {
    const marks = [
      tlv(0x0c, utf8("a")),
      bitString(Uint8Array.of(1)),
      tlv(0x04, utf8("a")),
      tlv(0x02, Uint8Array.of(1)),
      sequence(),
    ];
    expect(marks.map((value) => parseName(withValue(value))[0]?.[0]?.opaque)).toEqual([
      undefined,
      undefined,
      true,
      true,
      true,
    ]);
  });

  it.each([
    ["broken UTF-8", withValue(tlv(0x0c, Uint8Array.of(0xff)))],
    ["Printable beyond ASCII", withValue(tlv(0x13, Uint8Array.of(0xe4)))],
    ["half a BMP character", withValue(tlv(0x1e, Uint8Array.of(0)))],
    ["an unpaired surrogate", withValue(tlv(0x1e, Uint8Array.of(0xd8, 0x3d)))],
    ["a Universal character beyond Unicode", withValue(tlv(0x1c, Uint8Array.of(0, 0x11, 0, 0)))],
    ["a surrogate in Universal", withValue(tlv(0x1c, Uint8Array.of(0, 0, 0xd8, 0)))],
    ["an empty RDN", sequence(set())],
    [
      "attributes out of order",
      sequence(
        tlv(
          0x31,
          sequence(oid("2.5.4.4"), tlv(0x13, utf8("b"))),
          sequence(oid("2.5.4.3"), tlv(0x13, utf8("a"))),
        ),
      ),
    ],
    ["an attribute with two values", sequence(set(sequence(oid("2.5.4.3"), tlv(0x13), tlv(0x13))))],
    ["a SEQUENCE where a SET should be", sequence(sequence(sequence(oid("2.5.4.3"), tlv(0x13))))],
  ])("refuses %s", (_, der) => expect(() => parseName(der)).toThrow(CaError));
});

describe("nameText", () => {
  it.each([
    ["a,b", "CN=a\\,b"],
    ["#a", "CN=\\#a"],
    [" a ", "CN=\\ a\\ "],
    [" ", "CN=\\ "],
    ['"+;<>\\', 'CN=\\"\\+\\;\\<\\>\\\\'],
    ["a\u0000\u001b", "CN=a\\00\\1B"],
  ])("escapes %j", (value, text) => expect(nameText(encodeName([cn(value)]))).toBe(text));

  itWith("openssl", "version")("agrees with openssl", async () => {
    const key = await makeKey("P-256");
    const { fields } = await makeCa(key);
    const subject = encodeName([
      [{ oid: nameOid.country, value: "CH" }],
      [{ oid: nameOid.province, value: "Zürich" }],
      [{ oid: nameOid.organization, value: "A, B & C" }],
      [
        { oid: nameOid.organizationalUnit, value: "one" },
        { oid: nameOid.organizationalUnit, value: "two" },
      ],
      cn(" www "),
      [{ oid: nameOid.userId, value: "u1" }],
      [{ oid: nameOid.domainComponent, value: "example" }],
    ]);
    const text = openssl(
      ["x509", "-inform", "DER", "-noout", "-subject", "-nameopt", "RFC2253,-esc_msb,utf8"],
      await certify(key, { ...fields, subject }),
    );
    expect(nameText(subject)).toBe(
      "DC=example,UID=u1,CN=\\ www\\ ,OU=one+OU=two,O=A\\, B & C,ST=Zürich,C=CH",
    );
    expect(text.trim()).toBe(
      `subject=${nameText(subject).replace("OU=one+OU=two", text.includes("OU=one+OU=two") ? "OU=one+OU=two" : "OU=two+OU=one")}`,
    );
  });
});
