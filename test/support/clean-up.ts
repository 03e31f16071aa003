import { afterAll } from "vitest";
// once per process, as its files share their modules
import "./equal-bytes.ts";
import { leftovers } from "./leftovers.ts";

// a set-up file runs again for each test file
afterAll(() => {
  for (const end of leftovers) end();
});
