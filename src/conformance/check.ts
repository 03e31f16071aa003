import { deepEqual } from "../base/deep-equal.ts";
import type { Store } from "../engine/ports.ts";

/** A function that opens a new, empty store. */
export type Open = () => Store | Promise<Store>;
/** A requirement that every store must meet. */
export interface Check {
  readonly name: string;
  /**
   * Resolves if the store meets the requirement. Otherwise rejects with an error that describes the
   * difference.
   */
  readonly run: (open: Open) => Promise<void>;
}
/** Creates a check. `name` states the requirement. */
export const check = (name: string, run: Check["run"]): Check => ({ name, run });

/** The properties of a CaError `storage`. */
export const storageError = { name: "CaError", code: "storage" };

/** Throws if two values differ. Values may contain byte arrays. */
export function requireEqual(actual: unknown, expected: unknown, where = "result"): void {
  if (!deepEqual(actual, expected))
    throw new Error(`${where}: expected ${describe(expected)}, got ${describe(actual)}`);
}
/** Throws an error with the message `what` unless `is` is true. */
export function requireTrue(is: boolean, what: string): void {
  if (!is) throw new Error(what);
}
/** Rejects unless a promise rejects with the expected error: a TypeError or a CaError `storage`. */
export async function requireRejection(
  promise: Promise<unknown>,
  expected: typeof TypeError | typeof storageError,
): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (cause: unknown) => cause ?? "nothing",
  );
  if (error === undefined) throw new Error("the call succeeded, but must be rejected");
  if (typeof expected === "function" ? error instanceof expected : isStorageError(error)) return;
  const name = typeof expected === "function" ? "TypeError" : "CaError `storage`";
  throw new Error(`the call must be rejected with a ${name}, but was rejected with another error`, {
    cause: error,
  });
}
const isStorageError = (error: unknown): boolean =>
  error instanceof Error &&
  error.name === storageError.name &&
  "code" in error &&
  error.code === storageError.code;

const maxLength = 2000;
function describe(value: unknown): string {
  const text =
    JSON.stringify(value, (_, one: unknown) =>
      one instanceof Uint8Array ? `${one.length} bytes [${one.slice(0, 20).join()}…]` : one,
    ) ?? "undefined";
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
