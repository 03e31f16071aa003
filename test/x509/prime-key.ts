import { createHash, getDiffieHellman } from "node:crypto";
import { fromHex } from "../../src/base/bytes.ts";
import { bitString, integer, sequence, tlv } from "../../src/base/der.ts";
import { parsePublicKey } from "../../src/x509/public-key.ts";
import type { TestKey } from "./fixture.ts";

/** Returns the prime of a Diffie-Hellman group of RFC 3526. */
const groupPrime = (group: string): bigint =>
  BigInt(`0x${getDiffieHellman(group).getPrime("hex")}`);
/** Primes by their number of bits. */
export const primes = {
  2048: (1n << 2047n) + 1919n,
  4096: (1n << 4095n) + 579n,
  6144: groupPrime("modp17"),
  8192: groupPrime("modp18"),
} as const;
const exponent = 65537n;

const bytesOf = (n: bigint): Uint8Array => {
  const hex = n.toString(16);
  return fromHex(hex.padStart(hex.length + (hex.length % 2), "0"));
};

/** SubjectPublicKeyInfo of an RSA key of a modulus. */
export const rsaSpki = (modulus: bigint, e = exponent): Uint8Array =>
  sequence(
    sequence(fromHex("06092a864886f70d010101"), tlv(0x05)),
    bitString(sequence(integer(bytesOf(modulus)), integer(bytesOf(e)))),
  );

/** Finds x with `a * x = 1` modulo n. */
function inverse(a: bigint, n: bigint): bigint {
  let [rest, next, x, y] = [n, a % n, 0n, 1n];
  while (next > 1n) [rest, next, x, y] = [next, rest % next, y, x - (rest / next) * y];
  return ((y % n) + n) % n;
}
function power(base: bigint, to: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (const bit of to.toString(2)) {
    result = (result * result) % modulus;
    if (bit === "1") result = (result * base) % modulus;
  }
  return result;
}

/**
 * Returns an RSA key with a prime modulus. Anyone can compute its private exponent: the inverse of
 * the public exponent modulo n - 1.
 */
export function primeKey(bits: keyof typeof primes = 2048): TestKey {
  const n = primes[bits];
  const d = inverse(exponent, n - 1n);
  return {
    key: parsePublicKey(rsaSpki(n)),
    scheme: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
    sign: async (data) => {
      const digest = createHash("sha256").update(data).digest("hex");
      const info = `003031300d060960864801650304020105000420${digest}`;
      const padded = `0001${"f".repeat(bits / 4 - 4 - info.length)}${info}`;
      return fromHex(
        power(BigInt(`0x${padded}`), d, n)
          .toString(16)
          .padStart(bits / 4, "0"),
      );
    },
  };
}
