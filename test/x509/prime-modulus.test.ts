import { beforeEach, describe, expect, it, vi } from "vitest";
import { generateKey } from "../../src/keys/generate.ts";
import { refusePrimeModulus, parsePublicKey } from "../../src/x509/public-key.ts";
import { yieldToEventLoop } from "../../src/base/event-loop.ts";
import { makeKey } from "./fixture.ts";
import { primeKey, primes, rsaSpki } from "./prime-key.ts";

vi.mock("../../src/base/event-loop.ts", { spy: true });
const turns = vi.mocked(yieldToEventLoop);
const refused = { code: "bad_key", message: "RSA key: the modulus is a prime" };
beforeEach(() => turns.mockClear());

describe("refusePrimeModulus", () => {
  it.each([2048, 4096, 6144, 8192] as const)(
    "rejects a prime RSA modulus of %i bits",
    async (bits) => {
      const key = parsePublicKey(rsaSpki(primes[bits]));
      await expect(refusePrimeModulus(key)).rejects.toMatchObject(refused);
    },
  );

  it("accepts products of two primes up to the maximum length, and keys of other types", async () => {
    const product = (await makeKey("RSA")).key;
    const longest = parsePublicKey(rsaSpki(primes[4096] * (primes[4096] + 2n)));
    const curve = (await makeKey("P-256")).key;
    for (const key of [product, longest, curve])
      await expect(refusePrimeModulus(key)).resolves.toBeUndefined();
  });

  it("yields to the event loop more often for a longer modulus, whose squarings take longer", async () => {
    const key = parsePublicKey(rsaSpki((1n << 8191n) + 1n));
    await refusePrimeModulus(key);
    expect(turns).toHaveBeenCalledTimes(64);
  });

  it("yields to the event loop, and caches the result for a key", async () => {
    const { key } = await makeKey("RSA");
    await refusePrimeModulus(key);
    expect(turns).toHaveBeenCalledTimes(4);
    await refusePrimeModulus(parsePublicKey(Uint8Array.from(key.spki)));
    expect(turns).toHaveBeenCalledTimes(4);

    const prime = primeKey().key;
    for (let i = 0; i < 2; i++)
      await expect(refusePrimeModulus(prime)).rejects.toMatchObject(refused);
    expect(turns.mock.calls.length).toBeLessThanOrEqual(8);
  });

  it("caches the result for a modulus, whatever the exponent", async () => {
    await expect(refusePrimeModulus(primeKey().key)).rejects.toMatchObject(refused);
    turns.mockClear();
    for (const e of [3n, 5n, 17n]) {
      const key = parsePublicKey(rsaSpki(primes[2048], e));
      await expect(refusePrimeModulus(key)).rejects.toMatchObject(refused);
    }
    expect(turns).not.toHaveBeenCalled();
  });

  it("does not test a key that was generated here", async () => {
    const { spki } = await generateKey("rsa", 2048);
    await refusePrimeModulus(parsePublicKey(spki));
    expect(turns).not.toHaveBeenCalled();
  });
});
