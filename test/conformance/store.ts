import { describe, expect, it } from "vitest";
import { storeChecks } from "../../src/conformance/index.ts";
import type { Store } from "../../src/engine/ports.ts";
import { storeRandom, type Effort } from "./store-random.ts";

/**
 * What every store promises (`sealwright/conformance`), what the random checks there say of some
 * sequences more, which shrink to the shortest that fails, and that our own stores have all that
 * others may leave out. `open` gives a new, empty store each time.
 */
export function storeConformance(label: string, open: () => Promise<Store>, options: Effort): void {
  describe(`${label}: a store`, () => {
    for (const { name, run } of storeChecks(open, { sequences: 20, steps: options.steps }))
      it(name, { timeout: 60_000 }, run);
    it("can be exported", async () => expect((await open()).export).toBeTypeOf("function"));
    storeRandom(open, options);
  });
}
