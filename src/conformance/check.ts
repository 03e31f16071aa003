import { deepEqual } from "../base/deep-equal.ts";
import type { Store } from "../engine/ports.ts";

/** Opens a new, empty store. */
export type Open = () => Store | Promise<Store>;
/** A requirement of every store. */
export interface Check {
  readonly name: string;
  /** Resolves if a store meets it; rejects with an error that says what was found instead. */
  readonly run: (open: Open) => Promise<void>;
}
/** Returns a check with a name. */
export const check = (name: string, run: Check["run"]): Check => ({ name, run });

/** An error of the storage. */
export const storageError = { name: "CaError", code: "storage" };

/** Requires a value, which may contain bytes. */
export function requireEqual(actual: unknown, expected: unknown, where = "found"): void {
  if (!deepEqual(actual, expected))
    throw new Error(`${where}: ${describe(actual)}, not ${describe(expected)}`);
}
/** Requires a condition. */
export function requireTrue(is: boolean, what: string): void {
  if (!is) throw new Error(what);
}
/** Requires a rejection: a TypeError, or a CaError of the storage. */
export async function requireRejection(
  promise: Promise<unknown>,
  expected: typeof TypeError | typeof storageError,
): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (cause: unknown) => cause ?? "nothing",
  );
  if (error === undefined) throw new Error("was taken, and ought to be refused");
  if (typeof expected === "function" ? error instanceof expected : isStorageError(error)) return;
  const name = typeof expected === "function" ? "TypeError" : "CaError with the code `storage`";
  throw new Error(`was refused with another error than a ${name}`, { cause: error });
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
