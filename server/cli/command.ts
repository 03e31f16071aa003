import type { Host } from "../process/launch.ts";
import type { Environment } from "./secret-files.ts";

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
  /** `verify`: the certificate is not valid. */
  invalid: 5,
} as const;

/** A flag of a command. */
export interface Flag {
  /** Including the hyphens. */
  readonly flag: string;
  /** The environment variable with the same meaning, if any. */
  readonly variable?: string;
  readonly meaning: string;
  /** The value or behaviour without the flag. */
  readonly default: string;
  /** The flag takes no value. */
  readonly isSwitch?: true;
  /** A switch that may be followed by `true` or `false`; its value is one of these. */
  readonly acceptsBoolean?: true;
  /** The only values. */
  readonly choices?: readonly string[];
}

/** A word of a command line that is not a flag. */
export interface Argument {
  readonly name: string;
  readonly meaning: string;
  /** The only values. */
  readonly choices?: readonly string[];
  /** Values for completion, among others. */
  readonly suggestions?: readonly string[];
  readonly isOptional?: true;
  /** Any number of words; only the last argument of a command. */
  readonly isMany?: true;
}

/** The parsed words of a command line. */
export interface ParsedArguments {
  /** Values by flag; "" for a switch. */
  readonly flags: ReadonlyMap<string, string>;
  /** The arguments. */
  readonly words: readonly string[];
}

/** The surroundings in which a command runs. */
export interface Context {
  readonly host: Host;
  readonly env: Environment;
  /** All commands by name. */
  readonly commands: ReadonlyMap<string, Command>;
}

/** A command of `sealwright`: help, completion and documentation are derived from it. */
export interface Command {
  readonly name: string;
  /** A few words for the list of commands. */
  readonly summary: string;
  readonly arguments?: readonly Argument[];
  readonly flags: readonly Flag[];
  /** Flags that are rejected because their value is secret, and the variable to set instead. */
  readonly secretFlags?: ReadonlyMap<string, string>;
  /** Lines of its help before the flags, and after them. */
  readonly about: readonly string[];
  readonly more?: readonly string[];
  /** Command lines to copy, which can run in the order of the documentation. */
  readonly examples?: readonly string[];
  /** Command lines that a test of the documentation cannot run, and the reason. */
  readonly otherExamples?: { readonly notRun: string; readonly lines: readonly string[] };
  /** Runs the command and returns its exit code. */
  run(words: ParsedArguments, context: Context): number | Promise<number>;
}
