import { join } from "node:path";
import { layoutNumber } from "../../src/postgres/names.ts";
import { layout } from "../../src/store/sql/tables.ts";
import { readIfThere } from "./data-dir.ts";

/** Numbers of the table layouts that this version writes, by database system. */
export const layouts = { sqlite: layout.number, postgresql: layoutNumber } as const;

/** The version of a running server, and the layout of its tables. */
interface ServedVersion {
  readonly server: string;
  readonly data: { readonly database: keyof typeof layouts; readonly layout: number };
}

/** Returns the path of the file that contains the version of the server using a data directory. */
export const versionPathIn = (dataDir: string): string => join(dataDir, "version");

/** Returns the content of the version file. */
export function servedVersion(server: string, database: keyof typeof layouts): string {
  const version: ServedVersion = { server, data: { database, layout: layouts[database] } };
  return JSON.stringify(version);
}

/** Reads the version file. Returns undefined if it is missing or damaged. */
export function readServedVersion(dataDir: string): ServedVersion | undefined {
  try {
    return JSON.parse(readIfThere(versionPathIn(dataDir)) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
