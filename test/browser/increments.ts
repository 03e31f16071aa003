import type { Store } from "../../src/engine/ports.ts";

/** Creates the row `n` unless it exists. */
export const begin = (store: Store) => store.commit({ expect: [["n", null]], put: [["n", 0]] });

/**
 * Adds 1 to the row `n` and a byte to the page `p/`, `times` times. Each commit expects the revision
 * that was read.
 */
export async function increments(store: Store, times: number): Promise<void> {
  for (let left = times; left > 0;) {
    const [row] = await store.get(["n"]);
    const done = await store.commit({
      expect: [["n", row?.rev ?? null]],
      put: [["n", Number(row?.value) + 1]],
      append: [["p/", Uint8Array.of(1)]],
    });
    if (done) left -= 1;
  }
}
