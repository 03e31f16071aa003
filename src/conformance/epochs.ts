import { check, requireEqual, type Check } from "./check.ts";
import { manyBytes, bytes, keysOf, one } from "./data.ts";

/** Checks for epochs. */
export const epochs: readonly Check[] = [
  check("begins at epoch 0 and increments it for `next`", async (open) => {
    const store = await open();
    requireEqual(await one(store, "epoch"), undefined);
    requireEqual(await store.commit({ epoch: 0, put: [["a", 1]] }), { epoch: 0 });
    requireEqual(await store.commit({ epoch: "next" }), { epoch: 1 });
    requireEqual(await store.commit({ epoch: "next", put: [["a", 2]] }), { epoch: 2 });
    requireEqual((await one(store, "epoch"))?.value, 2);
  }),

  check("rejects a batch of an earlier epoch, and stores a later epoch", async (open) => {
    const store = await open();
    await store.commit({ epoch: 5 });
    requireEqual((await one(store, "epoch"))?.value, 5);
    requireEqual(await store.commit({ epoch: 4, put: [["a", 1]] }), undefined);
    requireEqual(await store.commit({ epoch: 5, put: [["a", 1]] }), { epoch: 5 });
    requireEqual(await store.commit({ put: [["b", 1]] }), { epoch: 5 });
    requireEqual(await store.commit({ epoch: 7 }), { epoch: 7 });
    requireEqual(await keysOf(store, ""), ["a", "b", "epoch"]);
  }),

  check("applies a batch with `onlyAtEpoch` only at exactly that epoch", async (open) => {
    const store = await open();
    requireEqual(await store.commit({ onlyAtEpoch: 1, put: [["a", 1]] }), undefined);
    requireEqual(await store.commit({ onlyAtEpoch: 0, epoch: "next", put: [["a", 1]] }), {
      epoch: 1,
    });
    requireEqual(await store.commit({ onlyAtEpoch: 0, put: [["b", 1]] }), undefined);
    requireEqual(await store.commit({ onlyAtEpoch: 2, put: [["b", 1]] }), undefined);
    requireEqual(await store.commit({ onlyAtEpoch: 1, put: [["b", 1]] }), { epoch: 1 });
  }),

  check("retains only the epoch when cleared", async (open) => {
    const store = await open();
    await store.commit({
      epoch: 3,
      put: [
        ["a", 1, { role: "r" }],
        ["b", manyBytes(1_300_000, 1)],
      ],
      append: [["p/", bytes(9)]],
    });
    requireEqual(await store.commit({ clear: true }), { epoch: 3 });
    requireEqual(await keysOf(store, ""), ["epoch"]);
    requireEqual(
      await store.commit({
        clear: true,
        epoch: "next",
        put: [["c", 1]],
        append: [["p/", bytes(2)]],
      }),
      { epoch: 4 },
    );
    requireEqual(
      (await store.list("")).map(([key, { value }]) => [key, value]),
      [
        ["c", 1],
        ["epoch", 4],
        ["p/00000000", bytes(2)],
      ],
    );
    requireEqual(await keysOf(store, "", { by: { name: "role" } }), []);
  }),
];
