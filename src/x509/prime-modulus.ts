import { bigintOf } from "../algorithms/form.ts";
import { toHex } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { yieldToEventLoop } from "../base/event-loop.ts";
import type { PublicKey } from "./spki.ts";

/** Length of the longest modulus that is accepted, bits. */
const maxBits = 8192;
/**
 * Returns the number of squarings between two turns of the event loop: at most about 10 ms. The
 * time of one grows with the square of the length.
 */
const squaringsPerTurn = (bits: number): number => Math.min(512, Math.floor(2 ** 33 / bits ** 2));

/** Keys that this process generated: products of two primes. */
const generated = new WeakSet<Uint8Array>();
/** Marks a public key (SPKI) that this process has just generated, which needs no test. */
export const trustGenerated = (spki: Uint8Array): void => void generated.add(spki);

/** Verdicts by the SHA-256 of the modulus: the same modulus with another exponent costs nothing. */
const verdicts = new Map<string, boolean>();
const maxVerdicts = 1000;

/**
 * Refuses (`bad_key`) an RSA key whose modulus is a prime: its private key follows from its public
 * key. Other keys pass. Call it last, before a certificate is signed: for a key that it has not
 * seen recently, it takes up to 70 ms of processor time (4096 bits) or 0.3 s (8192 bits).
 */
export async function refusePrimeModulus({
  type,
  bits,
  spki,
  keyBits,
}: Pick<PublicKey, "type" | "bits" | "spki" | "keyBits">): Promise<void> {
  if (type !== "rsa" || bits > maxBits || generated.has(spki)) return;
  const modulus = modulusOf(keyBits);
  const digest = await crypto.subtle.digest("SHA-256", Uint8Array.from(modulus));
  const id = toHex(new Uint8Array(digest));
  const isPrime =
    verdicts.get(id) ?? (await isProbablePrime(bigintOf(modulus), squaringsPerTurn(bits)));
  // entered again as the newest
  verdicts.delete(id);
  verdicts.set(id, isPrime);
  for (const oldest of verdicts.keys()) if (verdicts.size > maxVerdicts) verdicts.delete(oldest);
  if (isPrime) throw new CaError("bad_key", "RSA key: the modulus is a prime");
}

function modulusOf(keyBits: Uint8Array): Uint8Array {
  return readDer(keyBits, "RSA public key").enter("RSAPublicKey").unsigned("the modulus");
}

/**
 * Applies the test of Fermat to base 2, which every prime passes. A composite number passes it only
 * if it was constructed to do so.
 */
async function isProbablePrime(n: bigint, perTurn: number): Promise<boolean> {
  let power = 1n;
  let squarings = 0;
  for (const bit of (n - 1n).toString(2)) {
    power = (power * power) % n;
    if (bit === "1") power <<= 1n;
    if (++squarings % perTurn === 0) await yieldToEventLoop();
  }
  return power % n === 1n;
}
