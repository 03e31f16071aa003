import { describe } from "vitest";
import { indexedDbStore } from "../../src/store/indexeddb.ts";
import { acmeHistorySuite } from "../conformance/acme-histories.ts";

let opened = 0;

describe("ACME orders over IndexedDB", () => {
  acmeHistorySuite({ fixed: 10, fresh: 5 }, () =>
    indexedDbStore(`acme-history-${Date.now()}-${(opened += 1)}`),
  );
});
