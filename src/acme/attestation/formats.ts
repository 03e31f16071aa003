import { apple } from "./apple.ts";
import type { AttestationFormat } from "./format.ts";
import { tpm } from "./tpm.ts";

/** All attestation formats. */
const formats: readonly AttestationFormat[] = [apple, tpm];

/** Returns the attestation format of a name; undefined for an unsupported one. */
export const findFormat = (name: string): AttestationFormat | undefined =>
  formats.find((format) => format.name === name);
