import { expect, it } from "vitest";
import type { Batch, Store } from "../../src/engine/ports.ts";
import { big, bytes, isBig, keysOf, one } from "./rows.ts";

const pageSize = 64 * 1024;

/** Appending. */
export function pages(open: () => Promise<Store>): void {
  const sizes = async (store: Store, prefix: string) =>
    (await store.list(prefix)).map(([key, { value }]) => [key, (value as Uint8Array).length]);

  it("appends to the last page and begins another where it would pass 64 KiB", async () => {
    const store = await open();
    await store.commit({ append: [["p/", bytes(pageSize - 10)]] });
    await store.commit({ append: [["p/", bytes(9, 2)]] });
    await store.commit({ append: [["p/", bytes(1, 3)]] });
    expect(await sizes(store, "p/")).toEqual([["p/00000000", pageSize]]);
    await store.commit({
      append: [
        ["p/", bytes(1, 4)],
        ["p/", bytes(1, 5)],
        ["q/", bytes(2)],
      ],
    });
    expect(await sizes(store, "p/")).toEqual([
      ["p/00000000", pageSize],
      ["p/00000001", 2],
    ]);
    const [whole, second] = await store.get(["p/00000000", "p/00000001"]);
    expect(whole?.value).toEqual(
      Uint8Array.of(...bytes(pageSize - 10), ...bytes(9, 2), ...bytes(1, 3)),
    );
    expect(second?.value).toEqual(Uint8Array.of(4, 5));
    expect(await sizes(store, "q/")).toEqual([["q/00000000", 2]]);
  });

  it("never spreads one append over two pages, however long", async () => {
    const store = await open();
    for (const length of [5, pageSize + 1, 3, pageSize, 1, pageSize - 1, 1, 0])
      await store.commit({ append: [["p/", bytes(length)]] });
    expect((await sizes(store, "p/")).map(([, length]) => length)).toEqual([
      5,
      pageSize + 1,
      3,
      pageSize,
      pageSize,
      1,
    ]);
    await store.commit({ append: [["p/", big(3_000_000, 7)]] });
    expect(isBig((await one(store, "p/00000006"))?.value, 3_000_000, 7)).toBe(true);
  });

  it("finds the last page among rows of longer keys and after the first was deleted", async () => {
    const store = await open();
    await store.commit({
      append: [
        ["p/", bytes(pageSize)],
        ["p/", bytes(1)],
      ],
      put: [
        ["p/zzz", 1],
        ["p/00000001/x", 1],
        ["p/0000000a", 1],
      ],
    });
    await store.commit({ del: ["p/00000000"], append: [["p/", bytes(1)]] });
    expect(await keysOf(store, "p/0000000")).toEqual(["p/00000001", "p/00000001/x", "p/0000000a"]);
    expect((await one(store, "p/00000001"))?.value).toEqual(Uint8Array.of(1, 1));
  });

  it("raises the revision of the page it appends to", async () => {
    const store = await open();
    await store.commit({ append: [["p/", bytes(1)]] });
    const before = await one(store, "p/00000000");
    await store.commit({ append: [["p/", bytes(1)]] });
    expect((await one(store, "p/00000000"))?.rev).toBeGreaterThan(before?.rev ?? Infinity);
  });
}

/** What a row may hold. */
export function values(open: () => Promise<Store>): void {
  it("keeps byte arrays wherever they stand in a value", async () => {
    const store = await open();
    const value = {
      der: bytes(700),
      n: 1.5,
      none: null,
      deep: [{ a: bytes(0) }, [bytes(3, 9)]],
      "": bytes(1),
      "0": "x",
      ["__proto__x"]: bytes(2),
      text: "\u{1f600}\0",
    };
    await store.commit({
      put: [
        ["a", value],
        ["b", bytes(5)],
        ["c", []],
        ["d", ""],
        ["e", false],
        ["f", null],
        ["g", { der: bytes(1000).subarray(10, 20) }],
      ],
    });
    const found = await store.get(["a", "b", "c", "d", "e", "f", "g"]);
    expect(found.map((row) => row?.value)).toEqual([
      value,
      bytes(5),
      [],
      "",
      false,
      null,
      { der: bytes(1000).slice(10, 20) },
    ]);
  });

  it("keeps values of several megabytes, replaces and deletes them", async () => {
    const store = await open();
    const mib = 1024 * 1024;
    const sizes = [mib, 1_199_999, 1_200_000, 1_200_001, 2_400_000, 3 * mib];
    await store.commit({
      put: sizes.map((size, at) => [`big/${at}`, { der: big(size, at), name: "x" }]),
    });
    for (const [at, size] of sizes.entries()) {
      const found = (await one(store, `big/${at}`))?.value as { readonly der: unknown } | undefined;
      expect({ ...found, der: isBig(found?.der, size, at) }).toEqual({ der: true, name: "x" });
    }
    expect(
      (await store.list("big/")).map(([, { value }]) => (value as { der: Uint8Array }).der.length),
    ).toEqual(sizes);
    await store.commit({
      put: [
        ["big/5", "small"],
        ["big/0", big(2 * mib, 99)],
      ],
      del: ["big/4"],
    });
    const [small, large, gone] = (await store.get(["big/5", "big/0", "big/4"])).map(
      (row) => row?.value,
    );
    expect([small, isBig(large, 2 * mib, 99), gone]).toEqual(["small", true, undefined]);
    await store.commit({ put: [["big/4", big(1_200_001, 3)]] });
    expect(isBig((await one(store, "big/4"))?.value, 1_200_001, 3)).toBe(true);
  });

  it("gives copies: a caller changes only its own", async () => {
    const store = await open();
    const value = { list: [1], der: bytes(3) };
    const appended = bytes(2);
    const done = store.commit({
      put: [
        ["a", value],
        ["b", value],
      ],
      append: [["p/", appended]],
    });
    value.list.push(2);
    value.der[0] = 99;
    appended[0] = 99;
    await done;
    const expected = { list: [1], der: bytes(3) };
    const first = (await one(store, "a"))?.value as typeof value;
    expect(first).toEqual(expected);
    first.list.push(3);
    first.der[1] = 77;
    for (const [, { value: page }] of await store.list("p/")) (page as Uint8Array)[0] = 55;
    expect((await store.get(["a", "b", "p/00000000"])).map((row) => row?.value)).toEqual([
      expected,
      expected,
      bytes(2),
    ]);
  });
}

/** Many writers at once. */
export function contention(open: () => Promise<Store>): void {
  it("lets exactly one of 100 writers win each revision of a row", async () => {
    const store = await open();
    await store.commit({ put: [["n", 0]] });
    let retries = 0;
    const increment = async (): Promise<void> => {
      for (;;) {
        const row = await one(store, "n");
        if (
          await store.commit({
            expect: [["n", row?.rev ?? null]],
            put: [["n", Number(row?.value) + 1]],
          })
        )
          return;
        retries += 1;
      }
    };
    const before = await one(store, "n");
    const race = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        store.commit({
          expect: [["n", before?.rev ?? null]],
          put: [
            ["n", 0],
            [`won/${at}`, 1],
          ],
        }),
      ),
    );
    expect(race.filter((result) => result !== undefined)).toHaveLength(1);
    expect(await keysOf(store, "won/")).toHaveLength(1);
    await Promise.all(Array.from({ length: 20 }, increment));
    expect((await one(store, "n"))?.value).toBe(20);
    expect(retries).toBeGreaterThan(0);
  });

  it("lets 100 writers of different rows and one page all succeed", async () => {
    const store = await open();
    const all = Array.from({ length: 100 }, (_, at) => `w/${String(at).padStart(3, "0")}`);
    const results = await Promise.all(
      all.map((key, at) =>
        store.commit({
          epoch: 0,
          expect: [[key, null]],
          put: [[key, at]],
          append: [["p/", Uint8Array.of(at)]],
        }),
      ),
    );
    expect(results).toEqual(all.map(() => ({ epoch: 0 })));
    expect(await keysOf(store, "w/")).toEqual(all);
    const page = (await one(store, "p/00000000"))?.value as Uint8Array;
    expect([...page].sort((a, b) => a - b)).toEqual(all.map((_, at) => at));
  });

  it("lets no batch of the old epoch through once a new one was confirmed", async () => {
    const store = await open();
    const late: Promise<{ epoch: number } | undefined>[] = [];
    for (let at = 0; at < 10; at += 1) void store.commit({ epoch: 0, put: [[`early/${at}`, 1]] });
    expect(await store.commit({ epoch: "next" })).toEqual({ epoch: 1 });
    for (let at = 0; at < 10; at += 1)
      late.push(store.commit({ epoch: 0, put: [[`late/${at}`, 1]] }));
    expect(await Promise.all(late)).toEqual(late.map(() => undefined));
    expect(await keysOf(store, "late/")).toEqual([]);
  });
}

/** What every store refuses. */
export function misuse(open: () => Promise<Store>): void {
  it("refuses keys, index values and values that no store takes, and changes nothing", async () => {
    const store = await open();
    const bad: Batch[] = [
      { put: [["", 1]] },
      { put: [["é", 1]] },
      { put: [["x".repeat(513), 1]] },
      {
        put: [
          ["ok", 1],
          ["epoch", 7],
        ],
      },
      { put: [["ok", undefined]] },
      { put: [["ok", 1, { not_after: 1.5 }]] },
      { put: [["ok", 1, { "": 1 }]] },
      { put: [["ok", 1, { "a b": 1 }]] },
      { put: [["ok", 1, { ["n".repeat(33)]: 1 }]] },
      { put: [["ok", 1, { role: "r".repeat(131_073), name: "n".repeat(131_072) }]] },
      { put: [["ok", 1]], del: ["epoch"] },
      { put: [["ok", 1]], expect: [["é", null]] },
      { put: [["ok", 1]], append: [["x".repeat(505), bytes(1)]] },
    ];
    for (const batch of bad) await expect(store.commit(batch)).rejects.toThrow(TypeError);
    await expect(store.get(["a", ""])).rejects.toThrow(TypeError);
    await expect(store.list("é")).rejects.toThrow(TypeError);
    expect(await store.list("")).toEqual([]);
  });
}
