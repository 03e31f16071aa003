import { join, resolve } from "node:path";
import { saveAll } from "../backup-set.ts";
import { openDataDir } from "../../data/data-dir.ts";
import type { Command, Flag } from "../command.ts";
import { jsonFlag } from "../connection.ts";
import { exitCodeOf } from "../failure.ts";
import { UsageError } from "../flags.ts";
import { printJson } from "../output.ts";
import type { Environment } from "../../settings/secret-files.ts";
import { LaunchError } from "../../settings/launch-error.ts";
import {
  backupPath,
  backupFile,
  listMounts,
  save,
  type Source,
  errorText,
} from "../../client/mount-backup.ts";
import { sourceFlags, sourceOf } from "../source.ts";

const backupFlags: readonly Flag[] = [
  ...sourceFlags,
  {
    flag: "--backup-dir",
    variable: "BACKUP_DIR",
    meaning: "directory for the backup files, which only their owner can read",
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
      "new directory for a complete backup: mounts, tokens, policies, login methods, limits, variables",
    default: "back up mounts only",
  },
  jsonFlag,
];

type Flags = ReadonlyMap<string, string>;

/** Declares `backup`, which backs up mounts or the complete data of a server. */
export const backup: Command = {
  name: "backup",
  summary: "back up the mounts of a running server, or everything",
  flags: backupFlags,
  about: [
    "Writes a consistent backup of each mount of a running server to its own file.",
    "--all also includes tokens, policies, login methods, limits and variables.",
    "CA keys stay encrypted with the server's sealing key, which the backup does not contain: store a",
    "copy of that key elsewhere.",
  ],
  run: ({ flags }, { env }) => saveMounts(flags, env, new Date()),
};

/** Backs up the selected mounts of a running server. Returns the exit code. */
async function saveMounts(flags: Flags, env: Environment, now: Date): Promise<number> {
  const source = await sourceOf(flags, env);
  const isJson = flags.has("--json");
  const log = isJson ? () => undefined : (text: string) => console.log(text);
  const all = flags.get("--all");
  if (all !== undefined) {
    if (flags.has("--mount") || flags.has("--backup-dir"))
      throw new UsageError(
        "--all takes a directory and cannot be combined with --mount or --backup-dir.",
      );
    const directory = resolve(all);
    const code = await saveAll(source, directory, log);
    if (isJson) printJson({ directory, complete: code === 0 });
    return code;
  }
  const directory = resolve(flags.get("--backup-dir") || env["BACKUP_DIR"] || "backups");
  const mounts = flags.get("--mount")?.split(",").map(trimMount) ?? (await listed(source));
  openDataDir(directory, "BACKUP_DIR");
  const time = now.toISOString().replace(/:|\.\d+/g, "");
  let code = 0;
  const backups: object[] = [];
  for (const mount of mounts) {
    const path = join(directory, backupFile(mount, time));
    try {
      const bytes = await save(source, backupPath(mount), path);
      backups.push({ mount, file: path, bytes });
      log(`Saved ${mount}/ to ${path} (${bytes} bytes).`);
    } catch (error) {
      code ||= exitCodeOf(error);
      backups.push({ mount, error: errorText(error) });
      console.error(`Cannot back up the mount ${mount}/: ${errorText(error)}.`);
    }
  }
  if (isJson) printJson(backups);
  else if (mounts.length === 0) console.log("There are no mounts to back up.");
  return code;
}

/** Removes surrounding spaces, one leading slash and one trailing slash from a mount path. */
export const trimMount = (mount: string): string => mount.trim().replace(/^\/|\/$/g, "");

const listed = (source: Source): Promise<readonly string[]> =>
  listMounts(source).catch((error: unknown) => {
    throw new LaunchError(`Cannot list the mounts: ${errorText(error)}.`, { cause: error });
  });
