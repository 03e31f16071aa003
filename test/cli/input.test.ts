import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { chooseServer } from "../../server/cli/connection.ts";
import { readInput } from "../../server/cli/input.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-input-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("an input file", () => {
  it("is rejected if it is a directory", async () => {
    await expect(readInput(folder)).rejects.toThrow(`${folder} is a directory, not a file.`);
  });

  it("of --token-file is rejected if it contains no token", async () => {
    const file = join(folder, "token");
    writeFileSync(file, "\n");
    const flags = new Map([
      ["--address", "http://ca.test"],
      ["--token-file", file],
    ]);
    await expect(chooseServer(flags, {})).rejects.toThrow(
      `--token-file: ${file} contains no token.`,
    );
  });
});
