import { CaError } from "../../base/errors.ts";

/** Returns what the work gives; a refusal of it gets another code, and words before its text. */
export function refusedAs<T>(
  code: "malformed" | "bad_csr" | "bad_public_key",
  work: () => T,
  words = "",
): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CaError ? new CaError(code, words + error.message) : error;
  }
}
