import { expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { crc32 } from "../../src/base/hashes.ts";

it("crc32 returns the check value of the standard, and a different value for every single-bit change", () => {
  expect(crc32(utf8("123456789"))).toBe(0xcbf43926);
  expect(crc32(new Uint8Array(0))).toBe(0);
  const bytes = utf8("a certificate");
  const seen = new Set([crc32(bytes)]);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = bytes.slice();
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    seen.add(crc32(flipped));
  }
  expect(seen.size).toBe(bytes.length * 8 + 1);
});
