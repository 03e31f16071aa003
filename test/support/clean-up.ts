import { afterAll } from "vitest";
// once per process, as its files share their modules
import "./equal-bytes.ts";
import { noteTime } from "./file-time.ts";
import { leftovers } from "./leftovers.ts";

// a set-up file runs again for each test file
// oxlint-disable-next-line no-empty-pattern -- Vitest accepts only a pattern here
afterAll(({}, suite) => {
  for (const end of leftovers) end();
  noteTime(suite.file.meta);
});
