import { CaError } from "../base/errors.ts";

/** A refusal `storage` that ends in the system's own words. */
export function storageError(text: string, cause: unknown): CaError {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return new CaError("storage", text + why, { cause });
}
