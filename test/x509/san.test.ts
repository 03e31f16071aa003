import { isIP } from "node:net";
import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { fromHex, toHex, utf8 } from "../../src/base/bytes.ts";
import { explicit, octets, oid, sequence, tlv, utf8String } from "../../src/base/der.ts";
import { implicit } from "../support/der.ts";
import { CaError } from "../../src/base/errors.ts";
import {
  addressesReadFrom,
  cidrText,
  ipToBytes,
  ipToText,
  parseCidr,
} from "../../src/x509/address.ts";
import { encodeName } from "../../src/x509/name.ts";
import { encodeSan, noNames, parseSan } from "../../src/x509/san.ts";
import { commonName } from "./fixture.ts";

const all = {
  dns: ["b.example.com", "a.example.com"],
  email: ["me@example.com"],
  ip: ["192.0.2.1", "2001:db8::1"],
  uri: ["spiffe://example/x"],
  other: [{ oid: "1.3.6.1.4.1.311.20.2.3", value: "upn@example.com" }],
};
const tags = (der: Uint8Array): readonly string[] => {
  const found: string[] = [];
  for (let at = 2; at < der.length; at += 2 + (der[at + 1] ?? 0))
    found.push((der[at] ?? 0).toString(16));
  return found;
};

describe("encodeSan", () => {
  it("keeps the order of names of one type, and supports both orders of types", () => {
    expect(tags(encodeSan(all))).toEqual(["82", "82", "81", "87", "87", "86", "a0"]);
    expect(tags(encodeSan(all, "other-first"))).toEqual(["a0", "82", "82", "81", "87", "87", "86"]);
    for (const order of ["names-first", "other-first"] as const)
      expect(parseSan(encodeSan(all, order))).toEqual({ ...noNames, ...all });
  });

  it("encodes an otherName as an explicitly tagged UTF8String", () => {
    const der = encodeSan({ ...noNames, other: [{ oid: "1.2.3", value: "ü" }] });
    expect(der).toEqual(sequence(tlv(0xa0, oid("1.2.3"), explicit(0, utf8String("ü")))));
  });

  it("includes directory names", () => {
    const name = encodeName(commonName("a"));
    expect(parseSan(encodeSan({ ...noNames, directory: [name] })).directory).toEqual([name]);
  });

  it("rejects values that their type does not allow", () => {
    expect(() => encodeSan({ ...noNames, dns: ["ü.example.com"] })).toThrow(CaError);
    expect(() => encodeSan({ ...noNames, ip: ["192.0.2.01"] })).toThrow(CaError);
    expect(() => encodeSan({ ...noNames, other: [{ oid: "1", value: "" }] })).toThrow(CaError);
  });
});

describe("parseSan", () => {
  const one = (name: Uint8Array): Uint8Array => sequence(name);

  it("lists names without a text form as unreadable", () => {
    const der = sequence(
      tlv(0xa0, oid("1.2.3"), explicit(0, octets(Uint8Array.of(1)))),
      tlv(0xa3, sequence()),
      tlv(0xa5, sequence()),
      implicit(8, oid("1.2.4")),
    );
    expect(parseSan(der)).toEqual({
      ...noNames,
      unreadable: ["otherName 1.2.3", "x400Address", "ediPartyName", "registeredID 1.2.4"],
    });
  });

  it.each([
    ["an empty list", sequence()],
    ["an IP address of five bytes", one(tlv(0x87, new Uint8Array(5)))],
    ["a DNS name that is not ASCII", one(tlv(0x82, utf8("ü")))],
    ["a kind that does not exist", one(tlv(0x89, utf8("a")))],
    ["a universal type", one(utf8String("a"))],
    ["an otherName without a value", one(tlv(0xa0, oid("1.2.3")))],
    [
      "an otherName with broken UTF-8",
      one(tlv(0xa0, oid("1.2.3"), explicit(0, tlv(0x0c, Uint8Array.of(0xff))))),
    ],
    ["a directory name that is none", one(tlv(0xa4, utf8String("a")))],
    ["trailing bytes", fromHex("3003820161ff")],
  ])("refuses %s", (_, der) => expect(() => parseSan(der)).toThrow(CaError));

  it("keeps a NUL in a name, so that comparisons see it", () => {
    expect(parseSan(one(tlv(0x82, utf8("a.com\u0000.evil")))).dns).toEqual(["a.com\u0000.evil"]);
  });
});

describe("IP addresses", () => {
  it.each([
    ["192.0.2.1", "c0000201"],
    ["::", "00".repeat(16)],
    ["::1", `${"00".repeat(15)}01`],
    ["1::", `0001${"00".repeat(14)}`],
    ["2001:db8::ff00:42:8329", "20010db8000000000000ff0000428329"],
    ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
    ["1:2:3:4:5:6:7::", "00010002000300040005000600070000"],
    ["::ffff:192.0.2.1", "c0000201"],
    ["0:0:0:0:0:ffff:c000:201", "c0000201"],
    ["::fffe:192.0.2.1", "00000000000000000000fffec0000201"],
    ["64:ff9b::192.0.2.33", "0064ff9b0000000000000000c0000221"],
    ["FE80::A", "fe80000000000000000000000000000a"],
  ])("%s is encoded as %s", (text, hex) =>
    expect(toHex(ipToBytes(text) ?? new Uint8Array(0))).toBe(hex),
  );

  it.each([
    "",
    ".",
    ":",
    ":::",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "1.2.3.256",
    "1.2.3.-4",
    "0x1.2.3.4",
    "1.2.3.4 ",
    " ::1",
    "::1 ",
    "fe80::1%eth0",
    "[::1]",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8::",
    "::1:2:3:4:5:6:7:8",
    "12345::",
    "g::",
    "::1.2.3",
    "::1.2.3.04",
    "1.2.3.4::",
    "::1.2.3.4:5",
    "1:2:3:4:5:6:7:1.2.3.4",
    ":1::2",
    "1::2:",
    "2130706433",
    "127.1",
  ])("%j is not a valid address", (text) => expect(ipToBytes(text)).toBeUndefined());

  it.each([
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["2001:0:0:1:0:0:0:1", "2001:0:0:1::1"],
    ["0:0:0:0:0:0:0:0", "::"],
    ["1:0:0:0:0:0:0:0", "1::"],
    ["::FFFF:C000:201", "192.0.2.1"],
    ["::C000:201", "::c000:201"],
  ])("%s is formatted as %s", (text, printed) =>
    expect(ipToText(ipToBytes(text) ?? new Uint8Array(0))).toBe(printed),
  );

  it("are valid if Node accepts them, and their text is parsed to the same bytes", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.stringMatching(/^[0-9a-f:.]{1,20}$/)),
        (text) => {
          const bytes = ipToBytes(text);
          expect(bytes !== undefined, text).toBe(isIP(text) !== 0);
          if (bytes) expect(ipToBytes(ipToText(bytes))).toEqual(bytes);
        },
      ),
      { seed: 74, numRuns: 500 },
    );
  });

  it("that are IPv4-mapped keep their prefix if they have 16 octets", () => {
    expect(ipToText(fromHex("00000000000000000000ffffc0000201"))).toBe("::ffff:192.0.2.1");
  });

  it.each([
    ["10.0.0.1", ["10.0.0.1"]],
    ["0x0a.1", ["10.0.0.1"]],
    ["012.0.0.1", ["10.0.0.1", "12.0.0.1"]],
    ["167772161", ["10.0.0.1"]],
    ["10.1.", ["10.0.0.1"]],
    ["08.0.0.1", ["8.0.0.1"]],
    ["1.2.65535", ["1.2.255.255"]],
    ["::ffff:10.0.0.1", ["10.0.0.1"]],
    ["2001:DB8::1", ["2001:db8::1"]],
    ["1.2.3.4.5", []],
    ["1.2.3.256", []],
    ["1.256.3", []],
    ["4294967296", []],
    ["a.1", []],
    ["", []],
    [".", []],
    ["1..2", []],
  ])("that the host name %j could mean are %j", (text, addresses) =>
    expect(addressesReadFrom(text)).toEqual(addresses),
  );

  it("CIDR ranges lose their host bits, and malformed ones are rejected", () => {
    for (const [text, printed] of [
      ["192.0.2.77/24", "192.0.2.0/24"],
      ["10.255.0.0/9", "10.128.0.0/9"],
      ["0.0.0.0/0", "0.0.0.0/0"],
      ["2001:db8::1/33", "2001:db8::/33"],
      ["::1/128", "::1/128"],
      ["::ffff:10.1.2.3/104", "10.0.0.0/8"],
      ["::ffff:0:0/96", "0.0.0.0/0"],
      ["::ffff:0:0/95", "::fffe:0:0/95"],
    ] as const) {
      const range = parseCidr(text);
      expect(cidrText(Uint8Array.of(...(range?.address ?? []), ...(range?.mask ?? [])))).toBe(
        printed,
      );
    }
    for (const text of [
      "192.0.2.0",
      "192.0.2.0/33",
      "192.0.2.0/024",
      "::/129",
      "/8",
      "192.0.2.0/",
      "192.0.2.0/8/8",
    ])
      expect(parseCidr(text), text).toBeUndefined();
  });
});
