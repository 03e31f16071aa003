import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { endsInNumber, hasReadableLabels, toAscii } from "../../src/base/names.ts";
import { decodePunycode, encodePunycode } from "../../src/base/punycode.ts";
import { forSeeds } from "./seeds.ts";

describe("punycode", () => {
  it.each([
    ["bcher-kva", "bücher"],
    ["ihqwcrb4cv8a8dqg056pqjye", "他们为什么不说中文"],
    ["3b-ww4c5e180e575a65lsy2b", "3年b組金八先生"],
    ["e28h", "😀"],
  ])("of %s decodes to %s (including RFC 3492 section 7.1)", (text, label) => {
    expect(decodePunycode(text)).toBe(label);
  });
  it.each([
    ["nothing", ""],
    ["ASCII only", "abc-"],
    ["a character that is not a digit", "bcher-k!va"],
    ["a letter outside ASCII", "bücher-kva"],
    ["an unterminated number", "bcher-k"],
    ["a number beyond all code points", "99999999"],
    ["a nonexistent code point", "a-99999a"],
    ["a lone surrogate", encodePunycode([0xd800])],
  ])("of %s cannot be decoded", (_, text) => {
    expect(decodePunycode(text)).toBeUndefined();
  });
  it("is decoded from its own output", () => {
    forSeeds(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), (text) => {
        fc.pre(/[^\0-\x7f]/.test(text));
        expect(
          decodePunycode(encodePunycode(Array.from(text, (char) => char.codePointAt(0) ?? 0))),
        ).toBe(text);
      }),
    );
  });
});

describe("labels of names", () => {
  it.each(["a.test", "xn--bcher-kva.test", "XN--BCHER-KVA.Test", "r3--a.test", "a.xn-b", "axn--b"])(
    "of %s are readable",
    (name) => {
      expect(hasReadableLabels(name)).toBe(true);
    },
  );
  it.each(["xn--.test", "xn--abc-", "a.xn--99999999.test", "xn--a*"])(
    "of %s are not readable",
    (name) => {
      expect(hasReadableLabels(name)).toBe(false);
    },
  );
  it.each(["xn--ä", "XN--ä", "a.xn--ü.test"])(
    "that begin like an A-label must be ASCII: %s",
    (name) => {
      expect(() => toAscii(name)).toThrow("idna: invalid label");
    },
  );
  it.each(["1", "a.1", "0x", "a.0xfF", "10.0.0.1", "0177.1.", "*.7"])(
    "end in a number in %s",
    (name) => {
      expect(endsInNumber(name)).toBe(true);
    },
  );
  it.each(["", "a", "1.a", "a1", "1a", "0xg", "a.-1", "a.1-", "1.."])(
    "do not end in a number in %j",
    (name) => {
      expect(endsInNumber(name)).toBe(false);
    },
  );
  it("beyond the length limit are rejected before all of them are encoded", () => {
    const encodedLabels = vi.spyOn(String, "fromCharCode");
    expect(toAscii("ü.ü")).toBe("xn--tda.xn--tda");
    expect(encodedLabels).toHaveBeenCalledTimes(2);
    encodedLabels.mockClear();
    expect(() => toAscii("ü.".repeat(30_000))).toThrow("idna: invalid label");
    expect(encodedLabels.mock.calls.length).toBeLessThan(300);
    encodedLabels.mockRestore();
  });
});
