import { CaError } from "./errors.ts";

/** The number of a storage format, and the first version that can read it, if known. */
export interface Format {
  readonly number: number;
  readonly version?: string;
}

/**
 * An error with the code `storage`, for data that a later version has converted to its own format.
 * This version neither reads nor writes such data.
 */
export class NewerFormatError extends CaError {
  constructor({ number, version }: Format) {
    const needed = version === undefined ? "a later version" : `version ${version} or later`;
    super("storage", `the data is stored in format ${number}: run ${needed}`);
  }
}
// a Durable Object that still runs an older Worker version writes "are"
const form =
  /the data (?:is|are) stored in format (\d+): run (?:a later version|version (\S+) or later)$/;

/**
 * Restores a `NewerFormatError` from an error that lost its class when it crossed isolates. Returns
 * undefined for other errors.
 */
export function findNewerFormatError(error: unknown): NewerFormatError | undefined {
  if (error instanceof NewerFormatError) return error;
  const match = error instanceof Error ? form.exec(error.message) : undefined;
  if (!match) return undefined;
  const [, number, version] = match;
  return new NewerFormatError({ number: Number(number), ...(version ? { version } : {}) });
}
