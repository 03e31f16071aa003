import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterFormat,
  decode,
  decodeView,
  deepCopy,
  encode,
  encodeUnchanging,
  formatOfBytes,
  joinEncoded,
} from "../../src/base/encoding.ts";

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, "", "__proto__"),
    fc.string({ unit: "grapheme" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Object.is(n, -0) ? 0 : n)),
    fc.uint8Array({ maxLength: 40 }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom("der", "__proto__", "0")),
      tie("value"),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
})).value;

describe("the encoding of values", () => {
  it("preserves every value, in a buffer of exactly its length", () => {
    fc.assert(
      fc.property(value, (one) => {
        const bytes = encode(one);
        expect(bytes.buffer.byteLength).toBe(bytes.length);
        expect(decode(bytes)).toEqual(one);
        expect(deepCopy(one)).toEqual(one);
      }),
      { seed: 7, numRuns: 2000 },
    );
  });

  it("of a short header and a certificate is little longer than the two", () => {
    expect(encode({ at: 1_790_000_000, der: new Uint8Array(650) }).length).toBeLessThan(700);
    expect(encode(new Uint8Array(650)).length).toBe(651);
  });

  it("is decoded into separate memory", () => {
    for (const one of [Uint8Array.of(1, 2), { der: Uint8Array.of(1, 2) }]) {
      const bytes = encode(one);
      const decoded = decode(bytes);
      bytes.fill(0);
      expect(decoded).toEqual(one);
    }
  });

  it("of an array can be joined from the encodings of its values, and decoded from a view", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), (values) => {
        const bytes = joinEncoded(values.map(encode));
        expect(decode(bytes)).toEqual(values);
        // a view into a larger buffer
        const part = Uint8Array.of(9, 9, ...bytes, 9).subarray(2, -1);
        expect(decodeView(part)).toEqual(values);
      }),
      { seed: 7, numRuns: 300 },
    );
    const joined = joinEncoded([Uint8Array.of(1, 2), Uint8Array.of(3)].map(encode));
    const decoded = decode(joined);
    joined.fill(0);
    expect(decoded).toEqual([Uint8Array.of(1, 2), Uint8Array.of(3)]);
  });

  it("of an unchanging byte array copies it unless its buffer has the format octet just before it", () => {
    const whole = Uint8Array.of(formatOfBytes, 1, 2);
    const own = afterFormat(whole);
    expect(encodeUnchanging(own)).toEqual(encode(own));
    expect(encodeUnchanging(own).buffer).toBe(whole.buffer);
    const others = [
      Uint8Array.of(1, 2),
      whole.subarray(1, 2),
      Uint8Array.of(1, 1, 2).subarray(1),
      Uint8Array.of(formatOfBytes, formatOfBytes, 1).subarray(2),
    ];
    for (const one of others) {
      const bytes = encodeUnchanging(one);
      expect(bytes).toEqual(encode(one));
      expect(bytes.buffer).not.toBe(one.buffer);
    }
  });

  it("rejects invalid values and invalid bytes", () => {
    expect(() => encode(undefined)).toThrow(TypeError);
    expect(() => encode(() => {})).toThrow(TypeError);
    expect(() => decode(new Uint8Array())).toThrow(TypeError);
    expect(() => decode(Uint8Array.of(9))).toThrow(TypeError);
  });

  it("copies only the part of a buffer that a view covers", () => {
    const view = new Uint8Array(1000).subarray(3, 5);
    expect(deepCopy(view).buffer.byteLength).toBe(2);
  });
});
