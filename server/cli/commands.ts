import { backup, backupFlags } from "./backup-command.ts";
import { flagOf, plain, variables } from "./environment.ts";
import { type Flag, readFlags, toldFlags, UsageError } from "./flags.ts";
import { layouts } from "../data/served-version.ts";
import { health, healthFlags } from "./health-command.ts";
import { type Host, launch } from "../process/launch.ts";
import { restore, restoreFlags } from "./restore-command.ts";
import { LaunchError } from "./settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface Command {
  /** In a few words, for the list of all. */
  readonly does: string;
  readonly flags: readonly Flag[];
  /** What its help says before and after the flags. */
  readonly about: readonly string[];
  readonly more?: readonly string[];
  run(words: readonly string[], host: Host, env: Environment): number | Promise<number>;
}

const serveFlags: readonly Flag[] = variables
  .filter(({ secret }) => !secret)
  .map(({ name, meaning, unless }) => ({
    flag: flagOf(name),
    variable: name,
    meaning: plain(meaning),
    unless: plain(unless),
  }));
const secrets = variables.filter(({ secret }) => secret);
const secretFlags = new Map(secrets.map(({ name }) => [flagOf(name), name]));

function serve(words: readonly string[], host: Host, env: Environment): Promise<number> {
  const given = readFlags("serve", words, serveFlags, secretFlags);
  const said = [...given].map(([flag, value]) => [flag.slice(2), value] as const);
  const named = said.map(([name, value]) => [name.toUpperCase().replaceAll("-", "_"), value]);
  return launch({ ...env, ...Object.fromEntries(named) }, host);
}

const commands: Readonly<Record<string, Command>> = {
  serve: {
    does: "serves an authority until Ctrl-C or SIGTERM",
    flags: serveFlags,
    about: [
      "Serves an authority, its console at /demo/ and the variables API until Ctrl-C or SIGTERM.",
      "Each flag says what the variable of the environment beside it says, and counts before it:",
    ],
    more: [
      "Secrets come from the environment, from files that it names, or from the data directory:",
      toldSecrets(),
    ],
    run: serve,
  },
  backup: {
    does: "saves the mounts of a server that runs, or all of it",
    flags: backupFlags,
    about: [
      "Saves each mount of a server that runs as it is at that moment, in a file of its own;",
      "with --all also its tokens, policies, login methods, limits and variables.",
      "CA keys stay sealed under the server's sealing key, which is not in it: keep both.",
    ],
    run: (words, _, env) => backup(readFlags("backup", words, backupFlags), env, new Date()),
  },
  restore: {
    does: "makes a mount of such a file, or restores all, in a server that runs",
    flags: restoreFlags,
    about: [
      "Makes a mount of a backup in a server that runs, whose sealing key is that of the backup.",
      "All of it is checked before anything is stored; the mount must not exist.",
      "With --all the server must not have been used yet.",
      "One that was broken off is begun again once the mount is deleted, or by the same command.",
    ],
    run: (words, _, env) => restore(readFlags("restore", words, restoreFlags), env),
  },
  health: {
    does: "tells whether a server of this machine can do its work",
    flags: healthFlags,
    about: ["Ends with 0 where the server of a data directory can do its work, else with 1."],
    run: (words, { version }, env) => health(readFlags("health", words, healthFlags), env, version),
  },
  version: {
    does: "prints its version, and that of the data it stores",
    flags: [],
    about: ["Prints its version, and the layout of the tables that it stores."],
    run(words, { version }) {
      readFlags("version", words, []);
      console.log(
        `sealwright ${version} (data: SQLite ${layouts.sqlite}, PostgreSQL ${layouts.postgresql})`,
      );
      return 0;
    },
  },
  help: {
    does: "tells of a command and its flags",
    flags: [],
    about: ["sealwright help <command> tells of a command and its flags."],
    run([name, ...rest]) {
      if (rest.length > 0) throw new UsageError("help takes one command; see sealwright help.");
      console.log(name === undefined ? usage() : helpOf(name));
      return 0;
    },
  },
};

function toldSecrets(): string {
  return secrets
    .map(
      ({ name, meaning, unless }) =>
        `  ${name}\n      ${plain(meaning)}; unless set: ${plain(unless)}`,
    )
    .join("\n");
}

/** Commands that are written as flags elsewhere. */
const spellings: ReadonlyMap<string, string> = new Map([
  ["--version", "version"],
  ["-v", "version"],
  ["--help", "help"],
  ["-h", "help"],
]);

function commandOf(name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command;
  throw new UsageError(
    `There is no command ${JSON.stringify(name)}; sealwright help lists those that there are.`,
  );
}

const usage = (): string =>
  [
    "sealwright <command> [--flag value …]",
    "",
    ...Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(8)} ${does}`),
  ].join("\n");

function helpOf(name: string): string {
  const { about, flags, more = [] } = commandOf(name);
  const head = flags.length > 0 ? [`sealwright ${name} [--flag value …]`, ""] : [];
  const told = flags.length > 0 ? ["", toldFlags(flags)] : [];
  return [...head, ...about, ...told, ...(more.length > 0 ? ["", ...more] : [])].join("\n");
}

async function dispatch(words: readonly string[], host: Host, env: Environment): Promise<number> {
  const [first = "", ...rest] = words;
  if (first === "") {
    console.error(usage());
    return 2;
  }
  const name = spellings.get(first) ?? first;
  const { run } = commandOf(name);
  if (name === "help" || !rest.some((word) => word === "--help" || word === "-h"))
    return run(rest, host, env);
  console.log(helpOf(name));
  return 0;
}

/**
 * Mistakes of the host or the source get their own words, and what the system refuses its; anything
 * else is a bug and shows where it happened.
 */
function told(error: unknown): unknown {
  if (error instanceof LaunchError || error instanceof UsageError) return error.message;
  return error instanceof Error && "syscall" in error
    ? `The system refused what is needed: ${error.message}.`
    : error;
}

/**
 * Does what the words of a command say. Answers the exit code: 0, 1 where it cannot be done, 2
 * where the words mean nothing.
 */
export async function run(words: readonly string[], host: Host): Promise<number> {
  try {
    return await dispatch(words, host, process.env);
  } catch (error) {
    console.error(told(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Does what the words say, and ends the process. */
export async function main(words: readonly string[], host: Host): Promise<never> {
  // nobody may be left to read
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  process.exit(await run(words, host));
}
