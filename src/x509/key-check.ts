import { CaError } from "../base/errors.ts";
import { bigintOf, pointOnCurve } from "./curve.ts";
import type { PublicKey } from "./spki.ts";

/** Where prime factors end that nobody's key has: 2^16. */
const smallest = 0x10000;

/** Odd primes below a limit, by the sieve of Eratosthenes. */
function oddPrimes(limit: number): readonly number[] {
  const composite = new Uint8Array(limit);
  const primes: number[] = [];
  for (let n = 3; n < limit; n += 2) {
    if (composite[n] === 1) continue;
    primes.push(n);
    for (let multiple = n * n; multiple < limit; multiple += 2 * n) composite[multiple] = 1;
  }
  return primes;
}
/**
 * The product of numbers below 2^16: in groups of three, which a number holds, then of pairs, since
 * factors of one length multiply fastest.
 */
function product(numbers: readonly number[]): bigint {
  let factors: bigint[] = [];
  for (let i = 0; i < numbers.length; i += 3)
    factors.push(BigInt((numbers[i] ?? 1) * (numbers[i + 1] ?? 1) * (numbers[i + 2] ?? 1)));
  while (factors.length > 1)
    factors = factors.flatMap((factor, i) =>
      i % 2 === 0 ? [factor * (factors[i + 1] ?? 1n)] : [],
    );
  return factors[0] ?? 1n;
}
function commonDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}
let primorial: bigint | undefined;
/**
 * Whether an odd number has a prime factor below 2^16: one greatest common divisor with the product
 * of all of them, which has 94,000 bits.
 */
function hasSmallFactor(n: bigint): boolean {
  primorial ??= product(oddPrimes(smallest));
  return commonDivisor(n, primorial % n) !== 1n;
}

/**
 * Primes up to this one tell the keys of CVE-2017-15361 (ROCA) from others: 38 odd primes, a chance
 * of about 2^-28 for an innocent key.
 */
const lastRocaPrime = 167;

/**
 * For each prime, the residues that powers of 65537 reach: the moduli of ROCA keys reach no others.
 */
const rocaResidues: readonly (readonly [prime: number, reached: ReadonlySet<number>])[] = oddPrimes(
  lastRocaPrime + 1,
).map((prime) => {
  const reached = new Set<number>();
  for (let power = 1; !reached.has(power); power = (power * 65537) % prime) reached.add(power);
  return [prime, reached];
});
const rocaProduct = product(rocaResidues.map(([prime]) => prime));

/** The largest integer whose square is not above n, by Newton's method from above. */
function squareRoot(n: bigint): bigint {
  if (n === 0n) return 0n;
  let root = 1n << BigInt(Math.ceil(n.toString(16).length / 2) * 4);
  for (let next = (root + n / root) >> 1n; next < root; next = (root + n / root) >> 1n) root = next;
  return root;
}

/** Residues modulo 5,040 = 16 * 9 * 5 * 7 that squares have: spares nearly all square roots. */
const squareResidues: ReadonlySet<number> = new Set(
  Array.from({ length: 5040 }, (_, i) => (i * i) % 5040),
);

/**
 * Tries the factoring of Fermat: n = a^2 - b^2 with a near the square root, found when the two
 * primes lie close together.
 */
function hasClosePrimes(n: bigint, rounds: number): boolean {
  let a = squareRoot(n);
  if (a * a < n) a += 1n;
  let rest = a * a - n;
  for (let round = 0; round < rounds; round++) {
    if (squareResidues.has(Number(rest % 5040n)) && squareRoot(rest) ** 2n === rest) return true;
    rest += 2n * a + 1n;
    a += 1n;
  }
  return false;
}

function checkRsa(key: PublicKey): void {
  const { bits, exponent } = key;
  if (bits < 2048)
    throw new CaError("bad_key", `RSA keys < 2048 bits are unsafe and not supported: got ${bits}`);
  if (bits > 8192 || bits % 128 !== 0)
    throw new CaError("bad_key", `unsupported bit length for RSA key: ${bits}`);
  if (exponent !== 65537)
    throw new CaError("bad_key", `RSA key: the exponent must be 65537, got ${exponent}`);
  const n = bigintOf(key.modulus ?? new Uint8Array(0));
  if (n % 2n === 0n) throw new CaError("bad_key", "RSA key: the modulus is even");
  if (hasSmallFactor(n))
    throw new CaError("bad_key", "RSA key: the modulus has a small prime factor");
  const residue = n % rocaProduct;
  if (rocaResidues.every(([prime, reached]) => reached.has(Number(residue % BigInt(prime))))) {
    throw new CaError("bad_key", "RSA key: made by a generator that is known to be weak (ROCA)");
  }
  // 100 rounds, as the rules for public authorities ask (Baseline Requirements section 6.1.1.3).
  if (hasClosePrimes(n, 100))
    throw new CaError("bad_key", "RSA key: the two primes are too close together");
}

const edwardsPrime = 2n ** 255n - 19n;
const lowOrder8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
/**
 * The y of the points whose order divides eight: a signature under such a key proves nothing, since
 * everybody can make it.
 */
const lowOrder: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  edwardsPrime - 1n,
  lowOrder8,
  edwardsPrime - lowOrder8,
]);

/** Little-endian y with the sign of x in the last bit (RFC 8032 section 5.1.2). */
function checkEdwards({ keyBits }: PublicKey): void {
  const y = bigintOf(keyBits.toReversed()) & (2n ** 255n - 1n);
  if (y >= edwardsPrime) throw new CaError("bad_key", "Ed25519 key: the encoding is not canonical");
  if (lowOrder.has(y)) throw new CaError("bad_key", "Ed25519 key: a point of small order");
}

const sound = new WeakSet<PublicKey>();
/**
 * Refuses keys that are weak or not valid: sizes and exponent of RSA, known-weak RSA, EC points off
 * their curve, Ed25519 points of small order. Throws `CaError` `bad_key`.
 */
export function checkPublicKey(key: PublicKey): void {
  if (sound.has(key)) return;
  if (key.type === "rsa") checkRsa(key);
  if (key.type === "ec" && (!key.curve || !pointOnCurve(key.curve, key.keyBits))) {
    throw new CaError("bad_key", `EC key: the point is not on ${key.curve ?? "a known curve"}`);
  }
  if (key.type === "ed25519") checkEdwards(key);
  sound.add(key);
}
