import { existsSync } from "node:fs";
import { LaunchError } from "../settings/launch-error.ts";
import type { Settings } from "../settings/settings.ts";
import { databaseIn, startWriter, type Writer } from "../data/database.ts";
import { importObjects } from "../data/import-objects.ts";
import { requireAuthority, requireDatabase } from "../data/installed.ts";
import { objectFilesIn } from "../data/object-files.ts";
import { hasAuthority } from "../data/postgres.ts";
import type { RunDir } from "../data/run-dir.ts";
import type { StorageSettings } from "./calls.ts";

/** The database of a server. */
interface Storage {
  /** Whether the database was empty before this start. */
  readonly isFirst: boolean;
  readonly settings: StorageSettings;
  /** Starts the writer thread. Returns undefined if each process writes to the database itself. */
  startWriter(): Promise<Writer> | undefined;
}

/**
 * Prepares the configured database. Rejects with {@link LaunchError} if the database cannot be used
 * or existing data is missing.
 */
export const openStorage = (settings: Settings, runDir: RunDir): Promise<Storage> =>
  settings.database ? openDatabase(settings, settings.database) : openFile(settings, runDir);

async function openFile({ dataDir, workers }: Settings, runDir: RunDir): Promise<Storage> {
  const file = databaseIn(dataDir);
  await importObjects(dataDir);
  requireDatabase(dataDir);
  return {
    isFirst: !existsSync(file),
    settings: { file, writer: runDir.writer },
    // a single process contains the writer and needs no socket
    startWriter: () => writerOf(file, workers > 1 ? runDir.writer : undefined),
  };
}

async function writerOf(file: string, socket: string | undefined): Promise<Writer> {
  try {
    return await startWriter(file, socket);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new LaunchError(`${why.charAt(0).toUpperCase()}${why.slice(1)}.`);
  }
}

async function openDatabase(
  { dataDir }: Settings,
  database: NonNullable<Settings["database"]>,
): Promise<Storage> {
  const file = databaseIn(dataDir);
  const old = existsSync(file) ? file : (await objectFilesIn(dataDir))?.objects;
  if (old !== undefined)
    throw new LaunchError(
      `${old} contains an authority, but DATABASE_URL selects another database: back it up with sealwright backup --all without DATABASE_URL, move it and ${dataDir}/installed away, and restore it with sealwright restore --all.`,
    );
  const isFirst = !(await hasAuthority(database));
  if (isFirst) requireAuthority(dataDir);
  return { isFirst, settings: { database }, startWriter: () => undefined };
}
