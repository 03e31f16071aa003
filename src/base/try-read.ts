import { CaError } from "./errors.ts";

/** Returns the result of `read`, or undefined if it throws a CaError. */
export function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}
