/** A mistake in the words of a command, told in one sentence, with exit code 2. */
export class UsageError extends Error {
  constructor(text: string) {
    super(text);
    this.name = "UsageError";
  }
}

/** A flag of a command. */
export interface Flag {
  /** With its hyphens. */
  readonly flag: string;
  /** The variable of the environment that says the same; none where the flag alone says it. */
  readonly variable?: string;
  readonly meaning: string;
  /** What holds where it is not given. */
  readonly unless: string;
  /** It takes no value. */
  readonly alone?: true;
}

/**
 * The values of the flags that were given, by their flags. Throws {@link UsageError} for a word
 * that is no flag of these.
 * @param secret flags that are not taken, and the variable that is set instead
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
        `${flag} is no flag, because others on this machine can read it; set ${variable} in the environment.`,
      );
    // what follows an unknown flag may be a secret, and is not repeated
    if (!flag.startsWith("-"))
      throw new UsageError(
        `${command} takes flags only, each with its value; see sealwright help ${command}.`,
      );
    if (!known.has(flag))
      throw new UsageError(
        `${command} has no flag ${JSON.stringify(flag)}; see sealwright help ${command}.`,
      );
    const { alone } = known.get(flag) ?? {};
    if (alone && inside !== undefined)
      throw new UsageError(`${flag} takes no value; see sealwright help ${command}.`);
    const value = alone ? "" : (inside ?? rest.shift());
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

/** Flags as text of a terminal. */
export const toldFlags = (flags: readonly Flag[]): string =>
  flags
    .map(
      ({ flag, variable, meaning, unless }) =>
        `  ${flag}${variable === undefined ? "" : ` (${variable})`}\n      ${meaning}; unless set: ${unless}`,
    )
    .join("\n");
