import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./build-page.ts";

/** The members of package.json that the build reads. */
interface Manifest {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, { readonly types: string }>>;
}

/** Reads the package.json of this package. */
export const readManifest = async (): Promise<Manifest> =>
  JSON.parse(await readFile(join(root, "package.json"), "utf8")) as Manifest;
