import { apple } from "./apple.ts";
import type { AttestationFormat } from "./format.ts";
import { tpm } from "./tpm.ts";

/** The supported attestation formats. */
const formats: readonly AttestationFormat[] = [apple, tpm];

/**
 * Returns the attestation format with the given name, or undefined if the format is not supported.
 */
export const findFormat = (name: string): AttestationFormat | undefined =>
  formats.find((format) => format.name === name);
