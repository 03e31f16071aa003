import { describe } from "vitest";
import { indexedDbStore } from "../../src/store/indexeddb.ts";
import { scheduleSuite } from "../conformance/schedule.ts";

let opened = 0;

describe("three engines over one IndexedDB", () => {
  const open = async () => indexedDbStore(`schedule-${Date.now()}-${(opened += 1)}`)("mount");
  scheduleSuite({ fixed: 6, fresh: 3, controls: 6 }, open);
});
