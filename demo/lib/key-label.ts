import type { KeyAlgorithm } from "../../src/algorithms/algorithm.ts";
import { algorithmFor, keyAlgorithms } from "../../src/algorithms/table.ts";
import { CaError } from "../../src/base/errors.ts";

/** A key in words: `ECDSA P-256`, `RSA 2048`, `Ed25519`. */
export const keyWords = (algorithm: Pick<KeyAlgorithm, "words">, bits: number): string =>
  algorithm.words(bits).replace(/^EC /, "ECDSA ");

/** A `key_type` in words, `EC`; undefined for one that is not known here. */
export function typeWords(type: string): string | undefined {
  const [first, ...more] = keyAlgorithms.filter((algorithm) => algorithm.type === type);
  return more.length > 0 ? type.toUpperCase() : first?.name;
}

/** The keys of a `key_type` and `key_bits`, which may be 0, in words. */
export function wantedWords(type: string, bits: number): string {
  try {
    const wanted = algorithmFor(type, bits);
    return keyWords(wanted.algorithm, wanted.bits);
  } catch (error) {
    if (error instanceof CaError) return `${typeWords(type) ?? type} ${bits}`;
    throw error;
  }
}
