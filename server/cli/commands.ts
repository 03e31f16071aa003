import type { Host } from "../process/launch.ts";
import { exitCodes, type Command, type Context } from "./command.ts";
import { backup } from "./commands/backup.ts";
import { health } from "./commands/health.ts";
import { help } from "./commands/help.ts";
import { restore } from "./commands/restore.ts";
import { serve } from "./commands/serve.ts";
import { version } from "./commands/version.ts";
import { describeError } from "./failure.ts";
import { parseWords, UsageError } from "./flags.ts";
import { commandOf, formatHelp, formatUsage } from "./help.ts";

/** All commands by name, in the order of the help. */
export const commands: ReadonlyMap<string, Command> = new Map(
  [serve, backup, restore, health, version, help].map((command) => [command.name, command]),
);

/** Flags that many programs use instead of these commands. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["--version", "version"],
  ["-v", "version"],
  ["--help", "help"],
  ["-h", "help"],
]);

async function dispatch(words: readonly string[], context: Context): Promise<number> {
  const [first = "", ...rest] = words;
  if (first === "") {
    console.error(formatUsage(commands));
    return exitCodes.usage;
  }
  const name = aliases.get(first) ?? first;
  const command = commandOf(name, commands);
  if (name === "help" || !rest.some((word) => word === "--help" || word === "-h"))
    return command.run(parseWords(command, rest), context);
  console.log(formatHelp(command));
  return exitCodes.success;
}

/**
 * Runs the command of a command line. Returns the exit code: 0 for success, 1 for failure, 2 for
 * wrong usage.
 */
export async function run(words: readonly string[], host: Host): Promise<number> {
  try {
    return await dispatch(words, { host, env: process.env, commands });
  } catch (error) {
    console.error(describeError(error));
    return error instanceof UsageError ? exitCodes.usage : exitCodes.failure;
  }
}

/** Runs a command line and exits the process. */
export async function main(words: readonly string[], host: Host): Promise<never> {
  // the reader of a pipe may have exited: a write error must not become an exception
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  process.exit(await run(words, host));
}
