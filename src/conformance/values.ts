import type { Batch, Store } from "../engine/ports.ts";
import { check, requireTrue, requireRejection, requireEqual, type Check } from "./check.ts";
import { manyBytes, bytes, isManyBytes, keysOf, one } from "./data.ts";

const pageSize = 64 * 1024;

const sizes = async (store: Store, prefix: string) =>
  (await store.list(prefix)).map(([key, { value }]) => [key, (value as Uint8Array).length]);

/** Checks for appending to pages. */
export const pages: readonly Check[] = [
  check("appends to the last page, and begins another if it would exceed 64 KiB", async (open) => {
    const store = await open();
    await store.commit({ append: [["p/", bytes(pageSize - 10)]] });
    await store.commit({ append: [["p/", bytes(9, 2)]] });
    await store.commit({ append: [["p/", bytes(1, 3)]] });
    requireEqual(await sizes(store, "p/"), [["p/00000000", pageSize]]);
    await store.commit({
      append: [
        ["p/", bytes(1, 4)],
        ["p/", bytes(1, 5)],
        ["q/", bytes(2)],
      ],
    });
    requireEqual(await sizes(store, "p/"), [
      ["p/00000000", pageSize],
      ["p/00000001", 2],
    ]);
    const [whole, second] = await store.get(["p/00000000", "p/00000001"]);
    requireEqual(
      whole?.value,
      Uint8Array.of(...bytes(pageSize - 10), ...bytes(9, 2), ...bytes(1, 3)),
    );
    requireEqual(second?.value, Uint8Array.of(4, 5));
    requireEqual(await sizes(store, "q/"), [["q/00000000", 2]]);
  }),

  check("never splits an append between pages, even if it is long", async (open) => {
    const store = await open();
    for (const length of [5, pageSize + 1, 3, pageSize, 1, pageSize - 1, 1, 0])
      await store.commit({ append: [["p/", bytes(length)]] });
    requireEqual(
      (await sizes(store, "p/")).map(([, length]) => length),
      [5, pageSize + 1, 3, pageSize, pageSize, 1],
    );
    await store.commit({ append: [["p/", manyBytes(3_000_000, 7)]] });
    requireEqual(isManyBytes((await one(store, "p/00000006"))?.value, 3_000_000, 7), true);
  }),

  check(
    "finds the last page among rows with similar keys, even after the first page was deleted",
    async (open) => {
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
      requireEqual(await keysOf(store, "p/0000000"), ["p/00000001", "p/00000001/x", "p/0000000a"]);
      requireEqual((await one(store, "p/00000001"))?.value, Uint8Array.of(1, 1));
    },
  ),

  check("increases the revision of the page to which it appends", async (open) => {
    const store = await open();
    await store.commit({ append: [["p/", bytes(1)]] });
    const before = await one(store, "p/00000000");
    await store.commit({ append: [["p/", bytes(1)]] });
    const after = await one(store, "p/00000000");
    requireTrue(
      (after?.rev ?? 0) > (before?.rev ?? Infinity),
      "the revision of the page did not increase",
    );
  }),
];

/** Checks for values. */
export const values: readonly Check[] = [
  check("stores byte arrays anywhere in a value", async (open) => {
    const store = await open();
    const value = {
      der: bytes(700),
      n: 1.5,
      none: null,
      deep: [{ a: bytes(0) }, [bytes(3, 9)]],
      "": bytes(1),
      "0": "x",
      ["__proto__x"]: bytes(2),
      text: "\u{1f600}\0\ud800",
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
    const rows = await store.get(["a", "b", "c", "d", "e", "f", "g"]);
    requireEqual(
      rows.map((row) => row?.value),
      [value, bytes(5), [], "", false, null, { der: bytes(1000).slice(10, 20) }],
    );
  }),

  check("stores, replaces and deletes values of several megabytes", async (open) => {
    const store = await open();
    const mib = 1024 * 1024;
    const sizes = [mib, 1_199_999, 1_200_000, 1_200_001, 2_400_000, 3 * mib];
    await store.commit({
      put: sizes.map((size, at) => [`big/${at}`, { der: manyBytes(size, at), name: "x" }]),
    });
    for (const [at, size] of sizes.entries()) {
      const stored = (await one(store, `big/${at}`))?.value as
        | { readonly der: unknown }
        | undefined;
      requireEqual(
        { ...stored, der: isManyBytes(stored?.der, size, at) },
        { der: true, name: "x" },
      );
    }
    requireEqual(
      (await store.list("big/")).map(([, { value }]) => (value as { der: Uint8Array }).der.length),
      sizes,
    );
    await store.commit({
      put: [
        ["big/5", "small"],
        ["big/0", manyBytes(2 * mib, 99)],
      ],
      del: ["big/4"],
    });
    const [small, large, gone] = (await store.get(["big/5", "big/0", "big/4"])).map(
      (row) => row?.value,
    );
    requireEqual([small, isManyBytes(large, 2 * mib, 99), gone], ["small", true, undefined]);
    await store.commit({ put: [["big/4", manyBytes(1_200_001, 3)]] });
    requireEqual(isManyBytes((await one(store, "big/4"))?.value, 1_200_001, 3), true);
  }),

  check("copies values, so that callers can change their own", async (open) => {
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
    requireEqual(first, expected);
    first.list.push(3);
    first.der[1] = 77;
    for (const [, { value: page }] of await store.list("p/")) (page as Uint8Array)[0] = 55;
    requireEqual(
      (await store.get(["a", "b", "p/00000000"])).map((row) => row?.value),
      [expected, expected, bytes(2)],
    );
  }),
];

/** Checks for concurrent writers. */
export const contention: readonly Check[] = [
  check(
    "lets exactly one of several concurrent writers replace a revision of a row",
    async (open) => {
      const store = await open();
      await store.commit({ put: [["n", 0]] });
      let retries = 0;
      const increment = async (): Promise<void> => {
        for (let tries = 0; tries < 10_000; tries += 1) {
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
      requireEqual(race.filter((result) => result !== undefined).length, 1);
      requireEqual((await keysOf(store, "won/")).length, 1);
      await Promise.all(Array.from({ length: 20 }, increment));
      requireEqual((await one(store, "n"))?.value, 20);
      requireTrue(retries > 0, "no concurrent commit was rejected");
    },
  ),

  check("lets 100 concurrent writers of different rows and one page all succeed", async (open) => {
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
    requireEqual(
      results,
      all.map(() => ({ epoch: 0 })),
    );
    requireEqual(await keysOf(store, "w/"), all);
    const page = (await one(store, "p/00000000"))?.value as Uint8Array;
    requireEqual(
      [...page].sort((a, b) => a - b),
      all.map((_, at) => at),
    );
  }),

  check("rejects all batches of the old epoch after a new epoch was committed", async (open) => {
    const store = await open();
    const late: Promise<{ epoch: number } | undefined>[] = [];
    for (let at = 0; at < 10; at += 1) void store.commit({ epoch: 0, put: [[`early/${at}`, 1]] });
    requireEqual(await store.commit({ epoch: "next" }), { epoch: 1 });
    for (let at = 0; at < 10; at += 1)
      late.push(store.commit({ epoch: 0, put: [[`late/${at}`, 1]] }));
    requireEqual(
      await Promise.all(late),
      late.map(() => undefined),
    );
    requireEqual(await keysOf(store, "late/"), []);
  }),
];

/** Checks that misuse is rejected. */
export const misuse: readonly Check[] = [
  check(
    "rejects keys, index values and values that are not valid in any store, and changes nothing",
    async (open) => {
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
      for (const batch of bad) await requireRejection(store.commit(batch), TypeError);
      await requireRejection(store.get(["a", ""]), TypeError);
      await requireRejection(store.list("é"), TypeError);
      requireEqual(await store.list(""), []);
    },
  ),
];
