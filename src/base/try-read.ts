import { CaError } from "./errors.ts";

/** Returns what `read` returns, or undefined where it refuses the value with a CaError. */
export function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}
