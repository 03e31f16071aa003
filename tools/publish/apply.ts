// Writes the public URLs of the project to package.json. An empty URL gets no field.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withAddresses, type Addresses } from "./addresses.ts";

const root = join(import.meta.dirname, "../..");
const manifestPath = join(root, "package.json");
const read = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, "utf8"));

// both files are part of the project, so their shape is known
const addresses = (await read(join(import.meta.dirname, "addresses.json"))) as Addresses;
const manifest = (await read(manifestPath)) as Readonly<Record<string, unknown>>;
await writeFile(manifestPath, `${JSON.stringify(withAddresses(manifest, addresses), null, 2)}\n`);
