import { afterAll } from "vitest";
import { leftovers } from "./leftovers.ts";

// a set-up file runs again for each test file
afterAll(() => {
  for (const end of leftovers) end();
});
