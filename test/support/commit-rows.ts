import { commitByPlace } from "../../src/engine/batches-by-place.ts";
import type { Batch, Committed, Store } from "../../src/engine/ports.ts";

/** Commits a batch with rows for any number of partitions, one partition after the other. */
export const commitRows = (store: Store, batch: Batch): Promise<Committed | undefined> =>
  commitByPlace({ store, commit: (part) => store.commit(part) }, batch);
