import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { buildDemo } from "../../demo/build.ts";
import { buildWorker, root } from "../../worker/build/build.ts";

const cache = join(root, "node_modules/.cache/built");
/** A build unused for this long is removed. */
const KEPT_MS = 24 * 3_600_000;
/** A build that takes longer has failed. */
const LOCKED_MS = 600_000;

/** All sources of a bundle: files or folders. */
const sources = ["package-lock.json", "tsconfig.json", "src", "worker", "demo"];

const inRoot = (path: string): string => join(root, path);

function filesIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

/** Returns a hash of the names and contents of `paths`. */
function versionOf(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.flatMap(filesIn))
    hash
      .update(`${relative(root, path)}\0`)
      .update(readFileSync(path))
      .update("\0");
  return hash.digest("hex").slice(0, 24);
}

function removeOld(): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    if (Date.now() - mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** Reports whether a lock is valid: its process still runs and has not exceeded the time limit. */
function isLocked(lock: string): boolean {
  try {
    if (Date.now() - statSync(lock).mtimeMs > LOCKED_MS) return false;
    process.kill(Number(readFileSync(lock, "utf8")), 0);
    return true;
  } catch {
    return false;
  }
}

/** Takes a lock once no other process holds it, and returns a function that releases it. */
async function acquireLock(lock: string): Promise<() => void> {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      return () => rmSync(lock, { force: true });
    } catch {
      if (isLocked(lock)) await setTimeout(50);
      else rmSync(lock, { force: true });
    }
  }
}

/**
 * Returns the folder that `make` fills, once per version of the sources: test files, which run in
 * separate processes, wait for the first one and share the folder. The folder is read-only.
 */
export async function cachedFolder(
  name: string,
  paths: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(cache, `${name}-${versionOf(paths)}`);
  mkdirSync(cache, { recursive: true });
  const release = existsSync(folder) ? undefined : await acquireLock(`${folder}.lock`);
  try {
    if (existsSync(folder)) utimesSync(folder, new Date(), new Date());
    else await fill(folder, make);
  } finally {
    release?.();
  }
  return folder;
}

async function fill(folder: string, make: (folder: string) => Promise<void>): Promise<void> {
  const draft = mkdtempSync(join(cache, "draft-"));
  try {
    await make(draft);
    // a server that a test runs as another user reads it too
    chmodSync(draft, 0o755);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  removeOld();
}

let server: Promise<string> | undefined;
/**
 * Returns the path of `sealwright`, built as for the package but with a test clock. A server that
 * runs from the sources takes 50 % more CPU time to start.
 */
export const builtServer = (): Promise<string> => (server ??= buildServer());

async function buildServer(): Promise<string> {
  const paths = ["package.json", "package-lock.json", "src", "server", "worker"].map(inRoot);
  const folder = await cachedFolder("clocked-server", paths, async (draft) => {
    // only one process of a run builds, and needs the bundler
    const { buildModules } = await import("../../server/build/build-modules.ts");
    await buildModules(join(draft, "dist/js"), true);
    copyFileSync(inRoot("package.json"), join(draft, "package.json"));
  });
  return join(folder, "dist/js/sealwright.js");
}

let demo: Promise<string> | undefined;
/** Returns the folder of the console, built from the sources at the first call of this process. */
export const builtDemo = (): Promise<string> =>
  (demo ??= cachedFolder(
    "demo",
    sources.map(inRoot),
    async (folder) => void (await buildDemo(folder)),
  ));

const combiner = "test/support/combined-scripts.ts";
let oneScript: Promise<string> | undefined;
/**
 * Returns the folder of the console with one script instead of a chunk for each view. The form for
 * a certificate loads 43 chunks, and each request takes 5 ms of CPU time in a fresh profile.
 */
export const builtAsOneScript = (): Promise<string> =>
  (oneScript ??= builtDemo().then((built) =>
    cachedFolder("one-script", [...sources, combiner].map(inRoot), async (folder) => {
      const { combineScripts } = await import("./combined-scripts.ts");
      await combineScripts(built, folder);
    }),
  ));

/** Finds a built file of the console by its name before the hash. */
export function fileOf(built: string, name: string): string {
  const found = readdirSync(built).find((file) =>
    new RegExp(`^${name}-[0-9A-Z]{8}\\.[a-z]+$`).test(file),
  );
  if (!found) throw new Error(`the console has no ${name}`);
  return found;
}

/** The Workers of this process by entry. Hashing the sources takes 30 ms of CPU time. */
const workers = new Map<string, Promise<string>>();
/**
 * Returns the directory of a Worker's modules, built from the sources of its entry at the first call
 * of this process.
 */
export function builtWorker(entry: string): Promise<string> {
  const built =
    workers.get(entry) ??
    cachedFolder("worker", [...sources.map(inRoot), entry], (draft) => buildWorker(entry, draft));
  workers.set(entry, built);
  return built;
}
