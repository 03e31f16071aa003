import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Store } from "../../src/engine/ports.ts";
import { sqliteStore } from "../../src/node/index.ts";
import { memoryStoreOf } from "../../src/store/memory.ts";
import { temporaryDirectory } from "../support/server.ts";

const stores: readonly (readonly [name: string, open: () => Store])[] = [
  ["in memory", () => memoryStoreOf()],
  [
    "in SQLite",
    () => {
      const file = sqliteStore(join(temporaryDirectory(), "rows.db"));
      onTestFinished(() => file.close());
      return file("mount");
    },
  ],
];

it.each(stores)(
  "a store %s returns requested rows with their index values, also large ones",
  async (_, open) => {
    const store = open();
    const large = new Uint8Array(3_000_000).fill(7);
    expect(await store.getWithIndex?.(["a"])).toEqual([undefined]);
    await store.commit({
      put: [
        ["a", { n: 1 }, { name: "x", ends: 5 }],
        ["b", "plain"],
        ["c", large, { ends: 6 }],
        ["d", large],
        ["e", 5, { name: "é" }],
      ],
    });
    const revs = (await store.get(["a", "b", "c", "d", "e"])).map((row) => row?.rev ?? 0);
    expect(await store.getWithIndex?.(["e", "none", "c", "d", "b", "a"])).toEqual([
      { key: "e", rev: revs[4], value: 5, index: { name: "é" } },
      undefined,
      { key: "c", rev: revs[2], value: large, index: { ends: 6 } },
      { key: "d", rev: revs[3], value: large },
      { key: "b", rev: revs[1], value: "plain" },
      { key: "a", rev: revs[0], value: { n: 1 }, index: { name: "x", ends: 5 } },
    ]);
  },
);
