import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { saveAll } from "./backup-set.ts";
import { isListening } from "../data/listening.ts";
import { openDataDir, readIfThere } from "../data/data-dir.ts";
import { type Flag, UsageError } from "./flags.ts";
import { secretIn } from "./secret-files.ts";
import { LaunchError } from "./settings.ts";
import { backupPath, fileOf, mountsOf, save, type Source, wordsOf } from "./snapshot.ts";

/** Flags that say of which server. */
export const sourceFlags: readonly Flag[] = [
  {
    flag: "--data-dir",
    variable: "DATA_DIR",
    meaning: "the directory of a server that runs on this machine",
    unless: "./data",
  },
  {
    flag: "--address",
    meaning: "the address of a server elsewhere; its token is in SERVICE_ROOT_TOKEN, or a file",
    unless: "that of the data directory",
  },
  {
    flag: "--token-file",
    meaning:
      "a file that holds a token; it needs sudo on sys/storage/snapshot and, with --all, on sys/storage/stores",
    unless: "SERVICE_ROOT_TOKEN or SERVICE_ROOT_TOKEN_FILE, or root-token in the data directory",
  },
];
/** The flags of `backup`. */
export const backupFlags: readonly Flag[] = [
  ...sourceFlags,
  {
    flag: "--backup-dir",
    variable: "BACKUP_DIR",
    meaning: "where the files are put, each readable to its owner alone",
    unless: "./backups",
  },
  {
    flag: "--mount",
    meaning: "which mounts, separated by commas",
    unless: "all that the token may list",
  },
  {
    flag: "--all",
    meaning:
      "a directory that is made for a backup of everything: mounts, tokens, policies, login methods, limits, variables",
    unless: "mounts alone are saved",
  },
];

type Environment = Readonly<Record<string, string | undefined>>;
type Given = ReadonlyMap<string, string>;

/** Saves mounts of a running server. Answers the exit code, 1 where one could not be saved. */
export async function backup(given: Given, env: Environment, now: Date): Promise<number> {
  const source = await sourceOf(given, env);
  const all = given.get("--all");
  if (all !== undefined) {
    if (all === "" || given.has("--mount") || given.has("--backup-dir"))
      throw new UsageError(
        "--all takes a directory, and neither --mount nor --backup-dir beside it.",
      );
    return saveAll(source, resolve(all));
  }
  const directory = resolve(given.get("--backup-dir") || env["BACKUP_DIR"] || "backups");
  const mounts = given.get("--mount")?.split(",").map(trimmed) ?? (await listed(source));
  openDataDir(directory, "BACKUP_DIR");
  const time = now.toISOString().replace(/:|\.\d+/g, "");
  let code = 0;
  for (const mount of mounts) {
    const path = join(directory, fileOf(mount, time));
    try {
      const bytes = await save(source, backupPath(mount), path);
      console.log(`${mount}/ is saved in ${path} (${bytes} bytes).`);
    } catch (error) {
      code = 1;
      console.error(`The mount ${mount}/ could not be saved: ${wordsOf(error)}.`);
    }
  }
  if (mounts.length === 0) console.log("There is no mount to save.");
  return code;
}

/** A path of a mount as it is asked for. */
export const trimmed = (mount: string): string => mount.trim().replace(/^\/|\/$/g, "");

const listed = (source: Source): Promise<readonly string[]> =>
  mountsOf(source).catch((error: unknown) => {
    throw new LaunchError(`The mounts could not be listed: ${wordsOf(error)}.`);
  });

/** The server that the flags and the environment name. Throws where there is none. */
export async function sourceOf(given: Given, env: Environment): Promise<Source> {
  const address = given.get("--address");
  const dataDir = resolve(given.get("--data-dir") || env["DATA_DIR"] || "data");
  if (address !== undefined) {
    if (given.has("--data-dir"))
      throw new UsageError("--address and --data-dir each name a server; give one of them.");
    if (!/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : ""))
      throw new UsageError("--address must be an http or https address.");
    return { target: new URL(address), token: tokenOf(given, env, undefined) };
  }
  const note = join(dataDir, "socket");
  const socket = readIfThere(note)?.trim();
  if (socket === undefined || !isOfWriter(socket, note) || !(await isListening(socket)))
    throw new LaunchError(
      `No server serves ${dataDir}; start it, name another by --address, or copy the directory as it is.`,
    );
  return { target: socket, token: tokenOf(given, env, dataDir) };
}

/**
 * Whether a socket lies in a directory of nobody but who wrote the note of it: a server that was
 * killed leaves the note, and others may make what it names anew, and be given a token.
 */
function isOfWriter(socket: string, note: string): boolean {
  const absent = { throwIfNoEntry: false } as const;
  const [place, there] = [lstatSync(dirname(socket), absent), lstatSync(socket, absent)];
  if (!place?.isDirectory() || !there?.isSocket()) return false;
  return (place.mode & 0o077) === 0 && place.uid === lstatSync(note).uid;
}

function tokenOf(given: Given, env: Environment, dataDir: string | undefined): string {
  const file = given.get("--token-file");
  const token =
    file === undefined
      ? (secretIn(env, "SERVICE_ROOT_TOKEN")?.value ??
        (dataDir && readIfThere(join(dataDir, "root-token"))))
      : readIfThere(resolve(file));
  if (token === undefined && file !== undefined) throw new LaunchError(`There is no file ${file}.`);
  const value = token?.trim() ?? "";
  // a header holds nothing else
  if (!/^[\x20-\x7e]+$/.test(value))
    throw new LaunchError(
      `There is no token${file === undefined ? "" : ` in ${file}`}; set SERVICE_ROOT_TOKEN, or name a file of one by --token-file.`,
    );
  return value;
}
