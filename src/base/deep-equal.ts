import { equalBytes } from "./bytes.ts";

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/**
 * Reports whether two JSON values, which may contain `Uint8Array`, are equal. An undefined member
 * equals a missing member.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b)) return false;
  if (a instanceof Uint8Array || b instanceof Uint8Array)
    return a instanceof Uint8Array && b instanceof Uint8Array && equalBytes(a, b);
  if (Array.isArray(a) !== Array.isArray(b) || (Array.isArray(a) && a.length !== b["length"]))
    return false;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) =>
    deepEqual(a[name], b[name]),
  );
}
