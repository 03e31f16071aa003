import { backup, backupFlags } from "./commands/backup.ts";
import { flagOf, plain, variables } from "./environment.ts";
import { type Flag, readFlags, formatFlags, UsageError } from "./flags.ts";
import { layouts } from "../data/served-version.ts";
import { health, healthFlags } from "./commands/health.ts";
import { type Host, launch } from "../process/launch.ts";
import { serverLog } from "../process/server-log.ts";
import { restore, restoreFlags } from "./commands/restore.ts";
import { LaunchError } from "./settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface Command {
  /** A few words for the list of commands. */
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** Lines of its help before the flags, and after them. */
  readonly about: readonly string[];
  readonly more?: readonly string[];
  run(words: readonly string[], host: Host, env: Environment): number | Promise<number>;
}

const serveFlags: readonly Flag[] = variables
  .filter(({ secret }) => !secret)
  .map((variable) => ({
    flag: flagOf(variable.name),
    variable: variable.name,
    meaning: plain(variable.meaning),
    default: plain(variable.default),
  }));
const secrets = variables.filter(({ secret }) => secret);
const secretFlags = new Map(secrets.map(({ name }) => [flagOf(name), name]));

function serve(words: readonly string[], host: Host, env: Environment): Promise<number> {
  const given = readFlags("serve", words, serveFlags, secretFlags);
  const said = [...given].map(([flag, value]) => [flag.slice(2), value] as const);
  const named = said.map(([name, value]) => [name.toUpperCase().replaceAll("-", "_"), value]);
  return launchWithLog({ ...env, ...Object.fromEntries(named) }, host);
}

/** Runs the server. Errors that end it are logged in the format of LOG, if that is set. */
async function launchWithLog(env: Environment, host: Host): Promise<number> {
  try {
    return await launch(env, host);
  } catch (error) {
    const { LOG = "" } = env;
    if (LOG !== "json" && LOG !== "text") throw error;
    const { report } = serverLog({ LOG });
    const text = describeError(error);
    if (typeof text === "string") report("error", text);
    else report("error", "The server failed.", error);
    return 1;
  }
}

const commands: Readonly<Record<string, Command>> = {
  serve: {
    summary: "run the server until Ctrl-C or SIGTERM",
    flags: serveFlags,
    about: [
      "Runs the CA, its console at /demo/ and the variables API until Ctrl-C or SIGTERM.",
      "Each flag overrides the environment variable shown next to it:",
    ],
    more: [
      "Secrets are read from environment variables, from files named by variables, or from the data directory:",
      formatSecrets(),
    ],
    run: serve,
  },
  backup: {
    summary: "back up the mounts of a running server, or everything",
    flags: backupFlags,
    about: [
      "Writes a consistent backup of each mount of a running server to a file of its own;",
      "with --all also tokens, policies, login methods, limits and variables.",
      "CA keys stay encrypted with the server's sealing key, which is not in the backup: keep both.",
    ],
    run: (words, _, env) => backup(readFlags("backup", words, backupFlags), env, new Date()),
  },
  restore: {
    summary: "restore a backup into a running server",
    flags: restoreFlags,
    about: [
      "Restores a mount into a running server that has the sealing key of the backup.",
      "The whole backup is verified before anything is stored; the mount must not exist.",
      "With --all the server must be new and unused.",
      "To retry an interrupted restore, delete the mount first; with --all, repeat the command.",
    ],
    run: (words, _, env) => restore(readFlags("restore", words, restoreFlags), env),
  },
  health: {
    summary: "check the health of the local server",
    flags: healthFlags,
    about: ["Exits with 0 if the server of a data directory is healthy, otherwise with 1."],
    run: (words, { version }, env) => health(readFlags("health", words, healthFlags), env, version),
  },
  version: {
    summary: "print the version, and the layout of the stored data",
    flags: [],
    about: ["Prints the version of sealwright and the layouts of its database tables."],
    run(words, { version }) {
      readFlags("version", words, []);
      console.log(
        `sealwright ${version} (data: SQLite ${layouts.sqlite}, PostgreSQL ${layouts.postgresql})`,
      );
      return 0;
    },
  },
  help: {
    summary: "show the help of a command",
    flags: [],
    about: ["sealwright help <command> describes a command and its flags."],
    run([name, ...rest]) {
      if (rest.length > 0) throw new UsageError("help takes one command; see sealwright help.");
      console.log(name === undefined ? usage() : helpOf(name));
      return 0;
    },
  },
};

function formatSecrets(): string {
  return secrets
    .map(
      ({ name, meaning, default: fallback }) =>
        `  ${name}\n      ${plain(meaning)} (default: ${plain(fallback)})`,
    )
    .join("\n");
}

/** Flags that many programs use instead of these commands. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["--version", "version"],
  ["-v", "version"],
  ["--help", "help"],
  ["-h", "help"],
]);

function commandOf(name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command;
  throw new UsageError(
    `Unknown command ${JSON.stringify(name)}; sealwright help lists the commands.`,
  );
}

const usage = (): string =>
  [
    "sealwright <command> [--flag value …]",
    "",
    ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`),
  ].join("\n");

function helpOf(name: string): string {
  const { about, flags, more = [] } = commandOf(name);
  const head = flags.length > 0 ? [`sealwright ${name} [--flag value …]`, ""] : [];
  const list = flags.length > 0 ? ["", formatFlags(flags)] : [];
  return [...head, ...about, ...list, ...(more.length > 0 ? ["", ...more] : [])].join("\n");
}

async function dispatch(words: readonly string[], host: Host, env: Environment): Promise<number> {
  const [first = "", ...rest] = words;
  if (first === "") {
    console.error(usage());
    return 2;
  }
  const name = aliases.get(first) ?? first;
  const { run } = commandOf(name);
  if (name === "help" || !rest.some((word) => word === "--help" || word === "-h"))
    return run(rest, host, env);
  console.log(helpOf(name));
  return 0;
}

/**
 * Returns what to print for an error: its message for user mistakes and for system errors. Anything
 * else is a bug and is printed with its stack.
 */
function describeError(error: unknown): unknown {
  if (error instanceof LaunchError || error instanceof UsageError) return error.message;
  return error instanceof Error && "syscall" in error ? `System error: ${error.message}.` : error;
}

/**
 * Runs the command of a command line. Returns the exit code: 0 for success, 1 for failure, 2 for
 * wrong usage.
 */
export async function run(words: readonly string[], host: Host): Promise<number> {
  try {
    return await dispatch(words, host, process.env);
  } catch (error) {
    console.error(describeError(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Runs a command line and exits the process. */
export async function main(words: readonly string[], host: Host): Promise<never> {
  // the reader of a pipe may have exited: a write error must not become an exception
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  process.exit(await run(words, host));
}
