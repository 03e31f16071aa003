import { expect, it } from "vitest";
import { isTokenLike, wrongToken } from "../../../demo/lib/token-syntax.ts";
import { bareHex, colons, groups } from "../../../demo/lib/hex-text.ts";
import { distance } from "../../../demo/lib/time-text.ts";
import { duration, seconds } from "../../../demo/lib/durations.ts";
import { fileName } from "../../../demo/lib/file-name.ts";
import { mixesScripts } from "../../../demo/lib/lookalike.ts";
import { signatureName } from "../../../demo/lib/x509/signature-name.ts";
import { sizeText } from "../../../demo/lib/size-text.ts";
import { visible, visibleJson } from "../../../demo/lib/visible-text.ts";

it("invisible and bidirectional characters are shown as escapes", () => {
  expect(visible("a\u202eb\u0000c\u200bd")).toBe("a‹U+202E›b‹U+0000›c‹U+200B›d");
  expect(visible("\u{e0041}\ud800")).toBe("‹U+E0041›‹U+D800›");
  expect(visible("Zoë 漢字 🔏")).toBe("Zoë 漢字 🔏");
});

it("unsafe characters are escaped in JSON without changing its meaning", () => {
  const body = { name: "a\u202eb\u{e0041}c", list: ["Zoë\n"] };
  const text = visibleJson(JSON.stringify(body, null, 2));
  expect(text).toContain("a\\u202eb\\udb40\\udc41c");
  expect(text).toContain("\n");
  expect(JSON.parse(text)).toEqual(body);
});

it("names that mix letters of several scripts are detected", () => {
  expect(mixesScripts("p\u0430ypal.test")).toBe(true);
  expect(mixesScripts("paypal.test")).toBe(false);
  expect(mixesScripts("почта.test")).toBe(true);
});

it("serial numbers are parsed in every notation and formatted as in the API", () => {
  expect(bareHex("4F:61-d6 7d")).toBe("4f61d67d");
  expect(colons("4f61d67d")).toBe("4f:61:d6:7d");
  expect(groups("4f61d67d0a")).toBe("4f61 d67d 0a");
});

it("durations are parsed and formatted", () => {
  expect([
    seconds("90d"),
    seconds("72h"),
    seconds("30m"),
    seconds("45s"),
    seconds("7"),
    seconds("soon"),
  ]).toEqual([7_776_000, 259_200, 1800, 45, 7, undefined]);
  expect([
    seconds("1h30m"),
    seconds("1.5h"),
    seconds("2.3m"),
    seconds("1h30"),
    seconds("h"),
  ]).toEqual([5400, 5400, 138, undefined, undefined]);
  expect([duration(7_776_000), duration(5400), duration(45), duration(0)]).toEqual([
    "90d",
    "90m",
    "45s",
    "0s",
  ]);
});

it("time differences are shown in the largest suitable unit", () => {
  const now = new Date("2026-11-21T10:00:00Z");
  const at = (text: string): string => distance(new Date(text), now);
  expect([
    at("2027-01-17T10:00:00Z"),
    at("2026-11-21T11:00:00Z"),
    at("2026-11-20T10:00:00Z"),
    at("2036-11-21T10:00:00Z"),
    at("2026-11-21T09:59:01Z"),
    at("2026-11-21T09:59:00Z"),
    at("2026-11-21T10:00:59Z"),
  ]).toEqual([
    "in 57 days",
    "in 60 minutes",
    "24 hours ago",
    "in 10 years",
    "just now",
    "1 minute ago",
    "in less than a minute",
  ]);
});

it("file names contain no characters with a meaning for file systems", () => {
  expect(fileName("*.apps.example.test")).toBe("wildcard.apps.example.test");
  expect(fileName("../../etc/passwd\u202e")).toBe("etc-passwd");
  expect(fileName("…")).toBe("certificate");
});

it("sizes are shown in short form", () => {
  expect([sizeText(706), sizeText(3_100_000), sizeText(12e9)]).toEqual([
    "706 bytes",
    "3.1 MB",
    "12.0 GB",
  ]);
});

it.each([
  ["ECDSAWithSHA256", "ECDSA with SHA-256"],
  ["SHA512WithRSA", "RSA with SHA-512"],
  ["SHA384WithRSAPSS", "RSA-PSS with SHA-384"],
  ["DSAWithSHA1", "DSA with SHA-1"],
  ["Ed25519", "Ed25519"],
  ["MD5WithRSA", "RSA with MD5"],
  ["1.2.3.4", "1.2.3.4"],
])("the signature algorithm %s is shown as %s", (api, words) => {
  expect(signatureName(api)).toBe(words);
});

it("tokens are distinguished from host names, and text that is invalid in a header is not a token", () => {
  for (const token of ["s.for-this-test-only", "hvs.CAESIJabcdefgh", "v.0123456789abcdef"])
    expect(isTokenLike(token)).toBe(true);
  for (const name of [
    "s.example.com",
    "v.test",
    "www.example.com",
    "s.sub.longer-than-that.example",
  ])
    expect(isTokenLike(name)).toBe(false);
  expect(wrongToken("s.tökeñ")).not.toBe("");
  expect(wrongToken("s.two words")).not.toBe("");
  expect(wrongToken(" s.for-this-test-only ")).toBe("");
});
