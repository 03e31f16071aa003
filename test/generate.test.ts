import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { generated, root } from "../tools/generate/products.ts";

it("every file that `npm run generate` makes is as it would make it now", async () => {
  const stale = Object.entries(await generated())
    .filter(
      ([path, content]) =>
        !existsSync(join(root, path)) || readFileSync(join(root, path), "utf8") !== content,
    )
    .map(([path]) => path);
  expect(stale, "run `npm run generate`").toEqual([]);
  // a formatter reads megabytes
}, 120_000);
