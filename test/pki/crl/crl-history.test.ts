import { describe } from "vitest";
import { historySuite } from "../../conformance/crl-histories.ts";
import { partitionedStores } from "../../support/partitioned-stores.ts";

describe("random histories of CRLs in memory", () => {
  historySuite({ fixed: 200, fresh: 50 });
});

describe("random histories of CRLs in memory, with four partitions for each mount", () => {
  historySuite({ fixed: 20, fresh: 5 }, () => partitionedStores(4).stores);
});
