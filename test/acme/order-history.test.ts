import { describe } from "vitest";
import { acmeHistorySuite } from "../conformance/acme-histories.ts";

describe("the orders of an authority in memory", () => {
  acmeHistorySuite({ fixed: 200, fresh: 50 });
});
