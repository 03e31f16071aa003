import { CaError } from "../base/errors.ts";

/** Returns a CaError `storage` whose message ends with the message of its cause. */
export function storageError(text: string, cause: unknown): CaError {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return new CaError("storage", text + why, { cause });
}
