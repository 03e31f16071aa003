import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import * as bytes from "../../src/base/bytes.ts";

/** Loads the module as on an older engine, without the native conversions. */
async function withoutNatives(): Promise<typeof bytes> {
  const prototype = Uint8Array.prototype as unknown as Record<string, unknown>;
  const constructor = Uint8Array as unknown as Record<string, unknown>;
  const kept = {
    toHex: prototype["toHex"],
    toBase64: prototype["toBase64"],
    fromHex: constructor["fromHex"],
    fromBase64: constructor["fromBase64"],
  };
  Object.assign(prototype, { toHex: undefined, toBase64: undefined });
  Object.assign(constructor, { fromHex: undefined, fromBase64: undefined });
  // the query loads the module a second time, and leaves the modules of other files as they are
  const path = "../../src/base/bytes.ts?without-natives";
  const loaded = (await import(path)) as typeof bytes;
  // The module looks the conversions up at each call, so the proxy removes them during each call.
  return new Proxy(loaded, {
    get(target, name: keyof typeof bytes) {
      const value = target[name];
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        Object.assign(prototype, { toHex: undefined, toBase64: undefined });
        Object.assign(constructor, { fromHex: undefined, fromBase64: undefined });
        try {
          return (value as (...all: unknown[]) => unknown)(...args);
        } finally {
          Object.assign(prototype, { toHex: kept.toHex, toBase64: kept.toBase64 });
          Object.assign(constructor, { fromHex: kept.fromHex, fromBase64: kept.fromBase64 });
        }
      };
    },
  });
}

const variants = [
  ["with the engine's own conversions", () => Promise.resolve(bytes)] as const,
  ["without native conversions", withoutNatives] as const,
];

describe.each(variants)("byte conversions %s", (_, load) => {
  it("match Node for hexadecimal, base64 and base64url", async () => {
    const module = await load();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (value) => {
        const reference = Buffer.from(value);
        expect(module.toHex(value)).toBe(reference.toString("hex"));
        expect(module.toBase64(value)).toBe(reference.toString("base64"));
        expect(module.toBase64Url(value)).toBe(reference.toString("base64url"));
        expect(module.fromHex(module.toHex(value).toUpperCase())).toEqual(value);
        expect(module.fromBase64(module.toBase64(value))).toEqual(value);
        expect(module.fromBase64Url(module.toBase64Url(value))).toEqual(value);
      }),
      { seed: 71, numRuns: 200 },
    );
  });

  it("reject base64 with white space, wrong or missing padding, stray bits or foreign characters", async () => {
    const module = await load();
    for (const text of [
      "QQ",
      "QQ=",
      "QR==",
      "QUI",
      "QUJ=",
      "Q Q=",
      "QQ==\n",
      " QQ==",
      "Q===",
      "====",
      "QQ==QQ==",
      "QQ=A",
      "-_-_",
      "Qé==",
      "QQ\u0000=",
    ]) {
      expect(module.fromBase64(text), text).toBeUndefined();
    }
    for (const text of ["QQ==", "QR", "Q", "QUJ", "+/+/", "Q Q", "QQ\n"])
      expect(module.fromBase64Url(text), text).toBeUndefined();
    expect(module.fromBase64("")).toEqual(new Uint8Array(0));
  });

  it("reject odd-length and non-hexadecimal text with a TypeError", async () => {
    const module = await load();
    for (const text of ["0", "0g", "0x", " 00", "00\n", "é0"])
      expect(() => module.fromHex(text), text).toThrow(TypeError);
  });
});

describe("bytes", () => {
  it("are compared by their first difference, the shorter first", () => {
    const of = (...values: number[]): Uint8Array => Uint8Array.from(values);
    expect(bytes.compareBytes(of(1, 2), of(1, 3))).toBeLessThan(0);
    expect(bytes.compareBytes(of(2), of(1, 9))).toBeGreaterThan(0);
    expect(bytes.compareBytes(of(1), of(1, 0))).toBeLessThan(0);
    expect(bytes.compareBytes(of(), of())).toBe(0);
  });

  it("are equal only with the same length and content", () => {
    expect(bytes.equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
    expect(bytes.equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
    expect(bytes.equalBytes(Uint8Array.of(1), Uint8Array.of(1, 0))).toBe(false);
  });

  it("are concatenated, and printed with colons", () => {
    expect(bytes.concat([Uint8Array.of(1), new Uint8Array(0), Uint8Array.of(2, 3)])).toEqual(
      Uint8Array.of(1, 2, 3),
    );
    expect(bytes.colonHex(Uint8Array.of(0, 10, 255))).toBe("00:0a:ff");
    expect(bytes.colonHex(new Uint8Array(0))).toBe("");
  });

  it("that are not UTF-8 are rejected, and a byte order mark is kept", () => {
    expect(() => bytes.fromUtf8(Uint8Array.of(0xc3))).toThrow(TypeError);
    expect(bytes.fromUtf8(bytes.utf8("\ufeffü"))).toBe("\ufeffü");
  });
});
