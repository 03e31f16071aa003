import { expect, it } from "vitest";
import type { Store } from "../../src/engine/ports.ts";
import { lastKey, logKey } from "../../src/base/log-key.ts";

const prefix = "log/a/";
/** The entries of a log by their numbers. */
async function entriesOf(store: Store, of = prefix): Promise<readonly [number, unknown][]> {
  const rows = await store.list(of);
  return rows.map(([key, { value }]) => [Number(key.slice(of.length)), value]);
}

/** What every store promises of logs. */
export function logs(open: () => Promise<Store>): void {
  it("numbers the entries of each log from one on, in the order of the commits", async () => {
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
    expect(await entriesOf(store)).toEqual([
      [1, "a"],
      [2, { b: new Uint8Array([1]) }],
      [3, "c"],
    ]);
    expect(await entriesOf(store, "log/b/")).toEqual([[1, "x"]]);
  });

  it("adds nothing to a log, and takes no number, for a batch that does not apply", async () => {
    const store = await open();
    await store.commit({ put: [["k", 1]], log: [[prefix, "a"]] });
    const entry = { log: [[prefix, "no"]] } as const;
    const absent = { expect: [["k", null]], put: [["k", 2]], ...entry } as const;
    for (const batch of [
      absent,
      { ...absent, del: ["none"] },
      { onlyAtEpoch: 7, ...entry },
    ] as const)
      expect(await store.commit(batch)).toBeUndefined();
    await store.commit({ expect: [["l", null]], put: [["l", 2]], log: [[prefix, "b"]] });
    expect(await entriesOf(store)).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
  });

  it("never gives a number again, whichever were deleted, until the store is cleared", async () => {
    const store = await open();
    for (const value of [1, 2, 3]) await store.commit({ log: [[prefix, value]] });
    await store.commit({ del: [2, 3].map((n) => logKey(prefix, n)) });
    await store.commit({ log: [[prefix, 4]] });
    expect(await entriesOf(store)).toEqual([
      [1, 1],
      [4, 4],
    ]);
    await store.commit({ epoch: "next", clear: true });
    expect(await entriesOf(store)).toEqual([]);
    await store.commit({ log: [[prefix, 5]] });
    expect(await entriesOf(store)).toEqual([[1, 5]]);
  });

  it("keeps as many of the last entries as a log wants, and 100 more at most", async () => {
    const store = await open();
    await store.commit({ put: [[`${prefix}other`, true]] });
    for (let n = 1; n <= 350; n++) {
      await store.commit({ log: [[prefix, n, 120]] });
      if (n % 70 !== 0) continue;
      const left = (await entriesOf(store)).filter(([, value]) => value !== true);
      expect(left.length).toBeGreaterThanOrEqual(Math.min(n, 120));
      expect(left.length).toBeLessThan(221);
      expect(left.at(-1)).toEqual([n, n]);
      expect(left.map(([at]) => at)).toEqual(left.map((_, at) => n - left.length + 1 + at));
    }
    expect((await store.get([`${prefix}other`]))[0]?.value).toBe(true);
  });

  it("goes on where a store was that its rows were put into, the last number among them", async () => {
    const [from, to] = [await open(), await open()];
    for (const value of ["a", "b"]) await from.commit({ log: [[prefix, value]] });
    const rows = await from.list("");
    await to.commit({ put: rows.map(([key, { value }]) => [key, value]) });
    await to.commit({ log: [[prefix, "c"]] });
    expect(await entriesOf(to)).toEqual([
      [1, "a"],
      [2, "b"],
      [3, "c"],
    ]);
  });

  it("begins a log in a store that has rows and none", async () => {
    const store = await open();
    await store.commit({ epoch: "next", put: [["k", 1]] });
    await store.commit({ del: ["k"], log: [[prefix, "a"]] });
    expect(await entriesOf(store)).toEqual([[1, "a"]]);
    expect((await store.get([lastKey(prefix)]))[0]?.value).toBe(1);
  });

  it("exports the entries that there were, while a log grows and loses its oldest", async () => {
    const store = await open();
    if (!store.export) return;
    for (let n = 1; n <= 195; n++) await store.commit({ log: [[prefix, n, 50]] });
    const before = await entriesOf(store);
    const found: (readonly [string, unknown])[] = [];
    let later = 0;
    for await (const part of store.export(20)) {
      found.push(...part.map(({ key, value }) => [key, value] as const));
      for (let n = 0; n < 20 && later < 120; n++, later++)
        await store.commit({ log: [[prefix, "later", 50]] });
    }
    // old forms come last
    found.sort(([a], [b]) => (a < b ? -1 : 1));
    expect(found.filter(([key]) => key.startsWith(prefix))).toEqual(
      before.map(([n, value]) => [logKey(prefix, n), value]),
    );
    expect(found).toContainEqual([lastKey(prefix), 195]);
  });

  it("refuses logs that no store takes", async () => {
    const store = await open();
    for (const log of [
      ["ü/", 1],
      ["x".repeat(501), 1],
      [prefix, undefined],
      [prefix, 1, 0],
      [prefix, 1, 1.5],
    ] as const)
      await expect(store.commit({ log: [log] })).rejects.toThrow(TypeError);
    expect(await store.list("")).toEqual([]);
  });
}
