import { existsSync } from "node:fs";
import { LaunchError, type Settings } from "../cli/settings.ts";
import { databaseIn, startWriter, type Writer } from "../data/database.ts";
import { importObjects } from "../data/import-objects.ts";
import { requireAuthority, requireDatabase } from "../data/installed.ts";
import { objectFilesIn } from "../data/object-files.ts";
import { hasAuthority } from "../data/postgres.ts";
import type { RunDir } from "../data/run-dir.ts";
import type { StorageSettings } from "./calls.ts";

/** The storage of a server. */
interface Storage {
  /** True if the storage was empty before this start. */
  readonly isFirst: boolean;
  readonly settings: StorageSettings;
  /** Starts the writer thread; undefined if the processes write themselves. */
  startWriter(): Promise<Writer> | undefined;
}

/** Prepares the configured database. Throws {@link LaunchError}. */
export const openStorage = (settings: Settings, runDir: RunDir): Promise<Storage> =>
  settings.database ? openDatabase(settings, settings.database) : openFile(settings, runDir);

async function openFile({ dataDir, workers }: Settings, runDir: RunDir): Promise<Storage> {
  const file = databaseIn(dataDir);
  await importObjects(dataDir);
  requireDatabase(dataDir);
  return {
    isFirst: !existsSync(file),
    settings: { file, writer: runDir.writer },
    // a single process needs no socket to the writer
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
