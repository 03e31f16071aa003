import { spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect, Socket } from "node:net";
import { constants } from "node:os";
import { join } from "node:path";
import { assetsWorker } from "./assets.ts";
import { entryName, modulesIn, workerdConfig, type FrontHeaders } from "./config.ts";
import { kvWorker } from "./kv.ts";
import { LaunchError } from "../cli/settings.ts";

/** What one runtime serves. */
export interface RuntimeOptions {
  /** The built Worker: a directory of modules whose entry is `index.js`, or one module. */
  bundle: string;
  objects: string;
  demo: string;
  headers: FrontHeaders;
  /** Bindings, handed over in the runtime's environment. */
  variables: Record<string, string>;
}

/** One life of the runtime behind its Unix socket. */
export interface Runtime {
  pid: number;
  /** Resolves when it answers. Rejects with {@link LaunchError} when it has ended before that. */
  ready: Promise<void>;
  /** Resolves with a description when it, or the process that watches over it, has ended. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

/** What the runtime says while it starts is kept up to here, to tell why it did not. */
const SAID_CHARS = 16_384;

// The group leader starts the runtime and a watcher. Descriptor 3 joins the watcher alone with the
// launcher, and nothing is ever written to it: however the launcher ends, the watcher learns of it
// and ends the whole group, and the launcher learns of the watcher's end likewise. `wait` passes on
// the runtime's status.
const watchScript = `"$@" 3>&- &
runtime=$!
(exec >/dev/null 2>&1; read -r _ <&3; rm -rf "$RUN_DIR"; kill -KILL 0) &
exec 3>&-
wait $runtime`;

/** The program of the runtime. Throws {@link LaunchError} where it is not installed. */
export function workerdBinary(): string {
  // The package's own launcher script would be one more process between the watcher and the
  // runtime.
  const names: Record<string, string> = { x64: "64", arm64: "arm64" };
  try {
    const workerd = createRequire(import.meta.url).resolve("workerd/package.json");
    return createRequire(workerd).resolve(
      `@cloudflare/workerd-${process.platform}-${names[process.arch] ?? process.arch}/bin/workerd`,
    );
  } catch {
    throw new LaunchError(
      "workerd is not installed, or not for this system; npm install without --omit=optional brings it.",
    );
  }
}

/** Writes what the runtime reads at each start: configuration and Workers. */
export function writeConfiguration(runDir: string, options: RuntimeOptions): void {
  const config = workerdConfig({ ...options, socket: socketIn(runDir) }, options.headers, {
    variables: Object.keys(options.variables),
    modules: copyModules(options.bundle, runDir),
  });
  writeFileSync(join(runDir, "kv.js"), kvWorker);
  writeFileSync(join(runDir, "assets.js"), assetsWorker);
  writeFileSync(join(runDir, "config.capnp"), config);
}

/** The file of a built Worker's entry. */
export const entryOf = (bundle: string): string =>
  statSync(bundle, { throwIfNoEntry: false })?.isDirectory() ? join(bundle, entryName) : bundle;

/**
 * Copies a built Worker to where the runtime reads it. Tells the names of its modules, the entry
 * first.
 */
function copyModules(bundle: string, runDir: string): readonly string[] {
  const to = join(runDir, modulesIn);
  mkdirSync(to, { recursive: true });
  const entry = entryOf(bundle);
  copyFileSync(entry, join(to, entryName));
  if (entry === bundle) return [entryName];
  const parts = readdirSync(bundle).filter((name) => name.endsWith(".js") && name !== entryName);
  for (const name of parts) copyFileSync(join(bundle, name), join(to, name));
  return [entryName, ...parts.toSorted()];
}

/** The path of the runtime's Unix socket. */
export function socketIn(runDir: string): string {
  return join(runDir, "http");
}

/**
 * Starts the runtime by the configuration in `runDir`, which its watcher removes if this process
 * dies.
 * @param descriptor held open by all that is started
 */
export function startRuntime(
  runDir: string,
  variables: Record<string, string>,
  descriptor?: number,
): Runtime {
  const socket = socketIn(runDir);
  // left by one before that was killed; there it would be taken for the new one's
  rmSync(socket, { force: true });
  const child = spawn(
    "/bin/sh",
    ["-c", watchScript, "sh", workerdBinary(), "serve", join(runDir, "config.capnp")],
    {
      cwd: runDir,
      // Its own group: Ctrl-C reaches the launcher alone, which ends the group when callers have
      // their answers.
      detached: true,
      env: { PATH: "/usr/bin:/bin", RUN_DIR: runDir, ...variables },
      stdio: ["ignore", "inherit", "pipe", "pipe", descriptor ?? "ignore"],
    },
  );
  const ended = endOf(child);
  // after the last of the group, whose error output is one of the pipes
  const gone = new Promise<void>((resolve) => void child.once("close", () => resolve()));
  const up = answering(socket, ended);
  const said = passOn(child, up);
  const ready = up.then((end) => {
    if (end !== undefined)
      throw new LaunchError(`workerd did not start (${end})${reasonIn(said())}.`);
  });
  // whoever stops it while it starts does not ask
  ready.catch(() => undefined);
  return { pid: child.pid ?? 0, ready, ended, stop: () => stopGroup(child, gone) };
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? describeStatus(code ?? 0)));
    // where all have ended at once, how the others did says more
    const watch = child.stdio[3];
    if (watch instanceof Socket)
      watch
        .on("error", () => undefined)
        .resume()
        .once("close", () => setTimeout(() => resolve("its watcher was ended"), 20));
  });
}

/** A shell adds 128 to the number of the signal that ended its child. */
function describeStatus(code: number): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return signal?.[0] ?? `code ${code}`;
}

/**
 * Prints what the runtime says in its error output, but while it starts keeps it back: if it does
 * not start, one sentence is enough.
 */
function passOn(child: ChildProcess, up: Promise<string | undefined>): () => string {
  let said = "";
  let started = false;
  child.stderr?.on("data", (chunk: Buffer) => {
    if (started) process.stderr.write(chunk);
    else said = (said + chunk.toString("utf8")).slice(0, SAID_CHARS);
  });
  void up.then((end) => {
    started = end === undefined;
    if (started) process.stderr.write(said);
  });
  return () => said;
}

/** Why the runtime did not start, by its own words. */
function reasonIn(said: string): string {
  if (/virtual memory|out of memory|tcmalloc|ENOMEM|Cannot allocate/i.test(said))
    return ": it may not use enough memory or address space (ulimit -v)";
  if (/SQLITE_FULL|SHMSIZE|ENOSPC|No space left/.test(said)) return ": the disk is full";
  const line = said
    .replace("*** Uncaught exception ***\n", "")
    .replace(/^\S+:[0-9]+: /, "")
    .split("\n", 1)[0]
    ?.slice(0, 300)
    .replace(/\.$/, "");
  return line ? `: ${line}` : "";
}

/** A runtime that has not answered after these milliseconds has not started. */
const START_MS = 60_000;

/**
 * Resolves when the runtime answers; with the description of its end when it has ended before, and
 * of its silence after `within` milliseconds.
 */
export async function answering(
  socket: string,
  ended: Promise<string>,
  within = START_MS,
): Promise<string | undefined> {
  let end: string | undefined;
  void ended.then((how) => (end = how));
  const until = performance.now() + within;
  for (
    let left = within;
    !(await answers(socket, left));
    left = Math.max(1, until - performance.now())
  ) {
    if (end !== undefined) return end;
    if (performance.now() >= until) return `no answer within ${within / 1000} seconds`;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return undefined;
}

/**
 * It listens before it has read its Workers. A method that it does not know it refuses itself, and
 * no Worker is troubled.
 */
function answers(path: string, within: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path, () => probe.write("READY / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    probe.once("data", () => {
      probe.destroy();
      resolve(true);
    });
    const late = setTimeout(() => probe.destroy(), within);
    probe.on("error", () => probe.destroy());
    probe.once("close", () => {
      clearTimeout(late);
      resolve(false);
    });
  });
}

async function stopGroup(child: ChildProcess, gone: Promise<void>): Promise<void> {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group has ended already.
  }
  await gone;
}
