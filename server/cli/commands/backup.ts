import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { saveAll } from "../backup-set.ts";
import { isListening } from "../../data/listening.ts";
import { openDataDir, readIfThere } from "../../data/data-dir.ts";
import type { Command, Flag } from "../command.ts";
import { UsageError } from "../flags.ts";
import { secretIn, type Environment } from "../secret-files.ts";
import { LaunchError } from "../settings.ts";
import { backupPath, backupFile, listMounts, save, type Source, errorText } from "../snapshot.ts";

/** The flags that select the server. */
export const sourceFlags: readonly Flag[] = [
  {
    flag: "--data-dir",
    variable: "DATA_DIR",
    meaning: "data directory of a server running on this machine",
    default: "./data",
  },
  {
    flag: "--address",
    meaning: "URL of a remote server; set SERVICE_ROOT_TOKEN or --token-file too",
    default: "the server of the data directory",
  },
  {
    flag: "--token-file",
    meaning:
      "file with a token that has sudo on sys/storage/snapshot and, with --all, on sys/storage/stores",
    default: "SERVICE_ROOT_TOKEN, SERVICE_ROOT_TOKEN_FILE, or root-token in the data directory",
  },
];
const backupFlags: readonly Flag[] = [
  ...sourceFlags,
  {
    flag: "--backup-dir",
    variable: "BACKUP_DIR",
    meaning: "directory to write the backups to; only the owner can read them",
    default: "./backups",
  },
  {
    flag: "--mount",
    meaning: "comma-separated mounts to back up",
    default: "all mounts that the token can list",
  },
  {
    flag: "--all",
    meaning:
      "new directory for a backup of everything: mounts, tokens, policies, login methods, limits, variables",
    default: "back up mounts only",
  },
];

type Flags = ReadonlyMap<string, string>;

/** Backs up mounts, or everything. */
export const backup: Command = {
  name: "backup",
  summary: "back up the mounts of a running server, or everything",
  flags: backupFlags,
  about: [
    "Writes a consistent backup of each mount of a running server to a file of its own;",
    "with --all also tokens, policies, login methods, limits and variables.",
    "CA keys stay encrypted with the server's sealing key, which is not in the backup: keep both.",
  ],
  run: ({ flags }, { env }) => saveMounts(flags, env, new Date()),
};

/** Backs up mounts of a running server. Returns the exit code: 1 if a backup failed. */
async function saveMounts(given: Flags, env: Environment, now: Date): Promise<number> {
  const source = await sourceOf(given, env);
  const all = given.get("--all");
  if (all !== undefined) {
    if (all === "" || given.has("--mount") || given.has("--backup-dir"))
      throw new UsageError(
        "--all takes a directory and cannot be combined with --mount or --backup-dir.",
      );
    return saveAll(source, resolve(all));
  }
  const directory = resolve(given.get("--backup-dir") || env["BACKUP_DIR"] || "backups");
  const mounts = given.get("--mount")?.split(",").map(trimMount) ?? (await listed(source));
  openDataDir(directory, "BACKUP_DIR");
  const time = now.toISOString().replace(/:|\.\d+/g, "");
  let code = 0;
  for (const mount of mounts) {
    const path = join(directory, backupFile(mount, time));
    try {
      const bytes = await save(source, backupPath(mount), path);
      console.log(`Saved ${mount}/ to ${path} (${bytes} bytes).`);
    } catch (error) {
      code = 1;
      console.error(`Cannot back up the mount ${mount}/: ${errorText(error)}.`);
    }
  }
  if (mounts.length === 0) console.log("There are no mounts to back up.");
  return code;
}

/** Returns a mount path without spaces and slashes around it. */
export const trimMount = (mount: string): string => mount.trim().replace(/^\/|\/$/g, "");

const listed = (source: Source): Promise<readonly string[]> =>
  listMounts(source).catch((error: unknown) => {
    throw new LaunchError(`Cannot list the mounts: ${errorText(error)}.`);
  });

/**
 * Finds the server that the flags and the environment select. Throws {@link LaunchError} if there
 * is none.
 */
export async function sourceOf(given: Flags, env: Environment): Promise<Source> {
  const address = given.get("--address");
  const dataDir = resolve(given.get("--data-dir") || env["DATA_DIR"] || "data");
  if (address !== undefined) {
    if (given.has("--data-dir"))
      throw new UsageError("--address and --data-dir both select a server; use one of them.");
    if (!/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : ""))
      throw new UsageError("--address must be an http or https URL.");
    return { target: new URL(address), token: tokenOf(given, env, undefined) };
  }
  const note = join(dataDir, "socket");
  const socket = readIfThere(note)?.trim();
  if (socket === undefined || !isOfWriter(socket, note) || !(await isListening(socket)))
    throw new LaunchError(
      `No server is running for ${dataDir}. Start it, select another with --address, or copy the directory.`,
    );
  return { target: socket, token: tokenOf(given, env, dataDir) };
}

/**
 * Reports whether a socket is in a private directory of the user who wrote its path down. A killed
 * server leaves the path behind; another user could create that socket and would be sent a token.
 */
function isOfWriter(socket: string, note: string): boolean {
  const absent = { throwIfNoEntry: false } as const;
  const [place, there] = [lstatSync(dirname(socket), absent), lstatSync(socket, absent)];
  if (!place?.isDirectory() || !there?.isSocket()) return false;
  return (place.mode & 0o077) === 0 && place.uid === lstatSync(note).uid;
}

function tokenOf(given: Flags, env: Environment, dataDir: string | undefined): string {
  const file = given.get("--token-file");
  const token =
    file === undefined
      ? (secretIn(env, "SERVICE_ROOT_TOKEN")?.value ??
        (dataDir && readIfThere(join(dataDir, "root-token"))))
      : readIfThere(resolve(file));
  if (token === undefined && file !== undefined) throw new LaunchError(`File not found: ${file}.`);
  const value = token?.trim() ?? "";
  // other characters are not allowed in a header
  if (!/^[\x20-\x7e]+$/.test(value))
    throw new LaunchError(
      `No token${file === undefined ? "" : ` in ${file}`}; set SERVICE_ROOT_TOKEN or use --token-file.`,
    );
  return value;
}
