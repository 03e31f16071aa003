import { describe, expect, it } from "vitest";
import { log } from "../../server/cli/commands/log.ts";
import { restore } from "../../server/cli/commands/restore.ts";
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
