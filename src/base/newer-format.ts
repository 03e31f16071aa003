import { CaError } from "./errors.ts";

/** Of a format: its number, and the first version that reads it, where that is known. */
export interface Format {
  readonly number: number;
  readonly version?: string;
}

/**
 * Refusal of stored data that a later version has brought into its own format (`storage`): nothing
 * of them is read or written.
 */
export class NewerFormatError extends CaError {
  constructor({ number, version }: Format) {
    const needed = version === undefined ? "a later version" : `version ${version} or later`;
    super("storage", `the data are stored in format ${number}: run ${needed}`);
  }
}
const form = /the data are stored in format (\d+): run (?:a later version|version (\S+) or later)$/;

/** The refusal in an error that has lost its class on the way between isolates. */
export function findNewerFormatError(error: unknown): NewerFormatError | undefined {
  if (error instanceof NewerFormatError) return error;
  const told = error instanceof Error ? form.exec(error.message) : undefined;
  if (!told) return undefined;
  const [, number, version] = told;
  return new NewerFormatError({ number: Number(number), ...(version ? { version } : {}) });
}
