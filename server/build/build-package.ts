// Builds the contents of the package: the modules of the library and the server, the console, the
// declarations (already written by the compiler) and a bill of materials.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeBill } from "./bill-of-materials.ts";
import { buildModules } from "./build-modules.ts";
import { buildPage, demoPath, endBuilds, root } from "./build-page.ts";
import { removeUnusedDeclarations } from "./declarations.ts";

await buildModules(join(root, "dist/js"));
await buildPage(demoPath, "small");
await removeUnusedDeclarations(join(root, "dist/types"));
await removeDerived(demoPath);
await writeBill(join(root, "dist/sbom.cdx.json"));
await endBuilds();

/** Removes the plain and gzip files that the server can derive from a Brotli-compressed file. */
async function removeDerived(folder: string): Promise<void> {
  const files = await readdir(folder);
  const derived = files
    .filter((file) => file.endsWith(".br"))
    .map((file) => file.slice(0, -".br".length))
    .flatMap((file) => [file, `${file}.gz`]);
  await Promise.all(derived.map((file) => rm(join(folder, file), { force: true })));
}
