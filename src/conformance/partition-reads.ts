import { check, requireEqual, type Check } from "./check.ts";
import { manyBytes, put } from "./data.ts";

/**
 * Checks for the functions that only partitions use. They pass if the store does not implement the
 * functions.
 */
export const partitionReads: readonly Check[] = [
  check("returns rows with their index values, also large ones", async (open) => {
    const store = await open();
    if (!store.getWithIndex) return;
    const large = manyBytes(3_000_000, 7);
    requireEqual(await store.getWithIndex(["a"]), [undefined]);
    await store.commit({
      put: [
        ["a", { n: 1 }, { name: "x", ends: 5 }],
        ["b", "plain"],
        ["c", large, { ends: 6 }],
        ["d", large],
        ["e", 5, { name: "é" }],
      ],
    });
    const [a, b, c, d, e] = (await store.get(["a", "b", "c", "d", "e"])).map((row) => row?.rev);
    requireEqual(await store.getWithIndex(["e", "none", "c", "d", "b", "a"]), [
      { key: "e", rev: e, value: 5, index: { name: "é" } },
      undefined,
      { key: "c", rev: c, value: large, index: { ends: 6 } },
      { key: "d", rev: d, value: large },
      { key: "b", rev: b, value: "plain" },
      { key: "a", rev: a, value: { n: 1 }, index: { name: "x", ends: 5 } },
    ]);
  }),

  check(
    "returns a row that it reads after a listing, of which nothing is missing",
    async (open) => {
      const store = await open();
      if (!store.listThenGet) return;
      await store.commit(put("a", "p/1", "p/2", "p/3"));
      const [after] = await store.get(["a"]);
      requireEqual(await store.listThenGet("p/", {}, "a"), [await store.list("p/"), after]);
      const page = { after: "p/1", limit: 1, values: false };
      requireEqual(await store.listThenGet("p/", page, "none"), [
        await store.list("p/", page),
        undefined,
      ]);
    },
  ),
];
