import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { format } from "oxfmt";
import { clientTables } from "./client.ts";
import { commandLineFile } from "./command-line.ts";
import { consoleEndpoints } from "./console-endpoints.ts";
import { errorsFile } from "./errors.ts";
import { examplesFile } from "./examples.ts";
import { documentFile } from "./openapi.ts";
import { partIds } from "./part-ids.ts";
import { referenceFiles } from "./reference.ts";
import { roomsFile } from "./rooms.ts";
import { rulesIndex } from "./rules-index.ts";
import type { Files, Product } from "./product.ts";

/** The products that an authority requires to route requests, including the example requests. */
export const routeTables: readonly Product[] = [clientTables, partIds];
/** All products, each of which is a module in this folder. */
const products: readonly Product[] = [
  ...routeTables,
  commandLineFile,
  consoleEndpoints,
  examplesFile,
  documentFile,
  referenceFiles,
  errorsFile,
  roomsFile,
  rulesIndex,
];

/** The repository's root directory. */
export const root = resolve(import.meta.dirname, "../..");

const { ignorePatterns: _, ...style } = JSON.parse(
  readFileSync(resolve(root, ".oxfmtrc.json"), "utf8"),
) as { readonly ignorePatterns?: unknown; readonly printWidth?: number };
/**
 * Formats a file as `npm run format` does, except files in docs, which it skips. Rejects with the
 * formatter's error if it cannot parse the content.
 */
async function formatted(path: string, content: string): Promise<string> {
  if (path.startsWith("docs/")) return content;
  const { code, errors } = await format(path, content, style);
  const [error] = errors;
  if (error) throw new Error(`${path} cannot be formatted: ${error.message}`);
  return code;
}

/**
 * Returns the expected contents of the files generated for some products (by default all), by path.
 */
export async function generated(of = products): Promise<Files> {
  const files = Object.assign({}, ...(await Promise.all(of.map(async (make) => make())))) as Files;
  return Object.fromEntries(
    await Promise.all(
      Object.entries(files).map(
        async ([path, content]) => [path, await formatted(path, content)] as const,
      ),
    ),
  );
}
