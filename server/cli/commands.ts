import type { Host } from "../process/launch.ts";
import { exitCodes, type Command, type Context } from "./command.ts";
import { backup } from "./commands/backup.ts";
import { completion } from "./commands/completion.ts";
import { remove } from "./commands/delete.ts";
import { get } from "./commands/get.ts";
import { health } from "./commands/health.ts";
import { help } from "./commands/help.ts";
import { init } from "./commands/init.ts";
import { inspect } from "./commands/inspect.ts";
import { issue } from "./commands/issue.ts";
import { list } from "./commands/list.ts";
import { log } from "./commands/log.ts";
import { login } from "./commands/login.ts";
import { logout } from "./commands/logout.ts";
import { patch } from "./commands/patch.ts";
import { post } from "./commands/post.ts";
import { renew } from "./commands/renew.ts";
import { restore } from "./commands/restore.ts";
import { revoke } from "./commands/revoke.ts";
import { serve } from "./commands/serve.ts";
import { sign } from "./commands/sign.ts";
import { trust } from "./commands/trust.ts";
import { verify } from "./commands/verify.ts";
import { version } from "./commands/version.ts";
import { describeError, exitCodeOf } from "./failure.ts";
import { parseArguments } from "./flags.ts";
import type { Environment } from "../settings/secret-files.ts";
import { commandOf, formatHelp, formatUsage } from "./help.ts";

/** All commands by name, in the order in which the help lists them. */
export const commands: ReadonlyMap<string, Command> = new Map(
  [
    serve,
    init,
    issue,
    sign,
    renew,
    revoke,
    inspect,
    verify,
    log,
    trust,
    login,
    logout,
    list,
    get,
    post,
    patch,
    remove,
    backup,
    restore,
    health,
    completion,
    version,
    help,
  ].map((command) => [command.name, command]),
);

/** Commands by flags that users of other programs commonly try instead. */
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
    return command.run(parseArguments(command, rest), context);
  console.log(formatHelp(command));
  return exitCodes.success;
}

/** Runs the command in a command line. Returns its exit code, one of {@link exitCodes}. */
export async function run(
  words: readonly string[],
  host: Host,
  env: Environment = process.env,
): Promise<number> {
  try {
    return await dispatch(words, { host, env, commands });
  } catch (error) {
    console.error(describeError(error));
    return exitCodeOf(error);
  }
}

/** Runs a command line and exits the process with its exit code. */
export async function main(words: readonly string[], host: Host): Promise<never> {
  // the process that reads the output may have exited; the write error must not become an exception
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  process.exit(await run(words, host));
}
