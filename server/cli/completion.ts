import type { Argument, Command, Flag } from "./command.ts";
import { quote } from "../settings/shell.ts";

type Commands = readonly Command[];

const scripts: Readonly<Record<string, (commands: Commands) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The shells for which completion scripts exist. */
export const shells: readonly string[] = Object.keys(scripts);

/** Returns the completion script for the given shell. */
export const completionScript = (shell: string, commands: Commands): string =>
  scripts[shell]?.(commands) ?? "";

/**
 * Returns the values that completion offers for an argument. Returns an empty list if the argument
 * is a file or free text.
 */
const valuesOf = ({ choices, suggestions }: Argument): readonly string[] =>
  choices ?? suggestions ?? [];

/** Returns the values of a command's first argument; for `help`, the names of the commands. */
function completionsOf({ name, arguments: [first] = [] }: Command, commands: Commands) {
  if (name === "help") return commands.map((command) => command.name);
  return first ? valuesOf(first) : [];
}

function bashScript(commands: Commands): string {
  const cases = commands.flatMap((command) => {
    const words = [...completionsOf(command, commands), ...command.flags.map(({ flag }) => flag)];
    return [`    ${command.name}) words=${quote(words.join(" "))} ;;`];
  });
  const choices = valuedFlags(commands).map(
    ([name, { flag, choices = [] }]) => `    ${name}:${flag}) words=${quote(choices.join(" "))} ;;`,
  );
  return `# bash completion of sealwright
_sealwright() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quote(commands.map(({ name }) => name).join(" "))} -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}:$before" in
${choices.join("\n")}
  esac
  if [ -z "$words" ]; then
    case "\${COMP_WORDS[1]}" in
${cases.map((line) => `  ${line}`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _sealwright sealwright`;
}

/** Returns the flags that have a fixed set of values, each with the name of its command. */
const valuedFlags = (commands: Commands): readonly (readonly [name: string, flag: Flag])[] =>
  commands.flatMap(({ name, flags }) =>
    flags.filter(({ choices }) => choices).map((flag) => [name, flag] as const),
  );

/** Escapes text for the `[…]` part of a zsh `_arguments` specification. */
const zshText = (text: string): string => text.replace(/[[\]:\\]/g, "\\$&");

function zshScript(commands: Commands): string {
  const cases = commands.map((command) => {
    const flags = command.flags.map(({ flag, meaning, isSwitch, choices }) => {
      const value = choices ? `:value:(${choices.join(" ")})` : ":value:_files";
      return quote(`${flag}[${zshText(meaning)}]${isSwitch ? "" : value}`);
    });
    const words = completionsOf(command, commands);
    const first = words.length > 0 ? quote(`2:word:(${words.join(" ")})`) : undefined;
    const specs = [...flags, ...(first ? [first] : []), quote("*:file:_files")];
    return `    ${command.name})\n      _arguments ${specs.join(" \\\n        ")} ;;`;
  });
  const names = commands.map(({ name, summary }) => quote(`${name}:${zshText(summary)}`));
  return `#compdef sealwright
_sealwright() {
  local -a commands
  commands=(
    ${names.join("\n    ")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
${cases.join("\n")}
  esac
}
compdef _sealwright sealwright`;
}

function fishScript(commands: Commands): string {
  const lines = commands.flatMap((command) => {
    const { name, summary, flags } = command;
    const inCommand = `-n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
    const words = completionsOf(command, commands);
    return [
      `complete -c sealwright -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
      ...(words.length > 0
        ? [`complete -c sealwright ${inCommand} -a ${quote(words.join(" "))}`]
        : []),
      ...flags.map(({ flag, meaning, isSwitch, choices }) => {
        const value = isSwitch ? "" : choices ? ` -x -a ${quote(choices.join(" "))}` : " -r";
        return `complete -c sealwright ${inCommand} -l ${flag.slice(2)} -d ${quote(meaning)}${value}`;
      }),
    ];
  });
  return ["# fish completion of sealwright", ...lines].join("\n");
}
