import { CaError } from "../base/errors.ts";

/** Returns an error `storage` that ends with the system's message. */
export function storageError(text: string, cause: unknown): CaError {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return new CaError("storage", text + why, { cause });
}
