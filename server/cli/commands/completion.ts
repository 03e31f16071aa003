import type { Command } from "../command.ts";
import { completionScript, shells } from "../completion.ts";

/** Declares `completion`, which prints a shell's completion script. */
export const completion: Command = {
  name: "completion",
  summary: "print a completion script for a shell",
  arguments: [{ name: "shell", meaning: shells.join(", "), choices: shells }],
  flags: [],
  about: ["Prints a shell script that completes commands, flags and their values."],
  examples: ["source <(sealwright completion bash)"],
  otherExamples: {
    notRun: "writes to the home directory",
    lines: [
      "sealwright completion bash > ~/.local/share/bash-completion/completions/sealwright",
      'sealwright completion zsh > "${fpath[1]}/_sealwright"',
      "sealwright completion fish > ~/.config/fish/completions/sealwright.fish",
    ],
  },
  run({ words: [shell = ""] }, { commands }) {
    console.log(completionScript(shell, [...commands.values()]));
    return 0;
  },
};
