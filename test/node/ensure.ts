import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import type { Created, PkiClient } from "../../src/index.ts";

/** Starts three processes concurrently on one database, and returns what each has created. */
export const startThree = (at: string): Promise<readonly Created[]> =>
  Promise.all(
    [1, 2, 3].map(async () => {
      const child = spawn(process.execPath, [join(import.meta.dirname, "ensure-process.ts"), at], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      return JSON.parse(await text(child.stdout)) as Created;
    }),
  );

/** Asserts that one of three processes has created everything, and that each has issued. */
export async function expectOne(created: readonly Created[], pki: PkiClient): Promise<void> {
  const nothing = { root: false, intermediate: false, roles: [] };
  expect(created.filter(({ root }) => root)).toEqual([
    { root: true, intermediate: true, roles: ["web"] },
  ]);
  expect(created.filter(({ root }) => !root)).toEqual([nothing, nothing]);
  expect((await pki.listIssuers()).keys).toHaveLength(2);
  expect((await pki.listKeys()).keys).toHaveLength(2);
  expect((await pki.listCerts()).keys).toHaveLength(5);
}
