import { expect, it } from "vitest";
import type { Store } from "../../src/engine/ports.ts";
import { memoryStore } from "../../src/index.ts";
import { authority } from "../support/authority.ts";

/**
 * Returns the number of rows that issuing certificates writes to a mount, including the rows that
 * jobs write.
 */
async function rowsWritten(log: boolean, certificates: number): Promise<number> {
  let written = 0;
  const stores = memoryStore();
  const a = authority({
    stores: (name) => {
      const store: Store = stores(name);
      return {
        ...store,
        commit(batch) {
          const { put = [], log = [] } = batch;
          // each log of the batch has a row with its last number
          written += put.length + log.length + new Set(log.map(([prefix]) => prefix)).size;
          return store.commit(batch);
        },
      };
    },
  });
  await a.pki.writeLogConfig({ enabled: log, origin: "ca.test/v1/pki/log" });
  await a.root();
  await a.role("web");
  await a.ca.tick();
  written = 0;
  for (let n = 0; n < certificates; n++)
    await a.pki.issue({ role: "web", common_name: `h${n}.test` });
  a.clock.advance(1);
  await a.ca.tick();
  return written;
}

it("the log of a mount adds three rows per certificate and two rows per sequencing step", async () => {
  const certificates = 40;
  const added = (await rowsWritten(true, certificates)) - (await rowsWritten(false, certificates));
  // the entry, the last number and the job; then the tree, and the row of the sequencing run
  expect(added).toBe(3 * certificates + 2);
});
