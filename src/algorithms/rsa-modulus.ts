/** Limit (2^16) below which a strong modulus has no prime factors. */
const minModulus = 0x10000;

/** Returns the odd primes below a limit (sieve of Eratosthenes). */
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
 * Multiplies numbers below 2^16: first in groups of three, whose product is a safe integer, and
 * then in pairs, because factors of equal length multiply fastest.
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
const sharesFactor = (n: bigint): boolean => {
  primorial ??= product(oddPrimes(minModulus));
  return commonDivisor(n, primorial % n) !== 1n;
};

/** Three primes and their product, which is a safe integer. */
type Triple = readonly [product: bigint, primes: readonly number[]];
/** Many primes as triples, and the product of all of them. */
type Group = readonly [product: bigint, triples: readonly Triple[]];
const chunks = <T>(list: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) =>
    list.slice(i * size, (i + 1) * size),
  );
let groups: readonly Group[] | undefined;
function isDivided(n: bigint): boolean {
  groups ??= chunks(oddPrimes(minModulus), 96).map((primes) => [
    product(primes),
    chunks(primes, 3).map((three) => [product(three), three]),
  ]);
  return groups.some(([all, triples]) => {
    const rest = n % all;
    return triples.some(([three, primes]) => {
      const last = Number(rest % three);
      return primes.some((prime) => last % prime === 0);
    });
  });
}

/**
 * Value above which trial division is faster than computing the greatest common divisor, which
 * takes quadratic time.
 */
const longModulus = 1n << 3072n;
/**
 * Reports whether an odd number has a prime factor below 2^16. Computes the greatest common divisor
 * with the product of all these primes, which has 94,000 bits, or divides if the number is long.
 */
const hasSmallFactor = (n: bigint): boolean => (n > longModulus ? isDivided(n) : sharesFactor(n));

/**
 * Largest prime used to detect the weak keys of CVE-2017-15361 (ROCA). With 38 odd primes, the
 * probability that a strong key is considered weak is about 2^-28.
 */
const lastRocaPrime = 167;

/**
 * For each prime, the residues of the powers of 65537. The modulus of a ROCA key has only such
 * residues.
 */
const rocaResidues: readonly (readonly [prime: number, reached: ReadonlySet<number>])[] = oddPrimes(
  lastRocaPrime + 1,
).map((prime) => {
  const reached = new Set<number>();
  for (let power = 1; !reached.has(power); power = (power * 65537) % prime) reached.add(power);
  return [prime, reached];
});
const rocaProduct = product(rocaResidues.map(([prime]) => prime));

/** Returns the largest integer whose square is at most n (Newton's method from above). */
function squareRoot(n: bigint): bigint {
  if (n === 0n) return 0n;
  let root = 1n << BigInt(Math.ceil(n.toString(16).length / 2) * 4);
  for (let next = (root + n / root) >> 1n; next < root; next = (root + n / root) >> 1n) root = next;
  return root;
}

/**
 * Residues of squares modulo 5,040 = 16 * 9 * 5 * 7. Numbers with other residues are not squares,
 * which saves nearly all computations of square roots.
 */
const squareResidues: ReadonlySet<number> = new Set(
  Array.from({ length: 5040 }, (_, i) => (i * i) % 5040),
);

/**
 * Reports whether Fermat's factorization (n = a^2 - b^2 with a near the square root of n) succeeds,
 * which is the case if the two primes are close together.
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

/** Returns the reason why an RSA modulus is known to be weak, or undefined if it is not. */
export function modulusWeakness(n: bigint): string | undefined {
  if (n % 2n === 0n) return "the modulus is even";
  if (hasSmallFactor(n)) return "the modulus has a small prime factor";
  const residue = n % rocaProduct;
  if (rocaResidues.every(([prime, reached]) => reached.has(Number(residue % BigInt(prime)))))
    return "the modulus is from a generator with a known weakness (ROCA)";
  // 100 rounds, as public CAs must use (Baseline Requirements section 6.1.1.3)
  return hasClosePrimes(n, 100) ? "the two primes are too close together" : undefined;
}
