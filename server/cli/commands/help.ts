import type { Command } from "../command.ts";
import { UsageError } from "../flags.ts";
import { commandOf, formatHelp, formatUsage } from "../help.ts";

/** Declares `help`, which prints the list of commands, or the help of one command. */
export const help: Command = {
  name: "help",
  summary: "show the help of a command",
  arguments: [{ name: "command", meaning: "the command", isOptional: true, isMany: true }],
  flags: [],
  about: ["Describes a command and its flags, or lists all commands."],
  run({ words: [name, ...rest] }, { commands }) {
    if (rest.length > 0) throw new UsageError("help accepts one command; see sealwright help.");
    console.log(name === undefined ? formatUsage(commands) : formatHelp(commandOf(name, commands)));
    return 0;
  },
};
