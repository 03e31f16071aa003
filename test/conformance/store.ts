import { describe, expect, it } from "vitest";
import { storeChecks } from "../../src/conformance/index.ts";
import type { Store } from "../../src/engine/ports.ts";
import { storeRandom, type Effort } from "./store-random.ts";

/**
 * Runs the suite for every store (`sealwright/conformance`), checks random sequences, which shrink
 * to the shortest failing one, and tests that our own stores have all optional members. `open`
 * returns a new, empty store each time.
 */
export function storeConformance(label: string, open: () => Promise<Store>, options: Effort): void {
  describe(`${label}: a store`, () => {
    for (const { name, run } of storeChecks(open, { sequences: 20, steps: options.steps }))
      it(name, run);
    it("has an export function", async () => expect((await open()).export).toBeTypeOf("function"));
    it("returns index values in listings", async () => {
      const store = await open();
      await store.commit({ put: [["a", 1, { name: "x" }]] });
      const [row] = await store.list("", { by: { name: "name" }, values: false });
      expect(row?.[1].indexed).toBe("x");
    });
    storeRandom(open, options);
  });
}
