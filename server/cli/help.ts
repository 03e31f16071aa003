import type { Argument, Command, Context, Flag } from "./command.ts";
import { formatArgument, UsageError } from "./flags.ts";

/** Returns the command with the given name. Throws {@link UsageError} if there is none. */
export function commandOf(name: string, commands: Context["commands"]): Command {
  const command = commands.get(name);
  if (command !== undefined) return command;
  throw new UsageError(
    `Unknown command ${JSON.stringify(name)}. Run \`sealwright help\` for a list of commands.`,
  );
}

/** Formats the list of all commands. */
export function formatUsage(commands: Context["commands"]): string {
  const width = Math.max(...[...commands.keys()].map((name) => name.length));
  return [
    "sealwright <command> [--flag value …]",
    "",
    ...[...commands.values()].map(({ name, summary }) => `  ${name.padEnd(width)} ${summary}`),
  ].join("\n");
}

/** Formats the help of one command. */
export function formatHelp(command: Command): string {
  const {
    about,
    flags,
    arguments: declared = [],
    more = [],
    examples = [],
    otherExamples,
  } = command;
  const lines = [...examples, ...(otherExamples?.lines ?? [])];
  const parts = [
    flags.length > 0 || declared.length > 0 ? [formatSynopsis(command)] : [],
    about,
    declared.map(formatMeaning),
    flags.map(formatFlag),
    more,
    lines.length > 0 ? ["Examples:", ...lines.map((line) => `  ${line}`)] : [],
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

/** Formats the synopsis of a command. */
export const formatSynopsis = ({ name, arguments: declared = [], flags }: Command): string =>
  [
    `sealwright ${name}`,
    ...declared.map(formatArgument),
    ...(flags.length > 0 ? ["[--flag value …]"] : []),
  ].join(" ");

const formatMeaning = (argument: Argument): string =>
  `  ${formatArgument(argument)}\n      ${argument.meaning}`;

const formatFlag = ({ flag, variable, meaning, default: fallback }: Flag): string =>
  `  ${flag}${variable === undefined ? "" : ` (${variable})`}\n      ${meaning} (default: ${fallback})`;
