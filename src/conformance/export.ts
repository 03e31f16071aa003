import type { Batch, ExportedRow, Store } from "../engine/ports.ts";
import {
  check,
  storageError,
  requireRejection,
  requireTrue,
  requireEqual,
  type Check,
} from "./check.ts";
import { manyBytes, bytes, isManyBytes } from "./data.ts";

/**
 * Begins an export, and returns its parts. Throws TypeError if the store does not support exports.
 */
export function exportOf(store: Store, maxRows?: number): AsyncIterator<readonly ExportedRow[]> {
  if (!store.export) throw new TypeError("the store does not support exports");
  return store.export(maxRows)[Symbol.asyncIterator]();
}
/** Returns the remaining rows of an export. */
export async function readRest(
  parts: AsyncIterator<readonly ExportedRow[]>,
): Promise<ExportedRow[]> {
  const rows: ExportedRow[] = [];
  for (let part = await parts.next(); !part.done; part = await parts.next())
    rows.push(...part.value);
  return rows;
}
const sorted = (rows: readonly ExportedRow[]): readonly ExportedRow[] =>
  [...rows].sort((a, b) => (a.key < b.key ? -1 : 1));

const first: Batch = {
  epoch: 3,
  put: [
    ["a", { n: 1, der: bytes(3) }, { name: "x", ends: 5 }],
    ["b", 1],
    ["c", "one", { name: "y" }],
    ["d", "two"],
    ["e", "three", { name: "z" }],
  ],
  append: [["p/", bytes(10)]],
};

/** Changes that are made before and during an export. */
const changes: readonly Batch[] = [
  {
    put: [
      ["a", 2],
      ["e", "new", { name: "w" }],
    ],
  },
  { del: ["a", "d"] },
  {
    epoch: "next",
    put: [
      ["d", "again"],
      ["0", "before"],
      ["f", "behind", { name: "x" }],
    ],
  },
  {
    append: [
      ["p/", bytes(5, 7)],
      ["q/", bytes(2)],
    ],
  },
  { append: [["p/", bytes(5, 9)]], del: ["e", "0"] },
  {
    put: [
      ["e", "back"],
      ["c", 3],
    ],
    del: ["p/00000000"],
  },
  { append: [["p/", bytes(4)]] },
];

/** Checks for exports, which must return all rows as of one point in time. */
export const exporting: readonly Check[] = [
  check(
    "exports every row with its revision and index values, and exports an empty store",
    async (open) => {
      const store = await open();
      requireEqual(await readRest(exportOf(store)), []);
      await store.commit(first);
      const listed = await store.list("");
      const rows = sorted(await readRest(exportOf(store)));
      requireEqual(
        rows.map(({ key, value, rev }) => [key, { value, rev }]),
        listed,
      );
      requireEqual(
        rows.flatMap(({ key, index }) => (index ? [[key, index]] : [])),
        [
          ["a", { name: "x", ends: 5 }],
          ["c", { name: "y" }],
          ["e", { name: "z" }],
        ],
      );
      requireEqual(sorted(await readRest(exportOf(store, 1))), rows);
    },
  ),

  check(
    "exports rows as they were when the export began, even if rows are changed, added and deleted meanwhile",
    async (open) => {
      for (let begin = 0; begin <= changes.length; begin += 1) {
        const store = await open();
        await store.commit(first);
        for (const batch of changes.slice(0, begin)) await store.commit(batch);
        const expected = sorted(await readRest(exportOf(store)));
        const parts = exportOf(store, 1);
        const seen: ExportedRow[] = [];
        const firstPart = await parts.next();
        if (!firstPart.done) seen.push(...firstPart.value);
        for (const batch of changes) {
          await store.commit(batch);
          const part = await parts.next();
          if (!part.done) seen.push(...part.value);
          // old versions of rows that are saved for the export must not be visible elsewhere
          const indexed = await store.list("", { by: { name: "name" } });
          const all = await store.list("");
          const keys = all.map(([of]) => of);
          for (const [key] of indexed)
            requireTrue(keys.includes(key), `an index lists ${key}, but a listing by key does not`);
          requireEqual(
            all.every(([key]) => key < "\u{80}"),
            true,
          );
        }
        seen.push(...(await readRest(parts)));
        requireEqual(sorted(seen), expected);
        requireEqual(
          sorted(await readRest(exportOf(store))).map(({ key }) => key),
          (await store.list("")).map(([key]) => key),
        );
      }
    },
  ),

  check("exports large values that are replaced or deleted meanwhile", async (open) => {
    const store = await open();
    await store.commit({
      put: [
        ["a", 1],
        ["b", manyBytes(2_500_000, 1)],
        ["c", manyBytes(1_300_000, 2)],
      ],
    });
    const parts = exportOf(store, 1);
    await parts.next();
    await store.commit({ put: [["b", "small"]], del: ["c"] });
    const [b, c] = sorted(await readRest(parts));
    requireEqual([b?.key, isManyBytes(b?.value, 2_500_000, 1)], ["b", true]);
    requireEqual([c?.key, isManyBytes(c?.value, 1_300_000, 2)], ["c", true]);
    requireEqual(
      (await store.list("")).map(([key]) => key),
      ["a", "b"],
    );
  }),

  check("rejects the next part of an export after the store is cleared", async (open) => {
    const store = await open();
    await store.commit(first);
    const parts = exportOf(store, 1);
    await parts.next();
    await store.commit({ clear: true });
    await requireRejection(parts.next(), storageError);
    requireEqual(
      (await readRest(exportOf(store))).map(({ key }) => key),
      ["epoch"],
    );
  }),
];
