import type { Command, ParsedArguments } from "../command.ts";
import { flagOf, plain, variables } from "../../settings/environment.ts";
import { describeError, exitCodeOf } from "../failure.ts";
import { UsageError } from "../flags.ts";
import { SettingError } from "../../settings/launch-error.ts";
import type { Host } from "../../process/launch.ts";
import type { Environment } from "../../settings/secret-files.ts";

type Flags = ParsedArguments["flags"];

const secrets = variables.filter(({ secret }) => secret);

const formatSecrets = (): string =>
  secrets
    .map(
      ({ name, meaning, default: fallback }) =>
        `  ${name}\n      ${plain(meaning)} (default: ${plain(fallback)})`,
    )
    .join("\n");

/** Declares `serve`, which runs the server. */
export const serve: Command = {
  name: "serve",
  summary: "run the server until Ctrl-C or SIGTERM",
  flags: variables
    .filter(({ secret }) => !secret)
    .map((variable) => ({
      flag: flagOf(variable.name),
      variable: variable.name,
      meaning: plain(variable.meaning),
      default: plain(variable.default),
      acceptsEmpty: variable.acceptsEmpty === true,
    })),
  secretFlags: new Map(secrets.map(({ name }) => [flagOf(name), name])),
  about: [
    "Runs the CA, its console at /demo/ and the variables API until Ctrl-C or SIGTERM.",
    "Each flag overrides the environment variable with the same name.",
  ],
  more: [
    "Secrets are read from environment variables, from files that variables name, or from the data directory:",
    formatSecrets(),
  ],
  run({ flags }, { host, env }) {
    const named = [...flags].map(([flag, value]) => [
      flag.slice(2).toUpperCase().replaceAll("-", "_"),
      value,
    ]);
    return launchWithLog({ ...env, ...Object.fromEntries(named) }, host, flags);
  },
};

/** Runs the server. Logs fatal errors in the format that LOG selects, if it is set. */
async function launchWithLog(env: Environment, host: Host, flags: Flags): Promise<number> {
  const { launch } = await import("../../process/launch.ts");
  try {
    return await launch(env, host);
  } catch (failure) {
    const error = nameFlags(failure, flags);
    const { LOG = "" } = env;
    if (LOG !== "json" && LOG !== "text") throw error;
    const { serverLog } = await import("../../process/server-log.ts");
    const { report } = serverLog({ LOG });
    const text = describeError(error);
    if (typeof text === "string") report("error", text);
    else report("error", "The server failed.", error);
    return exitCodeOf(error);
  }
}

/**
 * Converts an error in settings that flags set to a usage error that names the flags. Returns other
 * errors unchanged.
 */
function nameFlags(error: unknown, flags: Flags): unknown {
  if (!(error instanceof SettingError)) return error;
  const set = error.settings.filter((name) => flags.has(flagOf(name)));
  if (set.length === 0) return error;
  // a value in the message follows the name, so the first occurrence is the name
  return new UsageError(
    set.reduce((text, name) => text.replace(name, flagOf(name)), error.message),
  );
}
