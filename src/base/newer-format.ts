import { CaError } from "./errors.ts";

/** The number of a format, and the first version that reads it, if known. */
export interface Format {
  readonly number: number;
  readonly version?: string;
}

/**
 * An error (`storage`) for data that a later version has converted to its own format. This version
 * neither reads nor writes such data.
 */
export class NewerFormatError extends CaError {
  constructor({ number, version }: Format) {
    const needed = version === undefined ? "a later version" : `version ${version} or later`;
    super("storage", `the data are stored in format ${number}: run ${needed}`);
  }
}
const form = /the data are stored in format (\d+): run (?:a later version|version (\S+) or later)$/;

/** Restores the error from one that lost its class when it crossed isolates. */
export function findNewerFormatError(error: unknown): NewerFormatError | undefined {
  if (error instanceof NewerFormatError) return error;
  const match = error instanceof Error ? form.exec(error.message) : undefined;
  if (!match) return undefined;
  const [, number, version] = match;
  return new NewerFormatError({ number: Number(number), ...(version ? { version } : {}) });
}
