import { modulusWeakness } from "../src/algorithms/rsa-modulus.ts";
import { atMost } from "./figures.ts";

/** Returns the shortest of 100 durations of a complete check of a modulus, in ms. */
function shortest(bits: bigint): number {
  let modulus = (1n << (bits - 1n)) + 123n;
  while (modulusWeakness(modulus) !== undefined) modulus += 2n;
  const durations = Array.from({ length: 100 }, () => {
    const begun = performance.now();
    modulusWeakness(modulus);
    return performance.now() - begun;
  });
  return Math.min(...durations);
}

/** Measures the check of the longest RSA modulus that a client can send, relative to 2048 bits. */
export function benchModulus(): Promise<void> {
  shortest(2048n);
  const ratio = shortest(8192n) / shortest(2048n);
  atMost("check of an RSA modulus of 8192 bits, relative to 2048 bits", ratio, 6, "times");
  return Promise.resolve();
}
