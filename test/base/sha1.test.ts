import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { sha1 } from "../../src/base/hashes.ts";
import { utf8 } from "../../src/base/bytes.ts";

it("sha1 matches the examples of FIPS 180", () => {
  const hex = (text: string) => Buffer.from(sha1(utf8(text))).toString("hex");
  expect(hex("abc")).toBe("a9993e364706816aba3e25717850c26c9cd0d89d");
  expect(hex("")).toBe("da39a3ee5e6b4b0d3255bfef95601890afd80709");
  expect(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")).toBe(
    "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
  );
});

it("sha1 matches the platform for every length across several blocks", () => {
  for (let length = 0; length <= 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 0xff);
    expect(Buffer.from(sha1(bytes)).toString("hex")).toBe(
      createHash("sha1").update(bytes).digest("hex"),
    );
  }
});
