import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { importObjects } from "../../server/data/import-objects.ts";
import { seeded } from "../support/authority.ts";
import { writeDataDir } from "../support/data-0.2/fixture.ts";
import { oldFiles, tablesIn } from "../support/data-0.2/stored-rows.ts";

const dataDir = mkdtempSync(join(tmpdir(), "sealwright-import-kill-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const program = join(import.meta.dirname, "../support/data-0.2/import-process.ts");
/** Starts an import in a separate process, and resolves when it has begun. */
async function begin() {
  const child = spawn(process.execPath, [program, dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  return { child, exited };
}

it("an import killed at any point is repeated completely by the next start", async () => {
  const seed = Date.now() % 1_000_000;
  process.stdout.write(`seed ${seed}\n`);
  const random = seeded(seed);
  writeDataDir(dataDir, "killed");
  const before = oldFiles(dataDir);

  const { exited } = await begin();
  const begun = performance.now();
  await exited;
  const duration = performance.now() - begun;
  const whole = tablesIn(dataDir);
  expect(Object.keys(whole)).toHaveLength(16);

  const [states, file] = [{ none: 0, draft: 0, whole: 0 }, join(dataDir, "sealwright.db")];
  for (let round = 0; round < 12; round++) {
    rmSync(file);
    const { child, exited: ended } = await begin();
    const [byte = 0] = random(1);
    await pause((byte / 255) * duration * 1.05);
    child.kill("SIGKILL");
    await ended;
    states[existsSync(file) ? "whole" : existsSync(`${file}.import`) ? "draft" : "none"]++;
    await importObjects(dataDir, () => undefined);
    expect(tablesIn(dataDir), `round ${round}`).toEqual(whole);
    expect(existsSync(`${file}.import`)).toBe(false);
  }
  process.stdout.write(`killed: ${JSON.stringify(states)}\n`);
  expect(states.draft).toBeGreaterThan(2);
  expect(oldFiles(dataDir)).toEqual(before);
});
