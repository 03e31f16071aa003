import fc from "fast-check";
import { expect, it } from "vitest";
import { placementOf } from "../../../src/engine/placement-rules.ts";
import type { Placement, PlacementRules } from "../../../src/engine/placement.ts";
import type { Batch, Index, Page, Store } from "../../../src/engine/ports.ts";
import { memoryStoreOf } from "../../../src/store/memory.ts";

/** Rows below `wide/` and `other/` are spread; all others are in the first partition. */
export const spreadRules: PlacementRules = [
  ["wide/", "spread"],
  ["other/", "spread"],
];
/** The same rules over four partitions. */
export const spreadPlacement = placementOf(spreadRules, 4);

const digits = [..."0123456789abcdef"];
const keys = [...digits.flatMap((digit) => [`wide/${digit}`, `other/x${digit}`]), "c", "d"];
const key = fc.constantFrom(...keys);
const index: fc.Arbitrary<Index | undefined> = fc.option(
  fc.record(
    { ends: fc.integer({ min: 0, max: 3 }), name: fc.constantFrom("m", "n", "ñ") },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);

interface Commit {
  readonly put: readonly (readonly [key: string, value: number, index?: Index])[];
  readonly del: readonly string[];
  /** Keys whose revisions are expected: the current ones, or those first read. */
  readonly expect: readonly (readonly [key: string, isNow: boolean])[];
  readonly append: boolean;
}
interface Listing {
  readonly prefix: string;
  readonly page: Page;
}
const commit: fc.Arbitrary<Commit> = fc.record({
  put: fc.array(
    fc
      .tuple(key, fc.nat(9), index)
      .map(([of, value, by]) => (by ? ([of, value, by] as const) : ([of, value] as const))),
    { minLength: 1, maxLength: 6 },
  ),
  del: fc.array(key, { maxLength: 6 }),
  expect: fc.array(fc.tuple(key, fc.boolean()), { maxLength: 2 }),
  append: fc.boolean(),
});
const limit = fc.integer({ min: 0, max: 6 });
const listing: fc.Arbitrary<Listing> = fc.record({
  prefix: fc.constantFrom("", "wide/", "other/", "other/x", "c", "p/"),
  page: fc.oneof(
    fc.record({ after: key, limit, values: fc.boolean() }, { requiredKeys: [] }),
    fc.record(
      {
        limit,
        by: fc.oneof(
          fc.record(
            {
              name: fc.constant("ends"),
              from: fc.integer({ min: 0, max: 3 }),
              to: fc.integer({ min: 0, max: 3 }),
              after: fc.tuple(fc.integer({ min: 0, max: 3 }), key),
            },
            { requiredKeys: ["name"] },
          ),
          fc.record(
            { name: fc.constant("name"), after: fc.tuple(fc.constantFrom("m", "n"), key) },
            { requiredKeys: ["name"] },
          ),
        ),
      },
      { requiredKeys: ["by"] },
    ),
  ),
});

/** Restricts a batch to the partition of its first row. */
function withinOnePartition(
  { put, del, expect: expected, append }: Commit,
  { placeOf }: Placement,
): Commit {
  const place = placeOf(put[0]?.[0] ?? "");
  const isThere = (of: string): boolean => placeOf(of) === place;
  return {
    put: put.filter(([of]) => isThere(of)),
    del: del.filter(isThere),
    expect: expected.filter(([of]) => isThere(of)),
    append: append && place === 0,
  };
}

/** Revisions of the rows as first read, by key. */
type Revisions = Map<string, number | null>;
async function batchFor(store: Store, step: Commit, old: Revisions): Promise<Batch> {
  const rows = await store.get(step.expect.map(([of]) => of));
  return {
    put: step.put,
    del: step.del,
    ...(step.append ? { append: [["p/", new Uint8Array([1, 2])] as const] } : {}),
    expect: step.expect.map(([of, isNow], at) => {
      const now = rows[at]?.rev ?? null;
      if (!old.has(of)) old.set(of, now);
      return [of, isNow ? now : (old.get(of) ?? null)];
    }),
  };
}
const shown = async (store: Store, { prefix, page }: Listing) =>
  (await store.list(prefix, page)).map(([of, { value, indexed }]) => [of, value, indexed]);

interface Comparison {
  /** The partitions of rows at the end. */
  readonly placement?: Placement;
  /** Whether rows are moved during the steps. */
  readonly isGrowing?: boolean;
}
/** Asserts that a partitioned store behaves like one store in memory. */
async function compare(
  partitioned: Store,
  steps: readonly (Commit | Listing)[],
  { placement = spreadPlacement, isGrowing = false }: Comparison,
): Promise<void> {
  const single = memoryStoreOf();
  const [old, oldOfSingle]: [Revisions, Revisions] = [new Map(), new Map()];
  for (const step of steps) {
    if ("prefix" in step) {
      expect(await shown(partitioned, step)).toEqual(await shown(single, step));
      continue;
    }
    // a row that was moved has another revision
    const current = { ...step, expect: step.expect.map(([of]) => [of, true] as const) };
    const within = withinOnePartition(isGrowing ? current : step, placement);
    const done = await partitioned.commit(await batchFor(partitioned, within, old));
    expect(done).toEqual(await single.commit(await batchFor(single, within, oldOfSingle)));
  }
  const names = [...keys, "none"];
  const values = async (store: Store) => (await store.get(names)).map((row) => row?.value);
  expect(await values(partitioned)).toEqual(await values(single));
  const all = { prefix: "", page: {} };
  expect(await shown(partitioned, all)).toEqual(await shown(single, all));
}

/** Compares random batches of one partition each, and listings, with a single store. */
export function partitionedRandom(
  open: () => Promise<Store> | Store,
  { fixed, fresh, ...comparison }: Comparison & { readonly fixed: number; readonly fresh: number },
): void {
  const property = fc.asyncProperty(
    fc.array(fc.oneof({ weight: 2, arbitrary: commit }, { weight: 1, arbitrary: listing }), {
      minLength: 1,
      maxLength: 25,
      size: "max",
    }),
    async (steps) => compare(await open(), steps, comparison),
  );
  it(`behaves like one store in ${fixed} fixed sequences`, async () => {
    await fc.assert(property, { seed: 20_261_129, numRuns: fixed });
  });
  const seed = Date.now() & 0x7fffffff;
  const title = `behaves like one store in ${fresh} new sequences (seed ${seed})`;
  it(title, async () => {
    await fc.assert(property, { seed, numRuns: fresh });
  });
}
