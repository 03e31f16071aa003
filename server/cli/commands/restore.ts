import { createReadStream, existsSync } from "node:fs";
import { resolve } from "node:path";
import { trimMount } from "./backup.ts";
import { restoreAll } from "../backup-set.ts";
import type { Command, Flag } from "../command.ts";
import { jsonFlag } from "../connection.ts";
import { exitCodeOf } from "../failure.ts";
import { UsageError } from "../flags.ts";
import { printJson } from "../output.ts";
import type { Environment } from "../../settings/secret-files.ts";
import { LaunchError } from "../../settings/launch-error.ts";
import { sendParts, errorText, type Source } from "../../client/mount-backup.ts";
import { sourceFlags, sourceOf } from "../source.ts";

const restoreFlags: readonly Flag[] = [
  ...sourceFlags,
  { flag: "--file", meaning: "backup file of one mount", default: "none; required without --all" },
  {
    flag: "--mount",
    meaning: "path of the mount to create, which must not exist",
    default: "none; required without --all",
  },
  {
    flag: "--all",
    meaning: "directory with a complete backup; the server must be new and unused",
    default: "restore one mount",
  },
  {
    flag: "--partitions",
    meaning: "number of partitions of the mount: 1, 4, 16 or 64",
    default: "the number in the backup",
  },
  {
    flag: "--dry-run",
    meaning: "only verify the backup",
    default: "restore it",
    isSwitch: true,
    acceptsBoolean: true,
  },
  jsonFlag,
];

/** Declares `restore`, which restores a backup. */
export const restore: Command = {
  name: "restore",
  summary: "restore a backup into a running server",
  flags: restoreFlags,
  about: [
    "Restores a mount into a running server that has the sealing key of the backup.",
    "The whole backup is verified before anything is stored; the mount must not exist.",
    "With --all the server must be new and unused.",
    "To retry an interrupted restore, delete the mount first; with --all, repeat the command.",
  ],
  run: ({ flags }, { env }) => restoreBackup(flags, env),
};

/**
 * Restores a backup into a running server, which verifies the whole backup before it stores
 * anything. Returns the exit code.
 */
async function restoreBackup(
  flags: ReadonlyMap<string, string>,
  env: Environment,
): Promise<number> {
  const file = flags.get("--file") ?? "";
  const mount = trimMount(flags.get("--mount") ?? "");
  const isDry = flags.get("--dry-run") === "true";
  const partitions = flags.get("--partitions");
  const all = flags.get("--all");
  const isOne = ["--file", "--mount", "--partitions"].some((flag) => flags.has(flag));
  if (all !== undefined && isOne)
    throw new UsageError(
      "--all takes a directory and cannot be combined with --file, --mount or --partitions.",
    );
  if (all === undefined && (file === "" || (mount === "" && !isDry)))
    throw new UsageError(
      "restore requires --file and --mount, or --all; see sealwright help restore.",
    );
  if (all === undefined && !existsSync(file)) throw new LaunchError(`File not found: ${file}.`);
  const source = await sourceOf(flags, env);
  const isJson = flags.has("--json");
  const log = isJson ? () => undefined : (text: string) => console.log(text);
  const from = all === undefined ? file : resolve(all);
  const code =
    all === undefined
      ? await restoreMount(source, { file, mount, partitions, isDry, log })
      : await restoreAll(source, from, { dryRun: isDry, log });
  if (isJson) printJson({ from, valid: code === 0, restored: code === 0 && !isDry });
  return code;
}

interface MountRestore {
  readonly file: string;
  readonly mount: string;
  readonly partitions: string | undefined;
  readonly isDry: boolean;
  log(sentence: string): void;
}

async function restoreMount(
  source: Source,
  { file, mount, partitions, isDry, log }: MountRestore,
): Promise<number> {
  const send = (path: string): Promise<unknown> => sendParts(source, path, createReadStream(file));
  try {
    await send("/v1/sys/storage/snapshot-check");
  } catch (error) {
    const next = /wrong sealing key/.test(errorText(error))
      ? " Set the sealing key of the backup as SEALING_KEY_PREVIOUS, restart the server, and repeat the command."
      : "";
    console.error(`Cannot restore ${file}: ${errorText(error)}. Nothing was stored.${next}`);
    return exitCodeOf(error);
  }
  if (isDry) {
    log(`${file} is a complete backup that this server can restore; nothing was stored.`);
    return 0;
  }
  try {
    const query = partitions === undefined ? "" : `?partitions=${encodeURIComponent(partitions)}`;
    await send(`/v1/sys/storage/snapshot/${mount}${query}`);
  } catch (error) {
    console.error(`Cannot restore ${file} as ${mount}/: ${errorText(error)}.`);
    return exitCodeOf(error);
  }
  log(`Restored ${mount}/ from ${file}.`);
  return 0;
}
