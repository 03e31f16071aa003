import { describe } from "vitest";
import { scheduleSuite } from "../conformance/schedule.ts";

describe("three engines over one store", () => {
  scheduleSuite({ fixed: 100, fresh: 20, controls: 20 });
});
