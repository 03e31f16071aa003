import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeDirectory } from "../../server/data/data-dir.ts";
import {
  checkOutputDirectory,
  checkOutputFile,
  checkReplacedFile,
} from "../../server/cli/output-path.ts";

const folder = mkdtempSync(join(tmpdir(), "sealwright-output-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "file");
writeFileSync(file, "text");

describe("an output path", () => {
  it("may be a directory that exists or can be created, or a file in a directory that exists", () => {
    for (const dir of [folder, join(folder, "a", "b")])
      expect(() => checkOutputDirectory(dir)).not.toThrow();
    for (const path of [file, join(folder, "new")])
      for (const check of [checkOutputFile, checkReplacedFile])
        expect(() => check(path)).not.toThrow();
  });

  it("is rejected below a file, in a missing directory, and if a directory has its name", () => {
    for (const dir of [file, join(file, "a", "b")])
      expect(() => checkOutputDirectory(dir)).toThrow(`${file} is not a directory.`);
    const absent = join(folder, "absent");
    for (const check of [checkOutputFile, checkReplacedFile]) {
      expect(() => check(join(file, "a"))).toThrow(`${file} is not a directory.`);
      expect(() => check(join(absent, "a"))).toThrow(`Directory not found: ${absent}.`);
      expect(() => check(folder)).toThrow(`${folder} is a directory, not a file.`);
    }
  });

  it.skipIf(process.platform !== "linux" || process.getuid?.() === 0)(
    "is rejected without permission to write, unless another file replaces it",
    () => {
      const locked = join(folder, "locked");
      writeFileSync(locked, "text", { mode: 0o400 });
      expect(() => checkOutputFile(locked)).toThrow(`${locked} cannot be written (EACCES).`);
      expect(() => checkReplacedFile(locked)).not.toThrow();
      expect(() => checkOutputDirectory("/proc/new")).toThrow("/proc cannot be written (EACCES).");
      expect(() => checkOutputFile("/proc/version")).toThrow("cannot be written (EACCES).");
    },
  );

  it.skipIf(process.platform !== "linux")(
    "that the file system refuses with ENOENT is rejected without endless attempts",
    () => {
      expect(() => makeDirectory("/proc/sealwright/new")).toThrow("ENOENT");
    },
  );
});
