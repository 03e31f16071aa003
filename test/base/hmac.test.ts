import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromHex, toHex, utf8 } from "../../src/base/bytes.ts";
import { hmacSha256 } from "../../src/base/hmac.ts";

describe("HMAC-SHA-256", () => {
  // RFC 4231, test cases 1, 2, 3, 6
  it.each([
    [
      "0b".repeat(20),
      utf8("Hi There"),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    ],
    [
      toHex(utf8("Jefe")),
      utf8("what do ya want for nothing?"),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ],
    [
      "aa".repeat(20),
      new Uint8Array(50).fill(0xdd),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
    ],
    [
      "aa".repeat(131),
      utf8("Test Using Larger Than Block-Size Key - Hash Key First"),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ],
  ])("matches RFC 4231 for the key %s", (key, data, expected) => {
    expect(toHex(hmacSha256(fromHex(key))(data))).toBe(expected);
  });

  it("matches WebCrypto for random keys and repeated calls", async () => {
    const seed = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
    process.stdout.write(`seed ${seed}\n`);
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 4 }),
        async (secret, messages) => {
          const algorithm = { name: "HMAC", hash: "SHA-256" };
          const bytes = new Uint8Array(secret);
          const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
          const mac = hmacSha256(bytes);
          for (const message of messages) {
            const expected = await crypto.subtle.sign("HMAC", key, new Uint8Array(message));
            expect(toHex(mac(message))).toBe(toHex(new Uint8Array(expected)));
          }
        },
      ),
      { seed, numRuns: 50 },
    );
  });
});
