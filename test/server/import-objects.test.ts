import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { importObjects } from "../../server/data/import-objects.ts";
import { readAnswers } from "../support/data-0.2/answers.ts";
import { recording, writeDataDir } from "../support/data-0.2/fixture.ts";
import { openDataDir } from "../support/data-0.2/imported.ts";
import { oldFiles } from "../support/data-0.2/stored-rows.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-import-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(["killed", "stopped"] as const)("a data directory of a server that was %s", (end) => {
  const { now, address, pki, vars, answers } = recording();
  const dataDir = join(folder, end);

  it("is imported completely, and its files stay unchanged", async () => {
    writeDataDir(dataDir, end);
    const before = oldFiles(dataDir);
    const printed: string[] = [];
    expect(await importObjects(dataDir, (sentence) => printed.push(sentence))).toEqual({
      imported: 4,
    });
    expect(oldFiles(dataDir)).toEqual(before);
    const [objects, file] = [join(dataDir, "objects"), join(dataDir, "sealwright.db")];
    expect(printed).toEqual([
      `Imported 4 stores from ${objects} into ${file}; ${objects} is no longer used, and you can remove it unless you want to go back to version 0.2.`,
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await importObjects(dataDir)).toBeUndefined();
  });

  it("answers every read like the old server after the import", async () => {
    const { send, close } = openDataDir(dataDir, { now, address });
    const varsToken = readFileSync(join(dataDir, "vars-token"), "utf8").trim();
    const read = await readAnswers(send, { pki, vars, varsToken });
    for (const [path, answer] of Object.entries(answers))
      expect([path, read[path]]).toMatchObject([path, answer]);
    close();
  });
});
