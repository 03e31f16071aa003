import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { commands } from "../../server/cli/commands.ts";
import { completionScript, shells } from "../../server/cli/completion.ts";

const all = [...commands.values()];

/** Completes the last word with the bash script. */
function complete(...words: readonly string[]): readonly string[] {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const call = `COMP_WORDS=(sealwright ${quoted}); COMP_CWORD=${words.length}; _sealwright; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync(
    "bash",
    ["-c", `${completionScript("bash", all)}\n${call}`],
    { encoding: "utf8" },
  );
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

describe("completion", () => {
  it("in bash completes commands, flags and values", () => {
    expect(complete("re")).toEqual(["renew", "revoke", "restore"]);
    expect(complete("issue", "--ro")).toEqual(["--role"]);
    expect(complete("trust", "in")).toEqual(["install"]);
    expect(complete("revoke", "--reason", "super")).toEqual(["superseded"]);
    expect(complete("help", "ser")).toEqual(["serve"]);
  });

  it.each(shells)(
    "for %s names every command and flag, and the shell accepts the script",
    (shell) => {
      const script = completionScript(shell, all);
      for (const { name, flags } of all) {
        expect(script).toContain(name);
        for (const { flag } of flags) expect(script).toContain(flag.slice(2));
      }
      const { status, error, stderr } = spawnSync(shell, ["-n"], {
        input: script,
        encoding: "utf8",
      });
      if (!error) expect([status, stderr]).toEqual([0, ""]);
    },
  );
});
