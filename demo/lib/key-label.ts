import type { KeyAlgorithm } from "../../src/algorithms/algorithm.ts";
import { algorithmFor, keyAlgorithms } from "../../src/algorithms/table.ts";
import { CaError } from "../../src/base/errors.ts";

/** Formats a key as `ECDSA P-256`, `RSA 2048` or `Ed25519`. */
export const keyText = (algorithm: Pick<KeyAlgorithm, "describe">, bits: number): string =>
  algorithm.describe(bits).replace(/^EC /, "ECDSA ");

/** Formats a `key_type`, such as `EC`. Returns undefined if the type is unknown. */
export function keyTypeText(type: string): string | undefined {
  const [first, ...more] = keyAlgorithms.filter((algorithm) => algorithm.type === type);
  return more.length > 0 ? type.toUpperCase() : first?.name;
}

/** Formats a `key_type` and `key_bits`, which may be 0. */
export function requestedKeyText(type: string, bits: number): string {
  try {
    const match = algorithmFor(type, bits);
    return keyText(match.algorithm, match.bits);
  } catch (error) {
    if (error instanceof CaError) return `${keyTypeText(type) ?? type} ${bits}`;
    throw error;
  }
}
