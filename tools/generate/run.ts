import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generated, root, routeTables } from "./products.ts";

// `npm run generate` first runs this script with `--tables`, in a separate process, because sending
// the example requests requires the tables that it writes
const isFirst = process.argv.includes("--tables");
for (const [path, content] of Object.entries(await generated(isFirst ? routeTables : undefined))) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  console.log(`${path}: ${content.length} characters`);
}
