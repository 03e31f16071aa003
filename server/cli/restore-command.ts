import { createReadStream, existsSync } from "node:fs";
import { resolve } from "node:path";
import { sourceFlags, sourceOf, trimmed } from "./backup-command.ts";
import { restoreAll } from "./backup-set.ts";
import { type Flag, UsageError } from "./flags.ts";
import { LaunchError } from "./settings.ts";
import { sendParts, wordsOf } from "./snapshot.ts";

/** The flags of `restore`. */
export const restoreFlags: readonly Flag[] = [
  ...sourceFlags,
  { flag: "--file", meaning: "the backup of one mount", unless: "it is refused" },
  {
    flag: "--mount",
    meaning: "the path of the mount that is made; there must be none",
    unless: "it is refused",
  },
  {
    flag: "--all",
    meaning: "the directory of a backup of everything, for a server that was not used yet",
    unless: "one mount is restored",
  },
  {
    flag: "--dry-run",
    meaning: "true: the backup is checked, and nothing is stored",
    unless: "false",
  },
];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Makes a mount of a backup in a running server, which checks all of it before anything is stored.
 * Answers the exit code, 1 where it could not be done.
 */
export async function restore(
  given: ReadonlyMap<string, string>,
  env: Environment,
): Promise<number> {
  const file = given.get("--file") ?? "";
  const mount = trimmed(given.get("--mount") ?? "");
  const dryRun = given.get("--dry-run") ?? "false";
  const all = given.get("--all");
  if (all !== undefined && (all === "" || given.has("--file") || given.has("--mount")))
    throw new UsageError("--all takes a directory, and neither --file nor --mount beside it.");
  if (all === undefined && (file === "" || (mount === "" && dryRun !== "true")))
    throw new UsageError(
      "restore needs --file and --mount, or --all; see sealwright help restore.",
    );
  if (dryRun !== "true" && dryRun !== "false")
    throw new UsageError("--dry-run must be true or false.");
  if (all !== undefined)
    return restoreAll(await sourceOf(given, env), resolve(all), dryRun === "true");
  if (!existsSync(file)) throw new LaunchError(`There is no file ${file}.`);
  const source = await sourceOf(given, env);
  const send = (path: string): Promise<unknown> => sendParts(source, path, createReadStream(file));
  try {
    await send("/v1/sys/storage/snapshot-check");
  } catch (error) {
    console.error(`${file} could not be restored, and nothing was stored: ${wordsOf(error)}.`);
    return 1;
  }
  if (dryRun === "true") {
    console.log(`${file} is a whole backup that this server can open; nothing was stored.`);
    return 0;
  }
  try {
    await send(`/v1/sys/storage/snapshot/${mount}`);
  } catch (error) {
    console.error(`${file} could not be restored as ${mount}/: ${wordsOf(error)}.`);
    return 1;
  }
  console.log(`${mount}/ is restored from ${file}.`);
  return 0;
}
