import { check, requireEqual, type Check } from "./check.ts";
import type { Page } from "../engine/ports.ts";
import { manyBytes, bytes, keysOf, put } from "./data.ts";

/** Checks for listings by prefix. */
export const listings: readonly Check[] = [
  check("lists only keys with the prefix, in key order", async (open) => {
    const store = await open();
    await store.commit(put("a0", "a/2", "a", "b", "a/10", "a.", "a/", "A/1", "a/1"));
    requireEqual(await keysOf(store, "a/"), ["a/", "a/1", "a/10", "a/2"]);
    requireEqual(await keysOf(store, "a"), ["a", "a.", "a/", "a/1", "a/10", "a/2", "a0"]);
    requireEqual(await keysOf(store, ""), [
      "A/1",
      "a",
      "a.",
      "a/",
      "a/1",
      "a/10",
      "a/2",
      "a0",
      "b",
    ]);
    requireEqual(await keysOf(store, "c"), []);
    requireEqual(await keysOf(store, "a/1000"), []);
  }),

  check("lists pages with `after` and `limit`", async (open) => {
    const store = await open();
    const all = Array.from({ length: 25 }, (_, at) => `p/${String(at).padStart(3, "0")}`);
    await store.commit(put(...all, "o", "q"));
    const seen: string[] = [];
    for (let after: string | undefined, more = true; more;) {
      const page = await keysOf(store, "p/", {
        limit: 7,
        ...(after === undefined ? {} : { after }),
      });
      seen.push(...page);
      after = page.at(-1);
      more = page.length === 7 && seen.length <= all.length;
    }
    requireEqual(seen, all);
    requireEqual(await keysOf(store, "p/", { after: "p/0115" }), all.slice(12));
    requireEqual(await keysOf(store, "p/", { after: "a", limit: 2 }), all.slice(0, 2));
    requireEqual(await keysOf(store, "p/", { after: "p/024" }), []);
    requireEqual(await keysOf(store, "p/", { after: "z" }), []);
    requireEqual(await keysOf(store, "p/", { limit: 0 }), []);
  }),

  check("omits values on request, and still returns revisions", async (open) => {
    const store = await open();
    await store.commit({
      put: [
        ["a", bytes(10), { name: "n" }],
        ["b", manyBytes(1_300_000, 1)],
      ],
    });
    const full = await store.list("");
    const bare = await store.list("", { values: false });
    requireEqual(
      bare.map(([key, { value, rev }]) => [key, value, rev]),
      full.map(([key, { rev }]) => [key, undefined, rev]),
    );
    requireEqual(
      (await store.list("", { values: false, by: { name: "name" } })).map(([, { value }]) => value),
      [undefined],
    );
  }),
];

/** Checks for listings by an index. */
export const indexes: readonly Check[] = [
  check("lists by an index in order of value and key, within the prefix", async (open) => {
    const store = await open();
    await store.commit({
      put: [
        ["c/4", 4, { not_after: 50, name: "b" }],
        ["c/1", 1, { not_after: 100 }],
        ["c/3", 3, { not_after: 9, name: "a", role: "r", issuer: "i" }],
        ["c/2", 2, { not_after: 100, name: "b" }],
        ["c/0", 0],
        ["d/1", 5, { not_after: 60, role: "r" }],
      ],
    });
    requireEqual(await keysOf(store, "c/", { by: { name: "not_after" } }), [
      "c/3",
      "c/4",
      "c/1",
      "c/2",
    ]);
    requireEqual(await keysOf(store, "", { by: { name: "not_after" } }), [
      "c/3",
      "c/4",
      "d/1",
      "c/1",
      "c/2",
    ]);
    requireEqual(await keysOf(store, "c/", { by: { name: "not_after", from: 50, to: 100 } }), [
      "c/4",
      "c/1",
      "c/2",
    ]);
    requireEqual(await keysOf(store, "c/", { by: { name: "not_after", to: 49 } }), ["c/3"]);
    requireEqual(await keysOf(store, "c/", { by: { name: "not_after", from: 101 } }), []);
    requireEqual(await keysOf(store, "c/", { by: { name: "name" } }), ["c/3", "c/2", "c/4"]);
    requireEqual(await keysOf(store, "", { by: { name: "role", from: "r", to: "r" } }), [
      "c/3",
      "d/1",
    ]);
    requireEqual(await keysOf(store, "", { by: { name: "issuer", from: "j" } }), []);
  }),

  check("returns the values of the index by which it lists, or none", async (open) => {
    const store = await open();
    await store.commit({
      put: [
        ["a", 1, { name: "x", ends: 7 }],
        ["b", 2, { name: "", ends: 0 }],
      ],
    });
    const indexed = async (name: string, values: boolean) =>
      (await store.list("", { by: { name }, values })).map(([, row]) => row.indexed);
    for (const values of [true, false])
      for (const [name, expected] of [
        ["name", ["", "x"]],
        ["ends", [0, 7]],
      ] as const) {
        const actual = await indexed(name, values);
        if (actual.some((value) => value !== undefined)) requireEqual(actual, expected);
      }
    requireEqual(
      (await store.list("")).filter(([, row]) => row.indexed !== undefined),
      [],
    );
  }),

  check(
    "supports separate indexes with any names, even if first used when there are rows",
    async (open) => {
      const store = await open();
      const by = (name: string) => keysOf(store, "", { by: { name } });
      await store.commit({
        put: [
          ["a", 1, { workspace: "w", ends: 5 }],
          ["b", 1],
          ["c", 1],
        ],
      });
      requireEqual(await by("order"), []);
      await store.commit({ put: [["b", 2, { order: "w" }]] });
      await store.commit({ put: [["d", 2, { order: "v", at: "z", workspace: "a" }]] });
      requireEqual(
        [await by("workspace"), await by("ends"), await by("order"), await by("at")],
        [["d", "a"], ["a"], ["d", "b"], ["d"]],
      );
      await store.commit({ put: [["b", 3, { ends: 4 }]] });
      requireEqual([await by("order"), await by("ends")], [["d"], ["b", "a"]]);
    },
  ),

  check(
    "sorts index values with characters up to U+00FF by code point, and finds all with the same beginning",
    async (open) => {
      const store = await open();
      const values = [
        "a",
        "a\0",
        "a~",
        "a\x7f",
        "a\x80",
        "a\xc3\xbc",
        "a\xf0\x9f\x98\x80",
        "a\xff",
        "b",
      ];
      await store.commit({
        put: values.map((name, at) => [`c/${values.length - at}`, at, { name }]),
      });
      const alike = { name: "name", from: "a", to: "a\uffff" } as const;
      const all = values.slice(0, -1).map((_, at) => `c/${values.length - at}`);
      requireEqual(await keysOf(store, "c/", { by: alike }), all);
      for (const [at, value] of values.slice(0, -1).entries())
        requireEqual(
          await keysOf(store, "c/", {
            by: { ...alike, after: [value, `c/${values.length - at}`] },
          }),
          all.slice(at + 1),
        );
      requireEqual(
        await keysOf(store, "c/", { by: { ...alike, from: "a\xf0", to: "a\xf0\uffff" } }),
        ["c/3"],
      );
    },
  ),

  check("lists pages by an index with equal values", async (open) => {
    const store = await open();
    const all = Array.from(
      { length: 20 },
      (_, at) => [`k/${String(at).padStart(2, "0")}`, Math.floor(at / 8)] as const,
    );
    await store.commit({
      put: all.map(([key, value]) => [key, value, { not_after: value, role: `r${value}` }]),
    });
    for (const name of ["not_after", "role"] as const) {
      const seen: string[] = [];
      for (let after: [string | number, string] | undefined, more = true; more;) {
        const page: readonly (readonly [string, { value: unknown }])[] = await store.list("k/", {
          limit: 3,
          by: { name, ...(after ? { after } : {}) },
        });
        seen.push(...page.map(([key]) => key));
        const last = page.at(-1);
        if (last)
          after = [name === "role" ? `r${Number(last[1].value)}` : Number(last[1].value), last[0]];
        more = page.length === 3 && seen.length <= all.length;
      }
      requireEqual(
        seen,
        all.map(([key]) => key),
      );
    }
    requireEqual(
      await keysOf(store, "k/", { by: { name: "not_after", from: 1, to: 1, after: [1, "k/13"] } }),
      ["k/14", "k/15"],
    );
    requireEqual(
      (await keysOf(store, "k/", { by: { name: "not_after", from: 1, to: 1, after: [0, "k/99"] } }))
        .length,
      8,
    );
    requireEqual(
      (
        await keysOf(store, "k/", {
          by: { name: "not_after", from: 1, after: [0, "k/00"], limit: 1 } as Page["by"] & object,
        })
      ).length,
      12,
    );
  }),

  check(
    "lists all rows in a range in order of value if rows with equal values may be in any order",
    async (open) => {
      const store = await open();
      const keys = Array.from({ length: 40 }, (_, at) => `p/${(at * 7) % 40}`);
      await store.commit({ put: keys.map((key, at) => [key, at, { ends: at % 4 }]) });
      await store.commit({ put: [["q/1", 1, { ends: 1 }]] });
      const by = { name: "ends", from: 1, to: 2, anyOrder: true };
      const ends = (await store.list("p/", { by })).map(([, { value }]) => Number(value) % 4);
      requireEqual(ends, [...Array<number>(10).fill(1), ...Array<number>(10).fill(2)]);
      const some = await store.list("p/", { by, limit: 5, values: false });
      requireEqual(new Set(some.map(([key]) => keys.indexOf(key) % 4)), new Set([1]));
      requireEqual(new Set(some.map(([key]) => key)).size, 5);
    },
  ),

  check("removes the index values of a row that is replaced or deleted", async (open) => {
    const store = await open();
    await store.commit({
      put: [
        ["a", 1, { name: "x", role: "r" }],
        ["b", 1, { name: "x" }],
      ],
    });
    await store.commit({ put: [["a", 2, { name: "y" }]], del: ["b"] });
    requireEqual(await keysOf(store, "", { by: { name: "name" } }), ["a"]);
    requireEqual(await keysOf(store, "", { by: { name: "name", from: "y" } }), ["a"]);
    requireEqual(await keysOf(store, "", { by: { name: "role" } }), []);
    await store.commit({ put: [["a", 3]] });
    requireEqual(await keysOf(store, "", { by: { name: "name" } }), []);
  }),
];
