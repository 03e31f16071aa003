// A setup file: mounts of authorities in memory have SEALWRIGHT_TEST_PARTITIONS partitions each.
import { createCa } from "../../src/index.ts";
import { replacement } from "./authority.ts";
import { partitionedStores } from "./partitioned-stores.ts";

const count = Number(process.env["SEALWRIGHT_TEST_PARTITIONS"]);
replacement.engine = (options) => {
  const { stores } = partitionedStores(count);
  return { ca: createCa({ ...options, stores }), stores };
};
