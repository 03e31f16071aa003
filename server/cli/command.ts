import type { Host } from "../process/launch.ts";
import type { Environment } from "../settings/secret-files.ts";

/** Exit codes of all commands. */
export const exitCodes = {
  success: 0,
  /** The command failed. */
  failure: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The server cannot be reached, or its certificate is not trusted. */
  unreachable: 3,
  /** The server rejected the request. */
  rejected: 4,
  /** `verify`: the certificate is not valid. `log`: the log was rewritten. */
  invalid: 5,
} as const;

/** A flag of a command. */
export interface Flag {
  /** Name, including the hyphens. */
  readonly flag: string;
  /** The environment variable with the same meaning, if any. */
  readonly variable?: string;
  readonly meaning: string;
  /** Value or behavior if the flag is absent. */
  readonly default: string;
  /** Whether the flag takes no value. */
  readonly isSwitch?: true;
  /** Whether the flag may be followed by `true` or `false`, which is then its value. */
  readonly acceptsBoolean?: true;
  /** The only allowed values. */
  readonly choices?: readonly string[];
  /** Whether an empty value has a meaning, and is not a mistake. */
  readonly acceptsEmpty?: boolean;
}

/** A positional argument of a command. */
export interface Argument {
  readonly name: string;
  readonly meaning: string;
  /** The only allowed values. */
  readonly choices?: readonly string[];
  /** Values that completion suggests; others are allowed. */
  readonly suggestions?: readonly string[];
  readonly isOptional?: true;
  /** Whether any number of words is accepted; only for the last argument of a command. */
  readonly isMany?: true;
}

/** The parsed words of a command line. */
export interface ParsedArguments {
  /** Values by flag; the value of a switch is "". */
  readonly flags: ReadonlyMap<string, string>;
  /** The positional arguments. */
  readonly words: readonly string[];
}

/** The environment in which a command runs. */
export interface Context {
  readonly host: Host;
  readonly env: Environment;
  /** All commands by name. */
  readonly commands: ReadonlyMap<string, Command>;
}

/** A command of `sealwright`. Help, completion and documentation are derived from it. */
export interface Command {
  readonly name: string;
  /** Short description for the list of commands. */
  readonly summary: string;
  readonly arguments?: readonly Argument[];
  readonly flags: readonly Flag[];
  /** Flags that are rejected because their value is secret, and the variable to set instead. */
  readonly secretFlags?: ReadonlyMap<string, string>;
  /** Lines of the help text, before the flags and after them. */
  readonly about: readonly string[];
  readonly more?: readonly string[];
  /** Example command lines, which a test runs in the order of the documentation. */
  readonly examples?: readonly string[];
  /** Example command lines that the test of the documentation cannot run, and the reason. */
  readonly otherExamples?: { readonly notRun: string; readonly lines: readonly string[] };
  /** Runs the command and returns its exit code. */
  run(words: ParsedArguments, context: Context): number | Promise<number>;
}
