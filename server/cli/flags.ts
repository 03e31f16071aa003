/** Wrong usage of a command, printed as one sentence, with exit code 2. */
export class UsageError extends Error {
  constructor(text: string) {
    super(text);
    this.name = "UsageError";
  }
}

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
}

/**
 * Parses the flags of a command into a map from flag to value. Throws {@link UsageError} for
 * unknown flags and missing values.
 * @param secret rejected flags, and the variable to set instead
 */
export function readFlags(
  command: string,
  words: readonly string[],
  flags: readonly Flag[],
  secret: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const known = new Map(flags.map((one) => [one.flag, one]));
  const given = new Map<string, string>();
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [flag, inside] = splitOnce(word);
    const variable = secret.get(flag);
    if (variable !== undefined)
      throw new UsageError(
        `${flag} is not a flag, because other users of this machine can read command lines; set the environment variable ${variable}.`,
      );
    // the value of an unknown flag may be a secret: do not print it
    if (!flag.startsWith("-"))
      throw new UsageError(
        `${command} takes only flags with values; see sealwright help ${command}.`,
      );
    if (!known.has(flag))
      throw new UsageError(
        `${command} has no flag ${JSON.stringify(flag)}; see sealwright help ${command}.`,
      );
    const { isSwitch } = known.get(flag) ?? {};
    if (isSwitch && inside !== undefined)
      throw new UsageError(`${flag} takes no value; see sealwright help ${command}.`);
    const value = isSwitch ? "" : (inside ?? rest.shift());
    if (value === undefined || (inside === undefined && value.startsWith("--")))
      throw new UsageError(`${flag} needs a value; see sealwright help ${command}.`);
    given.set(flag, value);
  }
  return given;
}

function splitOnce(word: string): readonly [flag: string, value: string | undefined] {
  const at = word.indexOf("=");
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

/** Formats flags for a terminal. */
export const formatFlags = (flags: readonly Flag[]): string =>
  flags
    .map(
      ({ flag, variable, meaning, default: fallback }) =>
        `  ${flag}${variable === undefined ? "" : ` (${variable})`}\n      ${meaning} (default: ${fallback})`,
    )
    .join("\n");
