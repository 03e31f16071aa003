import type { Batch } from "../engine/ports.ts";
import { check, requireTrue, requireEqual, type Check } from "./check.ts";
import { bytes, keysOf, one, put } from "./data.ts";

/** Checks for putting, getting and deleting rows. */
export const rows: readonly Check[] = [
  check("returns rows in the requested order, and undefined for missing rows", async (open) => {
    const store = await open();
    await store.commit({
      put: [
        ["a", 1],
        ["b", { text: "é", list: [1, null, true] }],
      ],
    });
    const stored = await store.get(["b", "none", "a", "a"]);
    requireEqual(
      stored.map((row) => row?.value),
      [{ text: "é", list: [1, null, true] }, undefined, 1, 1],
    );
    requireEqual(await store.get([]), []);
  }),

  check(
    "assigns a higher revision than all earlier ones to every put, even after a deletion",
    async (open) => {
      const store = await open();
      const seen: number[] = [];
      for (const batch of [
        put("a"),
        put("a"),
        { del: ["a"] },
        put("a"),
        { clear: true },
        put("a"),
      ]) {
        await store.commit(batch);
        const row = await one(store, "a");
        if (row) seen.push(row.rev);
      }
      requireEqual(
        seen,
        [...new Set(seen)].sort((a, b) => a - b),
      );
      requireEqual(seen.length, 4);
    },
  ),

  check("deletes rows, except those that the same batch puts", async (open) => {
    const store = await open();
    await store.commit(put("a", "b", "c"));
    await store.commit({ del: ["a", "b", "never"], put: [["b", 2]] });
    requireEqual(
      (await store.list("")).map(([key, row]) => [key, row.value]),
      [
        ["b", 2],
        ["c", "c"],
      ],
    );
  }),

  check("stores the last of several puts of a key in a batch", async (open) => {
    const store = await open();
    await store.commit({
      put: [
        ["a", 1, { name: "x" }],
        ["a", 2, { name: "y" }],
      ],
    });
    requireEqual((await one(store, "a"))?.value, 2);
    requireEqual(await keysOf(store, "", { by: { name: "name" } }), ["a"]);
    requireEqual(await keysOf(store, "", { by: { name: "name", to: "x" } }), []);
  }),

  check("accepts an empty batch, which changes nothing", async (open) => {
    const store = await open();
    requireEqual(await store.commit({}), { epoch: 0 });
    requireEqual(await store.commit({ expect: [], put: [], append: [], del: [], log: [] }), {
      epoch: 0,
    });
    requireEqual(await store.list(""), []);
  }),

  check(
    "returns the rows that a batch reads as they are after the batch, or omits them",
    async (open) => {
      const store = await open();
      await store.commit(put("a", "b"));
      const done = await store.commit({ put: [["a", 1]], del: ["b"], read: ["b", "a", "never"] });
      requireEqual(done?.epoch, 0);
      const { rows } = done ?? {};
      if (rows) requireEqual(rows, await store.get(["b", "a", "never"]));
      requireEqual(await store.commit({ expect: [["a", null]], read: ["a"] }), undefined);
    },
  ),

  check("distinguishes and sorts keys with unusual characters", async (open) => {
    const store = await open();
    const unusualKeys = [
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
    await store.commit({ put: unusualKeys.map((key) => [key, { key }]) });
    const sorted = [...new Set(unusualKeys)].sort();
    requireEqual(await keysOf(store, ""), sorted);
    requireEqual(
      (await store.get(sorted)).map((row) => row?.value),
      sorted.map((key) => ({ key })),
    );
    requireEqual(
      await keysOf(store, "a"),
      sorted.filter((key) => key.startsWith("a")),
    );
    await store.commit({ del: unusualKeys });
    requireEqual(await store.list(""), []);
  }),

  check(
    "gets, expects and deletes many rows at once, with any characters in their keys",
    async (open) => {
      const store = await open();
      const keys = ["a", "a\0", "a\0b", "\0", '"', "\\", "'", "\n\x7f", "[1]", "1"];
      await store.commit({ put: keys.map((key, at) => [key, at]) });
      const requested = ["none", ...keys.toReversed(), "a", "a"];
      const stored = await store.get(requested);
      requireEqual(
        stored.map((row) => row?.value),
        [undefined, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0],
      );
      const revs = requested.map((key, at) => [key, stored[at]?.rev ?? null] as const);
      const late = [...revs.slice(0, -1), ["a\0b", null] as const];
      requireEqual(await store.commit({ expect: late, del: keys }), undefined);
      requireTrue(
        (await store.commit({ expect: revs, del: ["none", ...keys.slice(2)] })) !== undefined,
        "a batch whose conditions hold was not applied",
      );
      requireEqual(
        (await store.list("")).map(([key]) => key),
        ["a", "a\0"],
      );
    },
  ),

  check("gets and expects more rows than a statement may have parameters", async (open) => {
    const store = await open();
    const keys = Array.from({ length: 350 }, (_, at) => `many/${at}`);
    await store.commit({
      expect: keys.map((key) => [key, null]),
      put: keys.map((key, at) => [key, at]),
    });
    const stored = await store.get(keys);
    requireEqual(
      stored.map((row) => row?.value),
      keys.map((_, at) => at),
    );
    requireTrue(
      (await store.commit({
        expect: stored.map((row, at) => [keys[at] ?? "", row?.rev ?? null]),
        del: keys,
      })) !== undefined,
      "a batch whose conditions hold was not applied",
    );
    requireEqual(await store.list("many/"), []);
  }),
];

/** Checks for expected revisions. */
export const conditions: readonly Check[] = [
  check("applies a batch whose expected revisions hold", async (open) => {
    const store = await open();
    await store.commit(put("a"));
    const rev = (await one(store, "a"))?.rev ?? -1;
    requireEqual(
      await store.commit({
        expect: [
          ["a", rev],
          ["b", null],
        ],
        put: [["b", 1]],
        del: ["a"],
      }),
      { epoch: 0 },
    );
    requireEqual(await keysOf(store, ""), ["b"]);
  }),

  check("applies no part of a batch if one expectation fails", async (open) => {
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
      requireEqual(
        await store.commit(expectations ? { ...batch, expect: expectations } : batch),
        undefined,
      );
    }
    requireEqual(await store.list(""), before);
    requireEqual(await keysOf(store, "", { by: { name: "name" } }), ["a"]);
  }),

  check("checks expectations before it applies the batch's own changes", async (open) => {
    const store = await open();
    await store.commit(put("a"));
    const rev = (await one(store, "a"))?.rev ?? -1;
    requireEqual(await store.commit({ clear: true, expect: [["a", null]] }), undefined);
    requireTrue(
      (await store.commit({ clear: true, expect: [["a", rev]], put: [["a", 2]] })) !== undefined,
      "a batch whose conditions hold was not applied",
    );
    requireTrue(
      (await store.commit({
        expect: [
          ["b", null],
          ["b", null],
        ],
        put: [["b", 1]],
      })) !== undefined,
      "a batch whose conditions hold was not applied",
    );
  }),

  check("estimates its number of rows, if it supports that, even after deletions", async (open) => {
    const store = await open();
    if (!store.size) return;
    const requireAbout = async (count: number, exact: boolean): Promise<void> => {
      const { rows: rowCount = 0, bytes: size } = (await store.size?.()) ?? {};
      const min = exact ? count : count * 0.9;
      // a store may have internal rows, such as its epoch
      const max = exact ? count + 1 : count * 1.1;
      requireTrue(
        rowCount >= min && rowCount <= max,
        `expected about ${count} rows, got ${rowCount}`,
      );
      requireTrue(
        size === undefined || size >= 10 * count,
        `${size} bytes are too few for ${count} rows`,
      );
    };
    await requireAbout(0, true);
    const keys = Array.from({ length: 5000 }, (_, n) => `k${String(n).padStart(4, "0")}`);
    for (let at = 0; at < keys.length; at += 500)
      await store.commit({ put: keys.slice(at, at + 500).map((key) => [key, { key }] as const) });
    await requireAbout(5000, false);
    await store.commit({ del: keys.filter((_, n) => n < 1000 || n % 2 === 0) });
    await requireAbout(2000, false);
    await store.commit({ del: keys });
    await requireAbout(0, true);
  }),
];
