import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Argument, Command, Flag, ParsedArguments } from "./command.ts";

/** An error in the command line, printed as one sentence, with exit code 2. */
export class UsageError extends Error {
  constructor(text: string) {
    super(text);
    this.name = "UsageError";
  }
}

type Parsed = Pick<Command, "name" | "arguments" | "flags" | "secretFlags">;
interface OptionToken {
  /** The flag as it was typed, including its hyphens. */
  readonly rawName: string;
  readonly value?: string | undefined;
  /** Whether the value follows `=` in the same word. */
  readonly inlineValue?: boolean | undefined;
}

/**
 * Parses the words of a command line. Throws {@link UsageError} for words that the command does not
 * accept.
 */
export function parseArguments(command: Parsed, words: readonly string[]): ParsedArguments {
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      command.flags.map(({ flag, isSwitch }) => [
        flag.slice(2),
        { type: isSwitch ? "boolean" : "string" } as const,
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags = new Map<string, string>();
  const operands: string[] = [];
  for (const [i, token] of tokens.entries()) {
    if (token.kind === "option") flags.set(token.rawName, valueOf(command, token));
    else if (token.kind === "positional") {
      const before = tokens[i - 1];
      const isValue = before?.kind === "option" && isBooleanOf(command, before, token.value);
      if (isValue) flags.set(before.rawName, token.value);
      else operands.push(checkedWord(command, token.value));
    }
  }
  checkArguments(command, operands);
  return { flags, words: operands };
}

function valueOf({ name, flags, secretFlags }: Parsed, token: OptionToken): string {
  const { rawName: flag, value, inlineValue: isInline } = token;
  const variable = secretFlags?.get(flag);
  if (variable !== undefined)
    throw new UsageError(
      `${flag} cannot be a flag, because other users of this machine can read command lines; set the environment variable ${variable}.`,
    );
  const declared = flags.find((one) => one.flag === flag);
  const see = `see sealwright help ${name}.`;
  if (!declared) throw new UsageError(`${name} has no flag ${JSON.stringify(flag)}; ${see}`);
  if (declared.acceptsBoolean) {
    if (isInline) checkChoice(flag, { choices: booleans }, value ?? "");
    return value ?? "true";
  }
  if (declared.isSwitch) {
    if (isInline) throw new UsageError(`${flag} accepts no value; ${see}`);
    return "";
  }
  if (value === undefined || (!isInline && value.startsWith("--")))
    throw new UsageError(`${flag} requires a value; ${see}`);
  checkChoice(flag, declared, value);
  if (!declared.acceptsEmpty) checkNotEmpty(flag, value, name);
  return value;
}

const booleans = ["true", "false"];

/** Reports whether a word is the `true` or `false` that follows a switch. */
const isBooleanOf = ({ flags }: Parsed, before: OptionToken, word: string): boolean =>
  !before.inlineValue &&
  booleans.includes(word) &&
  flags.some(({ flag, acceptsBoolean }) => flag === before.rawName && acceptsBoolean === true);

/**
 * Rejects a positional argument of a command that takes none. Prints the argument only if it is a
 * file, because it may be a secret.
 */
function checkedWord({ name, arguments: declared = [] }: Parsed, word: string): string {
  if (declared.length > 0) return word;
  const file = existsSync(word)
    ? `, but got ${JSON.stringify(word)}; the shell may have expanded a pattern such as * to several files`
    : "";
  throw new UsageError(
    `${name} accepts no arguments, only flags${file}; see sealwright help ${name}.`,
  );
}

function checkArguments({ name, arguments: declared = [] }: Parsed, words: readonly string[]) {
  const missing = declared.find(({ isOptional }, i) => !isOptional && words[i] === undefined);
  const see = `see sealwright help ${name}.`;
  if (missing) throw new UsageError(`${name} requires ${formatArgument(missing)}; ${see}`);
  if (words.length > declared.length && !declared.at(-1)?.isMany)
    throw new UsageError(`${name} accepts only ${declared.map(formatArgument).join(" ")}; ${see}`);
  words.forEach((word, i) => {
    const argument = declared[i] ?? declared.at(-1);
    if (argument === undefined) return;
    checkChoice(formatArgument(argument), argument, word);
    checkNotEmpty(`<${argument.name}>`, word, name);
  });
}

function checkNotEmpty(what: string, value: string, command: string): void {
  if (value.trim() === "")
    throw new UsageError(`${what} must not be empty; see sealwright help ${command}.`);
}

function checkChoice(what: string, { choices }: Pick<Flag, "choices">, value: string): void {
  if (choices && !choices.includes(value))
    throw new UsageError(`${what} must be ${formatChoices(choices)}.`);
}

const formatChoices = (choices: readonly string[]): string =>
  [choices.slice(0, -1).join(", "), choices.at(-1)].filter(Boolean).join(" or ");

/** Formats an argument for a synopsis. */
export const formatArgument = ({ name, isOptional, isMany }: Argument): string => {
  const text = `<${name}>${isMany ? " …" : ""}`;
  return isOptional ? `[${text}]` : text;
};
