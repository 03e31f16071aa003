import fc from "fast-check";
import { it } from "vitest";
import { follow, type Step } from "../../src/conformance/model.ts";
import type { Batch, Index, Page, Store } from "../../src/engine/ports.ts";

/** Number of random sequences, and of their steps. */
export interface Effort {
  readonly fixed: number;
  readonly fresh: number;
  readonly steps: number;
}

const key = fc.constantFrom("a", "a/", "a/1", "a/2", "a0", "b/1", "b/2", "p/00000000", "p/x");
const value = fc.oneof(
  fc.integer({ min: 0, max: 9 }),
  fc.record({ n: fc.integer({ min: 0, max: 9 }), der: fc.uint8Array({ maxLength: 4 }) }),
);
const index: fc.Arbitrary<Index | undefined> = fc.option(
  fc.record(
    {
      not_after: fc.integer({ min: 1, max: 3 }),
      name: fc.constantFrom("m", "n", "ñ"),
      role: fc.constantFrom("r", "s"),
      issuer: fc.constant("i"),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const put = fc
  .tuple(key, value, index)
  .filter(([of]) => !of.startsWith("p/0"))
  .map(([of, to, by]) => (by ? ([of, to, by] as const) : ([of, to] as const)));
const batch: fc.Arbitrary<Batch> = fc.record(
  {
    put: fc.array(put, { maxLength: 3 }),
    del: fc.array(key, { maxLength: 2 }),
    append: fc.array(
      fc.tuple(
        fc.constant("p/"),
        fc.integer({ min: 0, max: 40_000 }).map((length) => new Uint8Array(length).fill(length)),
      ),
      { maxLength: 2 },
    ),
    log: fc.array(
      fc.tuple(fc.constantFrom("l/", "m/"), fc.integer({ min: 0, max: 9 }), fc.constant(1)),
      { maxLength: 2 },
    ),
    epoch: fc.oneof(fc.constant("next" as const), fc.integer({ min: 0, max: 4 })),
    onlyAtEpoch: fc.integer({ min: 0, max: 2 }),
    clear: fc.constant(true),
  },
  { requiredKeys: [] },
);
const page: fc.Arbitrary<Page> = fc.oneof(
  fc.record(
    { after: key, limit: fc.integer({ min: 0, max: 4 }), values: fc.boolean() },
    { requiredKeys: [] },
  ),
  fc.record(
    {
      by: fc.oneof(
        fc.record(
          {
            name: fc.constant("not_after" as const),
            from: fc.integer({ min: 0, max: 3 }),
            to: fc.integer({ min: 1, max: 4 }),
            after: fc.tuple(fc.integer({ min: 1, max: 3 }), key),
          },
          { requiredKeys: ["name"] },
        ),
        fc.record(
          {
            name: fc.constantFrom("name", "role", "issuer", "unused"),
            from: fc.constantFrom("a", "m", "n", "r"),
            to: fc.constantFrom("m", "n", "s", "z"),
            after: fc.tuple(fc.constantFrom("m", "n", "r"), key),
          },
          { requiredKeys: ["name"] },
        ),
      ),
      limit: fc.integer({ min: 0, max: 4 }),
    },
    { requiredKeys: ["by"] },
  ),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ batch, stale: fc.array(key, { maxLength: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ prefix: fc.constantFrom("", "a", "a/", "b/", "p/"), page }) },
);

/**
 * Compares random sequences of commits and listings with the model: `fixed` sequences with a
 * constant seed, `fresh` ones with a printed seed.
 */
export function storeRandom(open: () => Promise<Store>, { fixed, fresh, steps }: Effort): void {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: steps, size: "max" }),
    (sequence) => follow(open, sequence),
  );

  const inFixed = `does what the model does in ${fixed} fixed sequences`;
  it(inFixed, async () => {
    await fc.assert(property, { seed: 20_261_121, numRuns: fixed });
  });

  const seed = Date.now() & 0x7fffffff;
  const inNew = `does what the model does in ${fresh} new sequences (seed ${seed})`;
  it(inNew, async () => {
    await fc.assert(property, { seed, numRuns: fresh });
  });
}
