import { check, same, type Check } from "./check.ts";
import { big, bytes, keysOf, one } from "./data.ts";

/** Epochs. */
export const epochs: readonly Check[] = [
  check("begins at epoch 0 and counts with `next`", async (open) => {
    const store = await open();
    same(await one(store, "epoch"), undefined);
    same(await store.commit({ epoch: 0, put: [["a", 1]] }), { epoch: 0 });
    same(await store.commit({ epoch: "next" }), { epoch: 1 });
    same(await store.commit({ epoch: "next", put: [["a", 2]] }), { epoch: 2 });
    same((await one(store, "epoch"))?.value, 2);
  }),

  check("refuses a batch of an earlier epoch, and remembers a later one", async (open) => {
    const store = await open();
    await store.commit({ epoch: 5 });
    same((await one(store, "epoch"))?.value, 5);
    same(await store.commit({ epoch: 4, put: [["a", 1]] }), undefined);
    same(await store.commit({ epoch: 5, put: [["a", 1]] }), { epoch: 5 });
    same(await store.commit({ put: [["b", 1]] }), { epoch: 5 });
    same(await store.commit({ epoch: 7 }), { epoch: 7 });
    same(await keysOf(store, ""), ["a", "b", "epoch"]);
  }),

  check("applies a batch with `at` at exactly that epoch", async (open) => {
    const store = await open();
    same(await store.commit({ onlyAtEpoch: 1, put: [["a", 1]] }), undefined);
    same(await store.commit({ onlyAtEpoch: 0, epoch: "next", put: [["a", 1]] }), {
      epoch: 1,
    });
    same(await store.commit({ onlyAtEpoch: 0, put: [["b", 1]] }), undefined);
    same(await store.commit({ onlyAtEpoch: 2, put: [["b", 1]] }), undefined);
    same(await store.commit({ onlyAtEpoch: 1, put: [["b", 1]] }), { epoch: 1 });
  }),

  check("keeps the epoch, and nothing else, when cleared", async (open) => {
    const store = await open();
    await store.commit({
      epoch: 3,
      put: [
        ["a", 1, { role: "r" }],
        ["b", big(1_300_000, 1)],
      ],
      append: [["p/", bytes(9)]],
    });
    same(await store.commit({ clear: true }), { epoch: 3 });
    same(await keysOf(store, ""), ["epoch"]);
    same(
      await store.commit({
        clear: true,
        epoch: "next",
        put: [["c", 1]],
        append: [["p/", bytes(2)]],
      }),
      { epoch: 4 },
    );
    same(
      (await store.list("")).map(([key, { value }]) => [key, value]),
      [
        ["c", 1],
        ["epoch", 4],
        ["p/00000000", bytes(2)],
      ],
    );
    same(await keysOf(store, "", { by: { name: "role" } }), []);
  }),
];
