import { expect, it } from "vitest";
import { storeChecks } from "../../src/conformance/index.ts";
import type { Batch, ExportedRow, Page, Store } from "../../src/engine/ports.ts";
import { memoryStoreOf } from "../../src/store/memory.ts";

/** The names of the checks that a store does not pass. */
async function failing(change: (store: Store) => Partial<Store>): Promise<readonly string[]> {
  const open = (): Store => {
    const store = memoryStoreOf();
    return { ...store, ...change(store) };
  };
  const failed: string[] = [];
  for (const { name, run } of storeChecks(open, { sequences: 5, steps: 12, seed: 7 }))
    await run().catch(() => failed.push(name));
  return failed;
}
const committing = (change: (batch: Batch) => Batch) => (store: Store) => ({
  commit: (batch: Batch) => store.commit(change(batch)),
});
const listing = (change: (page: Page) => Page) => (store: Store) => ({
  list: (prefix: string, page: Page = {}) => store.list(prefix, change(page)),
});
/** Removes a field, as a store sees it that ignores the field. */
const without =
  <T extends object>(name: keyof T) =>
  (whole: T): T =>
    // the removed fields are optional
    Object.fromEntries(Object.entries(whole).filter(([member]) => member !== name)) as T;

it("storeChecks pass for a conforming store, with or without an export", async () => {
  expect(await failing(() => ({}))).toEqual([]);
  const open = (): Store => {
    const { export: _, ...store } = memoryStoreOf();
    return store;
  };
  for (const { run } of storeChecks(open, { sequences: 1 })) await run();
});

it.each<[string, (store: Store) => Partial<Store>]>([
  ["ignores what a batch expects", committing(without("expect"))],
  [
    "ignores an index",
    committing(({ put = [], ...batch }) => ({
      ...batch,
      put: put.map(([key, value]) => [key, value]),
    })),
  ],
  ["ignores appends", committing(without("append"))],
  ["ignores log entries", committing(without("log"))],
  ["never increments the epoch", committing(without("epoch"))],
  ["applies a batch at any epoch", committing(without("onlyAtEpoch"))],
  ["clears nothing", committing(without("clear"))],
  [
    "returns at most ten rows",
    listing((page) => ({ ...page, limit: Math.min(page.limit ?? 10, 10) })),
  ],
  ["always lists from the beginning", listing(without("after"))],
  ["never omits values", listing(without("values"))],
  [
    "returns rows without their index values",
    ({ getWithIndex }) => ({
      getWithIndex: async (keys) =>
        ((await getWithIndex?.(keys)) ?? []).map(
          (row) => row && without<ExportedRow>("index")(row),
        ),
    }),
  ],
  [
    "reads no row after a listing",
    ({ list }) => ({
      listThenGet: async (prefix, page) => [await list(prefix, page), undefined],
    }),
  ],
])("storeChecks fail for a store that %s", async (_, change) => {
  expect((await failing(change)).length).toBeGreaterThan(0);
});

it("a check reports actual and expected values, and a random check its seed", async () => {
  const broken = (): Store => ({
    ...memoryStoreOf(),
    get: async (keys) => keys.map(() => undefined),
  });
  const checks = storeChecks(broken, { sequences: 5, seed: 7 });
  await expect(checks[0]?.run()).rejects.toThrow(/result: expected .*é.*, got /);
  expect(checks.at(-1)?.name).toBe("behaves like a model in 5 random sequences (seed 7)");
});
