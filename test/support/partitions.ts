// A setup file: authorities in memory have mounts with as many partitions as
// SEALWRIGHT_TEST_PARTITIONS says.
import { createCa } from "../../src/index.ts";
import { replacement } from "./authority.ts";
import { partitionedStores } from "./partitioned-stores.ts";

const count = Number(process.env["SEALWRIGHT_TEST_PARTITIONS"]);
replacement.engine = (options) => {
  const { stores } = partitionedStores(count);
  return { ca: createCa({ ...options, stores }), stores };
};
