import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generated, root } from "./products.ts";

for (const [path, content] of Object.entries(await generated())) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  console.log(`${path}: ${content.length} characters`);
}
