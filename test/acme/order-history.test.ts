import { describe } from "vitest";
import { acmeHistorySuite } from "../conformance/acme-histories.ts";
import { partitionedStores } from "../support/partitioned-stores.ts";

describe("ACME orders of an authority in memory", () => {
  acmeHistorySuite({ fixed: 200, fresh: 50 });
});

describe("ACME orders of an authority in memory with four partitions per mount", () => {
  acmeHistorySuite({ fixed: 20, fresh: 5 }, () => partitionedStores(4).stores);
});
