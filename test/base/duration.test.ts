import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  goDuration,
  parseDuration,
  parseInstant,
  rfc3339,
  rfc3339nano,
  shortDuration,
} from "../../src/base/duration.ts";
import { CaError } from "../../src/base/errors.ts";
import { forSeeds } from "./seeds.ts";

describe("durations", () => {
  it.each([
    [undefined, undefined],
    [null, undefined],
    ["", 0],
    [0, 0],
    [3600, 3600],
    ["3600", 3600],
    ["0", 0],
    ["+5", 5],
    ["30d", 2_592_000],
    ["0d", 0],
    ["72h", 259_200],
    ["2160h0m0s", 7_776_000],
    ["1h30m", 5400],
    ["1.5h", 5400],
    ["2.3m", 138],
    [".5m", 30],
    ["1.m", 60],
    ["1.1h", 3960],
    ["999ms", 0],
    ["1500ms", 1],
    ["0.4s600ms", 1],
    ["1000000us", 1],
    ["1000000µs", 1],
    ["1000000μs", 1],
    ["1999999999ns", 1],
    ["-0.5s", 0],
    [9_223_372_036, 9_223_372_036],
  ])("are parsed: %j is %j seconds", (raw, seconds) => {
    expect(parseDuration(raw)).toBe(seconds);
  });

  it.each([
    [1.5],
    [Number.NaN],
    [Infinity],
    [true],
    [{}],
    [["1h"]],
    ["1h1d"],
    ["1d1h"],
    ["1.5d"],
    ["h"],
    ["1x"],
    ["1 h"],
    [" 1h"],
    ["+"],
    ["-"],
    ["--1h"],
    ["1e3"],
    ["0x10"],
    ["."],
    [".h"],
    ["1hh"],
    ["1h30"],
    ["9223372037"],
    ["9".repeat(400)],
    ["9".repeat(50) + "h"],
  ])("are rejected: %j", (raw) => {
    expect(() => parseDuration(raw)).toThrow(CaError);
  });

  it.each([
    [-1, "-1"],
    ["-1", "-1"],
    ["-2d", "-172800"],
    ["-1h", "-3600"],
    ["-1.5s", "-1"],
  ])("are rejected if negative, with the number of seconds in the error: %j", (raw, said) => {
    expect(() => parseDuration(raw)).toThrow(`cannot provide negative value '${said}'`);
  });

  it.each([
    [2_764_800, "768h0m0s", "768h"],
    [259_200, "72h0m0s", "72h"],
    [5400, "1h30m0s", "90m"],
    [3661, "1h1m1s", "3661s"],
    [90, "1m30s", "90s"],
    [60, "1m0s", "1m"],
    [45, "45s", "45s"],
    [0, "0s", "0s"],
  ])("are printed: %d seconds as %s and %s", (seconds, go, short) => {
    expect([goDuration(seconds), shortDuration(seconds)]).toEqual([go, short]);
  });

  it("are parsed back from their printed form", () => {
    forSeeds(
      fc.property(fc.nat({ max: 9_223_372_036 }), (seconds) => {
        expect(parseDuration(goDuration(seconds))).toBe(seconds);
        expect(parseDuration(shortDuration(seconds))).toBe(seconds);
      }),
    );
  });
});

describe("times", () => {
  it.each([
    ["1970-01-01T00:00:00Z", 0],
    ["2030-01-02T03:04:05Z", 1_893_553_445],
    ["2030-01-02T03:04:05.999999999Z", 1_893_553_445],
    ["2030-01-02T03:04:05+01:30", 1_893_548_045],
    ["2030-01-02T03:04:05-01:30", 1_893_558_845],
    ["2024-02-29T00:00:00Z", 1_709_164_800],
    ["9999-12-31T23:59:59Z", 253_402_300_799],
    ["0000-01-01T00:00:00Z", -62_167_219_200],
    ["0050-06-01T00:00:00Z", -60_576_249_600],
  ])("are parsed: %s is %d", (text, seconds) => {
    expect(parseInstant(text)).toBe(seconds);
  });

  it.each([
    "",
    "now",
    "2030-01-02",
    "2030-01-02T03:04:05",
    "2030-01-02 03:04:05Z",
    "2030-1-02T03:04:05Z",
    "2030-13-01T00:00:00Z",
    "2030-00-01T00:00:00Z",
    "2030-02-29T00:00:00Z",
    "2030-02-30T00:00:00Z",
    "2030-01-00T00:00:00Z",
    "2030-01-01T24:00:00Z",
    "2030-01-01T00:60:00Z",
    "2016-12-31T23:59:60Z",
    "2030-01-01T00:00:00+24:00",
    "2030-01-01T00:00:00+01:60",
    "2030-01-01T00:00:00+0100",
    "2030-01-01T00:00:00.Z",
    "2030-01-01T00:00:00Z\n",
    "9999-12-31T23:59:59-00:01",
    "10000-01-01T00:00:00Z",
    "2030-01-01t00:00:00z",
  ])("are rejected: %j", (text) => {
    expect(() => parseInstant(text)).toThrow(CaError);
  });

  it("are printed with a fraction only if there is one", () => {
    expect(rfc3339(1_893_553_445)).toBe("2030-01-02T03:04:05Z");
    expect(rfc3339(253_402_300_799)).toBe("9999-12-31T23:59:59Z");
    expect([0, 120, 7, 999].map((ms) => rfc3339nano(1_893_553_450_000 + ms))).toEqual([
      "2030-01-02T03:04:10Z",
      "2030-01-02T03:04:10.12Z",
      "2030-01-02T03:04:10.007Z",
      "2030-01-02T03:04:10.999Z",
    ]);
  });

  it("are parsed back from their printed form", () => {
    forSeeds(
      fc.property(fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }), (seconds) => {
        expect(parseInstant(rfc3339(seconds))).toBe(seconds);
      }),
    );
  });
});
