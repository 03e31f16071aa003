import { check, requireTrue, requireRejection, requireEqual, type Check } from "./check.ts";
import type { Store } from "../engine/ports.ts";
import { lastNumberKey, logKey } from "../base/row-keys.ts";

const prefix = "log/a/";
/** Returns the numbers and values of a log's entries. */
async function entriesOf(store: Store, of = prefix): Promise<readonly [number, unknown][]> {
  const rows = await store.list(of);
  return rows.map(([key, { value }]) => [Number(key.slice(of.length)), value]);
}

/** Checks for logs. */
export const logs: readonly Check[] = [
  check(
    "numbers the entries of each log, starting at 1, in the order of the commits",
    async (open) => {
      const store = await open();
      await store.commit({ log: [[prefix, "a"]] });
      await store.commit({
        expect: [["k", null]],
        put: [["k", 1]],
        log: [
          [prefix, { b: new Uint8Array([1]) }],
          ["log/b/", "x"],
          [prefix, "c"],
        ],
      });
      requireEqual(await entriesOf(store), [
        [1, "a"],
        [2, { b: new Uint8Array([1]) }],
        [3, "c"],
      ]);
      requireEqual(await entriesOf(store, "log/b/"), [[1, "x"]]);
    },
  ),

  check("adds no entry and uses no number for a batch that does not apply", async (open) => {
    const store = await open();
    await store.commit({ put: [["k", 1]], log: [[prefix, "a"]] });
    const entry = { log: [[prefix, "no"]] } as const;
    const absent = { expect: [["k", null]], put: [["k", 2]], ...entry } as const;
    for (const batch of [
      absent,
      { ...absent, del: ["none"] },
      { onlyAtEpoch: 7, ...entry },
    ] as const)
      requireEqual(await store.commit(batch), undefined);
    await store.commit({ expect: [["l", null]], put: [["l", 2]], log: [[prefix, "b"]] });
    requireEqual(await entriesOf(store), [
      [1, "a"],
      [2, "b"],
    ]);
  }),

  check("never reuses the number of a deleted entry until the store is cleared", async (open) => {
    const store = await open();
    for (const value of [1, 2, 3]) await store.commit({ log: [[prefix, value]] });
    await store.commit({ del: [2, 3].map((n) => logKey(prefix, n)) });
    await store.commit({ log: [[prefix, 4]] });
    requireEqual(await entriesOf(store), [
      [1, 1],
      [4, 4],
    ]);
    await store.commit({ epoch: "next", clear: true });
    requireEqual(await entriesOf(store), []);
    await store.commit({ log: [[prefix, 5]] });
    requireEqual(await entriesOf(store), [[1, 5]]);
  }),

  check("retains the maximum number of latest entries, and at most 100 more", async (open) => {
    const store = await open();
    await store.commit({ put: [[`${prefix}other`, true]] });
    for (let n = 1; n <= 350; n++) {
      await store.commit({ log: [[prefix, n, 120]] });
      if (n % 70 !== 0) continue;
      const remaining = (await entriesOf(store)).filter(([, value]) => value !== true);
      requireTrue(
        remaining.length >= Math.min(n, 120),
        `too few: ${remaining.length} of ${n} entries remain`,
      );
      requireTrue(remaining.length < 221, `too many: ${remaining.length} of ${n} entries remain`);
      requireEqual(remaining.at(-1), [n, n]);
      requireEqual(
        remaining.map(([at]) => at),
        remaining.map((_, at) => n - remaining.length + 1 + at),
      );
    }
    requireEqual((await store.get([`${prefix}other`]))[0]?.value, true);
  }),

  check("retains entries before a gap in the numbers, which a restore leaves", async (open) => {
    const store = await open();
    for (let n = 1; n <= 150; n++) await store.commit({ log: [[prefix, n, 120]] });
    await store.commit({ put: [[lastNumberKey(prefix), 1_000_000]] });
    for (let n = 1; n <= 100; n++) await store.commit({ log: [[prefix, n, 120]] });
    const numbers = (await entriesOf(store)).map(([at]) => at);
    requireTrue(numbers.length >= 120, `too few: ${numbers.length} entries remain`);
    requireTrue(numbers.length < 221, `too many: ${numbers.length} entries remain`);
    requireEqual(
      numbers.slice(-100),
      Array.from({ length: 100 }, (_, at) => 1_000_001 + at),
    );
  }),

  check(
    "continues the numbers of another store whose rows, including the last number, were put",
    async (open) => {
      const [from, to] = [await open(), await open()];
      for (const value of ["a", "b"]) await from.commit({ log: [[prefix, value]] });
      const rows = await from.list("");
      await to.commit({ put: rows.map(([key, { value }]) => [key, value]) });
      await to.commit({ log: [[prefix, "c"]] });
      requireEqual(await entriesOf(to), [
        [1, "a"],
        [2, "b"],
        [3, "c"],
      ]);
    },
  ),

  check("begins a log in a store that has rows but no logs", async (open) => {
    const store = await open();
    await store.commit({ epoch: "next", put: [["k", 1]] });
    await store.commit({ del: ["k"], log: [[prefix, "a"]] });
    requireEqual(await entriesOf(store), [[1, "a"]]);
    requireEqual((await store.get([lastNumberKey(prefix)]))[0]?.value, 1);
  }),

  check(
    "exports a log as it was when the export began, while entries are added and removed",
    async (open) => {
      const store = await open();
      if (!store.export) return;
      for (let n = 1; n <= 195; n++) await store.commit({ log: [[prefix, n, 50]] });
      const before = await entriesOf(store);
      const exported: (readonly [string, unknown])[] = [];
      let later = 0;
      for await (const part of store.export(20)) {
        exported.push(...part.map(({ key, value }) => [key, value] as const));
        for (let n = 0; n < 20 && later < 120; n++, later++)
          await store.commit({ log: [[prefix, "later", 50]] });
      }
      // old versions of rows are exported last
      exported.sort(([a], [b]) => (a < b ? -1 : 1));
      requireEqual(
        exported.filter(([key]) => key.startsWith(prefix)),
        before.map(([n, value]) => [logKey(prefix, n), value]),
      );
      requireEqual(
        exported.filter(([key]) => key === lastNumberKey(prefix)),
        [[lastNumberKey(prefix), 195]],
      );
    },
  ),

  check("numbers entries that may share a row, and returns the entries in order", async (open) => {
    const store = await open();
    const entry = (byte: number) => [prefix, Uint8Array.of(byte), undefined, true] as const;
    await Promise.all([
      store.commit({ log: [entry(0)] }),
      store.commit({ expect: [["none", 1]], log: [entry(99)] }),
      store.commit({ log: [entry(1), entry(2)] }),
    ]);
    await store.commit({ log: [entry(3)] });
    const rows = (await entriesOf(store)).map(
      ([last, value]) => [last, Array.isArray(value) ? value : [value]] as const,
    );
    const stored = rows.flatMap(([last, values]) =>
      values.map((value: unknown, at) => [last - (values.length - 1) + at, value]),
    );
    requireEqual(
      stored.map(([number]) => number),
      [1, 2, 3, 4],
    );
    const bytes = stored.map(([, value]) => (value instanceof Uint8Array ? [...value] : value));
    // the batches of entries 0 to 2 are concurrent, so their order may vary
    requireEqual(
      bytes.flat().toSorted((a, b) => Number(a) - Number(b)),
      [0, 1, 2, 3],
    );
    requireEqual(bytes.at(-1), [3]);
  }),

  check("rejects log entries that are not valid in any store", async (open) => {
    const store = await open();
    for (const log of [
      ["ü/", 1],
      ["x".repeat(501), 1],
      [prefix, undefined],
      [prefix, 1, 0],
      [prefix, 1, 1.5],
      [prefix, "text", undefined, true],
    ] as const)
      await requireRejection(store.commit({ log: [log] }), TypeError);
    requireEqual(await store.list(""), []);
  }),
];
