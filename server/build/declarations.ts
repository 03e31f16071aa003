import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { root } from "./build-page.ts";
import { readManifest } from "./manifest.ts";

/** Matches the specifiers of the files that a declaration file imports. */
const imported = /(?:\bfrom |\bimport\(|\bimport )"(\.[^"]+)\.ts"/g;

/** Removes the declaration files that no entry point of the package reaches. */
export async function removeUnusedDeclarations(folder: string): Promise<void> {
  const used = new Set<string>();
  const { exports } = await readManifest();
  const open = Object.values(exports).map(({ types }) => join(root, types));
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (used.has(file)) continue;
    used.add(file);
    for (const [, path = ""] of (await readFile(file, "utf8")).matchAll(imported))
      open.push(join(dirname(file), `${path}.d.ts`));
  }
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const unused = all
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !used.has(file));
  await Promise.all(unused.map((file) => rm(file)));
}
