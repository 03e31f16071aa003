import { describe, expect, it } from "vitest";
import { commands } from "../../server/cli/commands.ts";
import { help } from "../../server/cli/commands/help.ts";
import { init } from "../../server/cli/commands/init.ts";
import { issue } from "../../server/cli/commands/issue.ts";
import { list } from "../../server/cli/commands/list.ts";
import { log } from "../../server/cli/commands/log.ts";
import { restore } from "../../server/cli/commands/restore.ts";
import { serve } from "../../server/cli/commands/serve.ts";
import { parseArguments } from "../../server/cli/flags.ts";

const valueOf = (...words: readonly string[]): string | undefined =>
  parseArguments(restore, words).flags.get("--dry-run");

describe("--dry-run of restore", () => {
  it.each([
    [["--dry-run"], "true"],
    [["--dry-run", "--file", "a"], "true"],
    [["--file", "a", "--dry-run", "true"], "true"],
    [["--dry-run=true"], "true"],
    [["--dry-run", "false", "--file", "a"], "false"],
    [["--dry-run=false"], "false"],
    [["--file", "true"], undefined],
  ])("written as %j is %s", (words, value) => {
    expect(valueOf(...words)).toBe(value);
  });

  it("rejects other values, and reads at most the next word", () => {
    expect(() => valueOf("--dry-run=maybe")).toThrow("--dry-run must be true or false.");
    for (const words of [["--dry-run", "maybe"], ["--dry-run", "true", "false"], ["true"]])
      expect(() => valueOf(...words)).toThrow("restore accepts no arguments");
  });
});

it("an argument that must be one of several values, or one value, names them", () => {
  expect(() => parseArguments(log, ["show"])).toThrow("<action> must be verify.");
  expect(() => parseArguments(restore, ["--dry-run=no"])).toThrow(
    "--dry-run must be true or false.",
  );
});

describe("an empty value", () => {
  // the settings whose empty value has a meaning of its own
  const accepted = ["--public-url", "--service-disable-public-acme"];

  it("is rejected for every flag that takes a value, unless it has a meaning of its own", () => {
    for (const command of commands.values())
      for (const { flag, isSwitch } of command.flags) {
        if (isSwitch || accepted.includes(flag)) continue;
        for (const words of [[`${flag}=`], [flag, ""], [flag, " "]])
          expect(() => parseArguments(command, words), command.name).toThrow(`${flag} must `);
      }
    expect(() => parseArguments(init, ["--name", ""])).toThrow(
      "--name must not be empty; see sealwright help init.",
    );
    for (const flag of accepted)
      expect(parseArguments(serve, [flag, ""]).flags).toEqual(new Map([[flag, ""]]));
  });

  it("of an argument is rejected", () => {
    const refused = { issue: "<name>", renew: "<directory>", revoke: "<certificate>" };
    for (const [name, argument] of Object.entries(refused)) {
      const command = commands.get(name) ?? help;
      expect(() => parseArguments(command, [""])).toThrow(
        `${argument} must not be empty; see sealwright help ${name}.`,
      );
    }
    expect(() => parseArguments(issue, ["a.example", ""])).toThrow("<name> must not be empty");
    expect(() => parseArguments(list, [""])).toThrow("<what> must not be empty");
  });
});
