import { describe } from "vitest";
import { indexedDbStore } from "../../src/store/indexeddb.ts";
import { historySuite } from "../conformance/crl-histories.ts";

let opened = 0;

describe("CRLs over IndexedDB", () => {
  historySuite({ fixed: 10, fresh: 5 }, () =>
    indexedDbStore(`crl-history-${Date.now()}-${(opened += 1)}`),
  );
});
