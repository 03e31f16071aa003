import { expect } from "vitest";

/**
 * Compares bytes at once. Vitest compares each of them by all its rules and then lists the keys of
 * both arrays, which takes a second for some megabytes.
 */
expect.addEqualityTesters([
  (one, other) =>
    one instanceof Uint8Array &&
    other instanceof Uint8Array &&
    one.constructor === other.constructor
      ? Buffer.compare(one, other) === 0
      : undefined,
]);
