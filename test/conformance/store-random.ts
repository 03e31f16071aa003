import fc from "fast-check";
import { expect, it } from "vitest";
import type { Batch, Index, Page, Row, Store } from "../../src/engine/ports.ts";

/** How many random sequences, and of how many steps. */
export interface Effort {
  readonly fixed: number;
  readonly fresh: number;
  readonly steps: number;
}

type Step =
  | { readonly batch: Batch; readonly stale: readonly string[] }
  | { readonly prefix: string; readonly page: Page };

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
 * The simplest thing that could be a store: every rule in its plainest form. Revisions are compared
 * by their order only.
 */
function model() {
  const rows = new Map<string, { value: unknown; index: Index; rev: number }>();
  let epoch = 0;
  let rev = 0;
  const put = (of: string, value: unknown, index: Index = {}): void =>
    void rows.set(of, { value, index, rev });
  return {
    rows,
    commit(batch: Batch): { epoch: number } | undefined {
      if (batch.onlyAtEpoch !== undefined && batch.onlyAtEpoch !== epoch) return undefined;
      if (typeof batch.epoch === "number" && batch.epoch < epoch) return undefined;
      rev += 1;
      if (batch.clear) for (const of of rows.keys()) if (of !== "epoch") rows.delete(of);
      for (const of of batch.del ?? []) rows.delete(of);
      for (const [of, value, index] of batch.put ?? []) put(of, value, index);
      for (const [prefix, bytes] of batch.append ?? []) {
        const last = [...rows.keys()]
          .filter((of) => of.startsWith(prefix) && /^\d{8}$/.test(of.slice(prefix.length)))
          .sort()
          .at(-1);
        const before = last === undefined ? undefined : (rows.get(last)?.value as Uint8Array);
        if (last !== undefined && before && before.length + bytes.length <= 65_536)
          put(last, Uint8Array.from([...before, ...bytes]));
        else
          put(
            prefix +
              String(last === undefined ? 0 : Number(last.slice(prefix.length)) + 1).padStart(
                8,
                "0",
              ),
            bytes,
          );
      }
      for (const [prefix, value] of batch.log ?? []) {
        const last = rows.get(`logged/${prefix}`)?.value;
        const n = (typeof last === "number" ? last : 0) + 1;
        put(`logged/${prefix}`, n);
        put(prefix + String(n).padStart(12, "0"), value);
      }
      const next = batch.epoch === "next" ? epoch + 1 : (batch.epoch ?? epoch);
      if (next !== epoch) put("epoch", next);
      epoch = next;
      return { epoch };
    },
    list(prefix: string, { after, by, limit, values }: Page): [string, unknown][] {
      let found = [...rows]
        .filter(([of]) => of.startsWith(prefix))
        .sort(([a], [b]) => (a < b ? -1 : 1));
      if (by) {
        const at = (index: Index): string | number => index[by.name] ?? "";
        const later = (index: Index, of: string): boolean =>
          !by.after || at(index) > by.after[0] || (at(index) === by.after[0] && of > by.after[1]);
        found = found.filter(
          ([of, { index }]) =>
            index[by.name] !== undefined &&
            (by.from === undefined || at(index) >= by.from) &&
            (by.to === undefined || at(index) <= by.to) &&
            later(index, of),
        );
        found.sort(([, a], [, b]) =>
          at(a.index) < at(b.index) ? -1 : at(a.index) > at(b.index) ? 1 : 0,
        );
      } else if (after !== undefined) found = found.filter(([of]) => of > after);
      return found
        .slice(0, limit)
        .map(([of, row]) => [of, values === false ? undefined : row.value]);
    },
  };
}

const plain = (listing: readonly (readonly [string, Row])[]): [string, unknown][] =>
  listing.map(([of, { value }]) => [of, value]);

async function follow(open: () => Promise<Store>, steps: readonly Step[]): Promise<void> {
  const store = await open();
  const expected = model();
  const old = new Map<string, number | null>();
  for (const [at, next] of steps.entries()) {
    if ("prefix" in next) {
      expect(plain(await store.list(next.prefix, next.page)), `listing in step ${at}`).toEqual(
        expected.list(next.prefix, next.page),
      );
      continue;
    }
    const wanted = await store.get(next.stale);
    // an expectation holds by itself; one that the row had earlier fails unless it is the same
    // still
    const expectations = next.stale.map(
      (of, n) => [of, at % 3 === 0 ? (old.get(of) ?? null) : (wanted[n]?.rev ?? null)] as const,
    );
    const holds = expectations.every(([, rev], n) => rev === (wanted[n]?.rev ?? null));
    next.stale.forEach((of, n) => old.set(of, wanted[n]?.rev ?? null));
    const result = await store.commit({ ...next.batch, expect: expectations });
    expect(result, `commit in step ${at}`).toEqual(holds ? expected.commit(next.batch) : undefined);
  }
  const all = await store.list("");
  expect(plain(all)).toEqual(expected.list("", {}));
  const revisions = (rows: readonly (readonly [string, { rev: number }])[]): string[] =>
    [...rows].sort(([a, x], [b, y]) => x.rev - y.rev || (a < b ? -1 : 1)).map(([of]) => of);
  expect(revisions(all)).toEqual(revisions([...expected.rows]));
}

/**
 * Random sequences of commits and listings against the model: `fixed` of them the same each time,
 * `fresh` new ones under a printed seed.
 */
export function storeRandom(open: () => Promise<Store>, { fixed, fresh, steps }: Effort): void {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: steps, size: "max" }),
    (sequence) => follow(open, sequence),
  );

  // on a machine with other work the runtimes take minutes for what is one minute's work
  const patience = 180_000;
  const inFixed = `does what the model does in ${fixed} fixed sequences`;
  it(inFixed, { timeout: patience }, async () => {
    await fc.assert(property, { seed: 20_261_121, numRuns: fixed });
  });

  const seed = Date.now() & 0x7fffffff;
  const inNew = `does what the model does in ${fresh} new sequences (seed ${seed})`;
  it(inNew, { timeout: patience }, async () => {
    await fc.assert(property, { seed, numRuns: fresh });
  });
}
