import { describe } from "vitest";
import { historySuite } from "../../conformance/crl-histories.ts";

describe("random histories of CRLs in memory", () => {
  historySuite({ fixed: 200, fresh: 50 });
});
