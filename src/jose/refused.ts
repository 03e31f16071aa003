import { CaError } from "../base/errors.ts";

/** Returns the result of `work`. Throws its `CaError` with another code and a prefix. */
export function refusedAs<T>(
  code: "malformed" | "bad_csr" | "bad_public_key",
  work: () => T,
  prefix = "",
): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CaError ? new CaError(code, prefix + error.message) : error;
  }
}
