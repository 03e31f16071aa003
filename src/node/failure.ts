import { CaError } from "../base/errors.ts";

/** Returns a `storage` error that ends with the system's message. */
export function storageError(text: string, cause: unknown): CaError {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return new CaError("storage", text + why, { cause });
}
