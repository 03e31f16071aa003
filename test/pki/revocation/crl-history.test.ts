import { describe } from "vitest";
import { historySuite } from "../../conformance/crl-histories.ts";

describe("the lists of an authority in memory", () => {
  historySuite({ fixed: 200, fresh: 50 });
});
