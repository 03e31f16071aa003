import type { Command } from "../command.ts";
import { completionScript, shells } from "../completion.ts";

/** Prints a completion script. */
export const completion: Command = {
  name: "completion",
  summary: "print the completion script of a shell",
  arguments: [{ name: "shell", meaning: shells.join(", "), choices: shells }],
  flags: [],
  about: ["Prints a script that completes commands, flags and their values."],
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
