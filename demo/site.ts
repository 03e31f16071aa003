import { cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildDemo } from "./build.ts";

/** Matches the names of files from an earlier build; the folder may also contain other files. */
const ofTheConsole = /^(?:main|part|theme|style|icon|manifest)-[0-9A-Z]{8}\.[a-z]+$/;

/**
 * Writes the console into a folder for a static host. Replaces the files of an earlier build and
 * leaves all others. Prints the number and compressed size (gzip) of the files that a first visit
 * to each route loads.
 */
async function writeSite(folder: string): Promise<void> {
  const draft = await mkdtemp(join(tmpdir(), "sealwright-site-"));
  try {
    const weights = await buildDemo(draft, "");
    for (const { route, files, bytes } of weights)
      process.stdout.write(
        `${route.padEnd(14)}${String(files).padStart(3)} files ${(bytes / 1000).toFixed(1).padStart(6)} kB\n`,
      );
    await mkdir(folder, { recursive: true });
    for (const file of await readdir(folder))
      if (ofTheConsole.test(file)) await rm(join(folder, file));
    await cp(draft, folder, { recursive: true });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write("Missing output folder: npm run static-page -- DIR\n");
  process.exitCode = 1;
} else await writeSite(resolve(folder));
