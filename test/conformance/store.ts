import { describe, expect, it } from "vitest";
import type { Batch, Store } from "../../src/engine/ports.ts";
import { big, bytes, keysOf, one, put } from "./rows.ts";
import { exporting } from "./store-export.ts";
import { indexes, listings } from "./store-listings.ts";
import { logs } from "./store-logs.ts";
import { storeRandom, type Effort } from "./store-random.ts";
import { contention, misuse, pages, values } from "./store-values.ts";

/** How much of the suite a runtime has time for. */
export interface Options extends Effort {
  /** Values that are no JSON data survive too (IndexedDB only). */
  readonly keys?: boolean;
}

/** What every Store promises (src/engine/ports.ts). `open` gives a new, empty store each time. */
export function storeConformance(
  label: string,
  open: () => Promise<Store>,
  options: Options,
): void {
  describe(`${label}: a store`, () => {
    rows(open);
    conditions(open);
    epochs(open);
    listings(open);
    indexes(open);
    pages(open);
    logs(open);
    values(open);
    contention(open);
    exporting(open);
    misuse(open);
    storeRandom(open, options);
  });
}

function rows(open: () => Promise<Store>): void {
  it("gives back what was put, in the order asked, and undefined for what is absent", async () => {
    const store = await open();
    await store.commit({
      put: [
        ["a", 1],
        ["b", { text: "é", list: [1, null, true] }],
      ],
    });
    const found = await store.get(["b", "none", "a", "a"]);
    expect(found.map((row) => row?.value)).toEqual([
      { text: "é", list: [1, null, true] },
      undefined,
      1,
      1,
    ]);
    expect(await store.get([])).toEqual([]);
  });

  it("gives every put a revision above all earlier ones, also after a deletion", async () => {
    const store = await open();
    const seen: number[] = [];
    for (const batch of [put("a"), put("a"), { del: ["a"] }, put("a"), { clear: true }, put("a")]) {
      await store.commit(batch);
      const row = await one(store, "a");
      if (row) seen.push(row.rev);
    }
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    expect(seen.length).toBe(4);
  });

  it("deletes rows, and lets a put win over a deletion of the same key in one batch", async () => {
    const store = await open();
    await store.commit(put("a", "b", "c"));
    await store.commit({ del: ["a", "b", "never"], put: [["b", 2]] });
    expect((await store.list("")).map(([key, row]) => [key, row.value])).toEqual([
      ["b", 2],
      ["c", "c"],
    ]);
  });

  it("lets the last put of a key in a batch win", async () => {
    const store = await open();
    await store.commit({
      put: [
        ["a", 1, { name: "x" }],
        ["a", 2, { name: "y" }],
      ],
    });
    expect((await one(store, "a"))?.value).toBe(2);
    expect(await keysOf(store, "", { by: { name: "name" } })).toEqual(["a"]);
    expect(await keysOf(store, "", { by: { name: "name", to: "x" } })).toEqual([]);
  });

  it("takes an empty batch, which changes nothing", async () => {
    const store = await open();
    expect(await store.commit({})).toEqual({ epoch: 0 });
    expect(await store.commit({ expect: [], put: [], append: [], del: [], log: [] })).toEqual({
      epoch: 0,
    });
    expect(await store.list("")).toEqual([]);
  });

  it("keeps keys of odd characters apart and in order", async () => {
    const store = await open();
    const odd = [
      "'",
      '"',
      "%",
      "_",
      "\\",
      " ",
      "a b",
      "a\nb",
      "A",
      "a",
      "ä".normalize("NFD").slice(0, 1) + "/",
      "[]",
      "{}",
      "~",
      "\x7f",
      "\x01",
      "0",
      "00",
      "x".repeat(512),
      "__proto__",
    ];
    await store.commit({ put: odd.map((key) => [key, { key }]) });
    const sorted = [...new Set(odd)].sort();
    expect(await keysOf(store, "")).toEqual(sorted);
    expect((await store.get(sorted)).map((row) => row?.value)).toEqual(
      sorted.map((key) => ({ key })),
    );
    expect(await keysOf(store, "a")).toEqual(sorted.filter((key) => key.startsWith("a")));
    await store.commit({ del: odd });
    expect(await store.list("")).toEqual([]);
  });

  it("gets, expects and deletes many rows at once, whatever characters their keys have", async () => {
    const store = await open();
    const keys = ["a", "a\0", "a\0b", "\0", '"', "\\", "'", "\n\x7f", "[1]", "1"];
    await store.commit({ put: keys.map((key, at) => [key, at]) });
    const wanted = ["none", ...keys.toReversed(), "a", "a"];
    const found = await store.get(wanted);
    expect(found.map((row) => row?.value)).toEqual([undefined, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0]);
    const revs = wanted.map((key, at) => [key, found[at]?.rev ?? null] as const);
    const late = [...revs.slice(0, -1), ["a\0b", null] as const];
    expect(await store.commit({ expect: late, del: keys })).toBeUndefined();
    expect(await store.commit({ expect: revs, del: ["none", ...keys.slice(2)] })).toBeDefined();
    expect((await store.list("")).map(([key]) => key)).toEqual(["a", "a\0"]);
  });

  it("gets and expects more rows than one statement can name", async () => {
    const store = await open();
    const keys = Array.from({ length: 350 }, (_, at) => `many/${at}`);
    await store.commit({
      expect: keys.map((key) => [key, null]),
      put: keys.map((key, at) => [key, at]),
    });
    const found = await store.get(keys);
    expect(found.map((row) => row?.value)).toEqual(keys.map((_, at) => at));
    expect(
      await store.commit({
        expect: found.map((row, at) => [keys[at] ?? "", row?.rev ?? null]),
        del: keys,
      }),
    ).toBeDefined();
    expect(await store.list("many/")).toEqual([]);
  });
}

function conditions(open: () => Promise<Store>): void {
  it("applies a batch whose expected revisions hold", async () => {
    const store = await open();
    await store.commit(put("a"));
    const rev = (await one(store, "a"))?.rev ?? -1;
    expect(
      await store.commit({
        expect: [
          ["a", rev],
          ["b", null],
        ],
        put: [["b", 1]],
        del: ["a"],
      }),
    ).toEqual({ epoch: 0 });
    expect(await keysOf(store, "")).toEqual(["b"]);
  });

  it("leaves nothing of a batch when one expectation fails", async () => {
    const store = await open();
    await store.commit({ put: [["a", 1, { name: "n" }]], append: [["page/", bytes(3)]] });
    const before = await store.list("");
    const rev = before[0]?.[1].rev ?? -1;
    const failing: Batch["expect"][] = [
      [["a", null]],
      [["a", rev + 1]],
      [["b", rev]],
      [
        ["a", rev],
        ["b", 1],
      ],
      [
        ["b", null],
        ["a", null],
      ],
    ];
    for (const expectations of failing) {
      const batch: Batch = {
        epoch: "next",
        put: [
          ["a", 2],
          ["c", 3, { name: "m" }],
        ],
        append: [["page/", bytes(3)]],
        del: ["page/00000000"],
        clear: true,
      };
      expect(
        await store.commit(expectations ? { ...batch, expect: expectations } : batch),
      ).toBeUndefined();
    }
    expect(await store.list("")).toEqual(before);
    expect(await keysOf(store, "", { by: { name: "name" } })).toEqual(["a"]);
  });

  it("judges expectations before the batch's own changes", async () => {
    const store = await open();
    await store.commit(put("a"));
    const rev = (await one(store, "a"))?.rev ?? -1;
    expect(await store.commit({ clear: true, expect: [["a", null]] })).toBeUndefined();
    expect(
      await store.commit({ clear: true, expect: [["a", rev]], put: [["a", 2]] }),
    ).toBeDefined();
    expect(
      await store.commit({
        expect: [
          ["b", null],
          ["b", null],
        ],
        put: [["b", 1]],
      }),
    ).toBeDefined();
  });
}

function epochs(open: () => Promise<Store>): void {
  it("begins at epoch 0 and counts with `next`", async () => {
    const store = await open();
    expect(await one(store, "epoch")).toBeUndefined();
    expect(await store.commit({ epoch: 0, put: [["a", 1]] })).toEqual({ epoch: 0 });
    expect(await store.commit({ epoch: "next" })).toEqual({ epoch: 1 });
    expect(await store.commit({ epoch: "next", put: [["a", 2]] })).toEqual({ epoch: 2 });
    expect((await one(store, "epoch"))?.value).toBe(2);
  });

  it("refuses a batch of an earlier epoch, and remembers a later one", async () => {
    const store = await open();
    await store.commit({ epoch: 5 });
    expect((await one(store, "epoch"))?.value).toBe(5);
    expect(await store.commit({ epoch: 4, put: [["a", 1]] })).toBeUndefined();
    expect(await store.commit({ epoch: 5, put: [["a", 1]] })).toEqual({ epoch: 5 });
    expect(await store.commit({ put: [["b", 1]] })).toEqual({ epoch: 5 });
    expect(await store.commit({ epoch: 7 })).toEqual({ epoch: 7 });
    expect(await keysOf(store, "")).toEqual(["a", "b", "epoch"]);
  });

  it("applies a batch with `at` at exactly that epoch", async () => {
    const store = await open();
    expect(await store.commit({ onlyAtEpoch: 1, put: [["a", 1]] })).toBeUndefined();
    expect(await store.commit({ onlyAtEpoch: 0, epoch: "next", put: [["a", 1]] })).toEqual({
      epoch: 1,
    });
    expect(await store.commit({ onlyAtEpoch: 0, put: [["b", 1]] })).toBeUndefined();
    expect(await store.commit({ onlyAtEpoch: 2, put: [["b", 1]] })).toBeUndefined();
    expect(await store.commit({ onlyAtEpoch: 1, put: [["b", 1]] })).toEqual({ epoch: 1 });
  });

  it("keeps the epoch, and nothing else, when cleared", async () => {
    const store = await open();
    await store.commit({
      epoch: 3,
      put: [
        ["a", 1, { role: "r" }],
        ["b", big(1_300_000, 1)],
      ],
      append: [["p/", bytes(9)]],
    });
    expect(await store.commit({ clear: true })).toEqual({ epoch: 3 });
    expect(await keysOf(store, "")).toEqual(["epoch"]);
    expect(
      await store.commit({
        clear: true,
        epoch: "next",
        put: [["c", 1]],
        append: [["p/", bytes(2)]],
      }),
    ).toEqual({ epoch: 4 });
    expect((await store.list("")).map(([key, { value }]) => [key, value])).toEqual([
      ["c", 1],
      ["epoch", 4],
      ["p/00000000", bytes(2)],
    ]);
    expect(await keysOf(store, "", { by: { name: "role" } })).toEqual([]);
  });
}
