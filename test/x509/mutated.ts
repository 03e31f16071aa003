import { expect } from "vitest";
import * as fc from "fast-check";
import { CaError } from "../../src/base/errors.ts";

/** Generates copies with a few bytes changed, removed or inserted. */
export const mutated = (original: Uint8Array): fc.Arbitrary<Uint8Array> =>
  fc
    .array(
      fc.tuple(
        fc.nat(original.length - 1),
        fc.constantFrom("set", "flip", "remove", "insert", "cut"),
        fc.nat(255),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((changes) => {
      let bytes = [...original];
      for (const [at, kind, value] of changes) {
        if (kind === "set") bytes[at % bytes.length] = value;
        else if (kind === "flip")
          bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (1 << (value & 7));
        else if (kind === "remove") bytes.splice(at % bytes.length, 1);
        else if (kind === "insert") bytes.splice(at % bytes.length, 0, value);
        else bytes = bytes.slice(0, Math.max(1, at));
      }
      return Uint8Array.from(bytes);
    });

/**
 * Returns the result of a parser, or undefined if it throws a `CaError`. Any other error fails the
 * test.
 */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    expect(error).toBeInstanceOf(CaError);
    return undefined;
  }
}
