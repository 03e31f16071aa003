import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { fromHex, toHex, utf8 } from "../../src/base/bytes.ts";
import * as der from "../../src/base/der.ts";
import { CaError } from "../../src/base/errors.ts";

const read = (hex: string): der.Reader => der.readDer(fromHex(hex), "test");
const instant = (text: string): number => Date.parse(text) / 1000;

describe("the DER encoder", () => {
  it.each([
    [der.integer(0), "020100"],
    [der.integer(127), "02017f"],
    [der.integer(128), "02020080"],
    [der.integer(256), "02020100"],
    [der.integer(Number.MAX_SAFE_INTEGER), "02071fffffffffffff"],
    [der.integer(Uint8Array.of(0, 0, 0x80)), "02020080"],
    [der.integer(new Uint8Array(0)), "020100"],
    [der.boolean(true), "0101ff"],
    [der.boolean(false), "010100"],
    [der.nullValue, "0500"],
    [der.oid("1.2.840.113549.1.1.11"), "06092a864886f70d01010b"],
    [der.oid("2.999.3"), "0603883703"],
    [der.oid("0.39"), "060127"],
    [der.bitString(Uint8Array.of(0x80), 7), "03020780"],
    [der.octets(Uint8Array.of(1)), "040101"],
    [der.utf8String("ü"), "0c02c3bc"],
    [der.directoryString("A b"), "1303412062"],
    [der.ia5String("a@b"), "1603614062"],
    [der.explicit(3, der.nullValue), "a3020500"],
    [der.ia5String("a", 0x86), "860161"],
    [der.octets(Uint8Array.of(1), 0x80), "800101"],
    [der.set(der.integer(300), der.integer(2), der.boolean(true)), "310a0101ff0201020202012c"],
    [der.sequence(), "3000"],
  ])("encodes value %#", (bytes, hex) => expect(toHex(bytes)).toBe(hex));

  it("encodes lengths in the minimal form", () => {
    const heads = [0, 127, 128, 255, 256, 65535, 65536].map((size) =>
      toHex(der.octets(new Uint8Array(size)).subarray(0, 5)).slice(0, 10),
    );
    expect(heads.map((head) => head.slice(2))).toEqual([
      "00",
      "7f000000",
      "81800000",
      "81ff0000",
      "82010000",
      "82ffff00",
      "83010000",
    ]);
    expect(der.tagAndLength(0x30, 0x1000000)).toEqual(fromHex("308401000000"));
  });

  it.each([
    ["1950-01-01T00:00:00Z", "170d3530303130313030303030305a"],
    ["1999-12-31T23:59:59Z", "170d3939313233313233353935395a"],
    ["2049-12-31T23:59:59Z", "170d3439313233313233353935395a"],
    ["2050-01-01T00:00:00Z", "180f32303530303130313030303030305a"],
    ["9999-12-31T23:59:59Z", "180f39393939313233313233353935395a"],
    ["1949-12-31T23:59:59Z", "180f31393439313233313233353935395a"],
  ])("encodes %s with the right time type, and reads it back", (text, hex) => {
    expect(toHex(der.time(instant(text)))).toBe(hex);
    expect(read(hex).time("a time")).toBe(instant(text));
  });

  it("rejects fractional times and times outside the years 0 to 9999", () => {
    for (const value of [253402300800, 1.5, Number.NaN, -62167219201])
      expect(() => der.time(value)).toThrow(CaError);
  });

  it("rejects invalid object identifiers", () => {
    for (const text of [
      "",
      "1",
      "3.1",
      "1.40",
      "1.02",
      "1..2",
      "1.2.",
      ".1.2",
      "1.a",
      "1.-2",
      "1.2 ",
      `1.${"9".repeat(20)}`,
      `1.2${".1".repeat(200)}`,
    ]) {
      expect(() => der.oid(text), text).toThrow(CaError);
    }
  });

  it("writes PrintableString only if it allows all characters", () => {
    for (const text of ["*", "a@b", "a_b", "ü", "a\u0000"])
      expect(der.directoryString(text)).toEqual(der.utf8String(text));
  });

  it("rejects values that the type cannot represent", () => {
    expect(() => der.ia5String("ü")).toThrow(CaError);
    expect(() => der.integer(-1)).toThrow(TypeError);
  });
});

describe("the DER reader", () => {
  it.each([
    ["an indefinite length", "30800000"],
    ["a long length below 128", "04810100"],
    ["a length with leading zeros", "0482008000"],
    ["a length of five bytes", "04850000000001"],
    ["a length beyond the end", "040200"],
    ["a missing length", "04"],
    ["empty input", ""],
    ["a trailing byte", "040000"],
    ["a high tag number", "1f8100"],
    ["a high tag number of the context class", "bf2100"],
    ["end-of-contents octets", "0000"],
    ["a constructed OCTET STRING", "2403040100"],
    ["a primitive SEQUENCE", "1000"],
    ["a primitive SET", "1100"],
  ])("rejects %s", (_, hex) => {
    expect(() => read(hex)).toThrow(CaError);
    expect(() => der.checkDer(fromHex(hex), "test")).toThrow(CaError);
  });

  it.each([
    ["empty", "0200"],
    ["padded with a zero octet", "0202007f"],
    ["padded with an octet of ones", "0202ff80"],
  ])("rejects an INTEGER that is %s", (_, hex) => {
    expect(() => read(hex).integer("it")).toThrow(CaError);
    expect(() => der.checkDer(fromHex(hex), "test")).toThrow(CaError);
  });

  it("rejects negative numbers if they are not allowed, and numbers above 2^53", () => {
    expect(() => read("0201ff").unsigned("it")).toThrow(/it is negative/);
    expect(() => read("020720000000000000").number("it")).toThrow(/too large/);
    expect(read("02071fffffffffffff").number("it")).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each(["010101", "0100", "01020000", "0101fe"])("rejects the BOOLEAN %s", (hex) =>
    expect(() => read(hex).boolean("it")).toThrow(CaError),
  );

  it.each(["0300", "030108", "030101", "03020880", "03020101", "030207c0"])(
    "rejects the BIT STRING %s",
    (hex) => expect(() => read(hex).bitString("it")).toThrow(CaError),
  );

  it.each([
    "0600",
    "060180",
    "06022a80",
    "06032a8001",
    `0681${"82"}${"01".repeat(130)}`,
    `060a2a${"ff".repeat(8)}7f`,
  ])("rejects the object identifier %s", (hex) =>
    expect(() => read(hex).oid("it")).toThrow(CaError),
  );

  it.each([
    ["without seconds", 0x17, "2601010000Z"],
    ["with an offset", 0x17, "260101000000+0100"],
    ["with February 30", 0x17, "260230000000Z"],
    ["with hour 24", 0x17, "260101240000Z"],
    ["with second 60", 0x17, "261231235960Z"],
    ["with month 13", 0x17, "261301000000Z"],
    ["with fractions", 0x18, "20600101000000.5Z"],
    ["in local time", 0x18, "20600101000000"],
    ["of 2049 as GeneralizedTime", 0x18, "20491231235959Z"],
    ["with a space instead of a digit", 0x17, "2601010000 0Z"],
    ["of 300 digits", 0x18, "2".repeat(300)],
  ])("rejects a time %s", (_, tag, text) => {
    expect(() => der.readDer(der.tlv(tag, utf8(text)), "test").time("it")).toThrow(CaError);
  });

  it("names the position of an error", () => {
    const outer = der
      .readDer(der.sequence(der.sequence(der.nullValue)), "certificate")
      .enter("the body");
    expect(() => outer.enter("the validity").time("notBefore")).toThrow(
      "certificate, the body, the validity: notBefore has tag 0x5 instead of 0x18",
    );
  });

  it("rejects nesting deeper than 32, in bounded time for 10,000 levels", () => {
    const nested = (levels: number): Uint8Array => {
      let inner: Uint8Array = der.nullValue;
      for (let i = 0; i < levels; i++) inner = der.sequence(inner);
      return inner;
    };
    der.checkDer(nested(32), "test");
    expect(() => der.checkDer(nested(33), "test")).toThrow(/deeper than 32/);
    expect(() => der.checkDer(nested(10_000), "test")).toThrow(/deeper than 32/);
  });

  it("rejects an input larger than its limit", () =>
    expect(() => der.readDer(new Uint8Array(11), "test", 10)).toThrow(
      "test: larger than 10 bytes",
    ));

  it("rejects an object identifier of one mebibyte", () => {
    expect(() =>
      der.checkDer(der.tlv(0x06, new Uint8Array(1024 * 1024 - 10).fill(0xff)), "test"),
    ).toThrow(CaError);
  });

  it("requires that a level is read to its end", () => {
    const level = der.readDer(der.sequence(der.nullValue), "test").enter("the list");
    expect(() => level.end()).toThrow("test, the list: unexpected trailing bytes: 2");
  });
});

const newSeed = Date.now() & 0x7fffffff;
describe.each([
  ["fixed", 72, 200],
  ["new", newSeed, 50],
])("DER with the %s seed %i", (_, seed, numRuns) => {
  it("preserves numbers, object identifiers and times in a round trip", () => {
    const arcs = fc.tuple(
      fc.constantFrom(1, 0),
      fc.nat(39),
      fc.array(fc.maxSafeNat(), { maxLength: 8 }),
    );
    fc.assert(
      fc.property(
        fc.nat(),
        arcs,
        fc.integer({ min: -62167219200, max: 253402300799 }),
        (number, [root, second, rest], seconds) => {
          expect(der.readDer(der.integer(number), "test").number("it")).toBe(number);
          const text = [
            root,
            second,
            ...rest.map((arc) => Math.min(arc, Number.MAX_SAFE_INTEGER - 100)),
          ].join(".");
          expect(der.readDer(der.oid(text), "test").oid("it")).toBe(text);
          expect(der.readDer(der.time(seconds), "test").time("it")).toBe(seconds);
          expect(der.readDer(der.generalizedTime(seconds), "test").generalizedTime("it")).toBe(
            seconds,
          );
        },
      ),
      { seed, numRuns },
    );
  });

  it("accepts random bytes or rejects them with a CaError", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (value) => {
        try {
          der.checkDer(value, "test");
        } catch (error) {
          expect(error).toBeInstanceOf(CaError);
        }
      }),
      { seed, numRuns },
    );
  });
});
