import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assetsWorker } from "./assets.ts";
import { workerdConfig, type FrontHeaders } from "./config.ts";
import { kvWorker } from "./kv.ts";
import { LaunchError } from "./settings.ts";

/** What one runtime serves. */
export interface RuntimeOptions {
  bundle: string;
  objects: string;
  demo: string;
  headers: FrontHeaders;
  /** Bindings, handed over in the runtime's environment. */
  variables: Record<string, string>;
}

/** A running runtime behind its Unix socket. */
export interface Runtime {
  socket: string;
  pid: number;
  /** Resolves with a description when the runtime has ended. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

/** Socket and configuration lie here, not in the data directory: the path of a Unix socket must stay below 104 bytes. */
export function makeRunDir(): string {
  const path = mkdtempSync(join(tmpdir().length > 60 ? "/tmp" : tmpdir(), "sealwright-"));
  chmodSync(path, 0o700);
  return path;
}

// The group leader starts the runtime and a watcher. The watcher's input is a pipe that the launcher holds and never writes
// to; however the launcher ends, the pipe ends, and the watcher ends the whole group. `wait` passes on the runtime's status.
const watchScript = `exec 3<&0 </dev/null
"$@" 3<&- &
runtime=$!
(exec >/dev/null 2>&1; read -r _ <&3; rm -rf "$RUN_DIR"; kill -KILL 0) &
exec 3<&-
wait $runtime`;

function workerdBinary(): string {
  // The package's own launcher script would be one more process between the watcher and the runtime.
  const names: Record<string, string> = { x64: "64", arm64: "arm64" };
  try {
    const workerd = createRequire(import.meta.url).resolve("workerd/package.json");
    return createRequire(workerd).resolve(`@cloudflare/workerd-${process.platform}-${names[process.arch] ?? process.arch}/bin/workerd`);
  } catch {
    throw new LaunchError("workerd is not installed for this system; run npm ci.");
  }
}

/** Starts the runtime in `runDir`, which it removes at its end. Throws {@link LaunchError} when it does not come up. */
export async function startRuntime(runDir: string, options: RuntimeOptions): Promise<Runtime> {
  const socket = join(runDir, "http");
  const config = workerdConfig({ ...options, socket }, options.headers, Object.keys(options.variables));
  copyFileSync(options.bundle, join(runDir, "index.js"));
  writeFileSync(join(runDir, "kv.js"), kvWorker);
  writeFileSync(join(runDir, "assets.js"), assetsWorker);
  writeFileSync(join(runDir, "config.capnp"), config);
  const child = spawn("/bin/sh", ["-c", watchScript, "sh", workerdBinary(), "serve", join(runDir, "config.capnp")], {
    cwd: runDir,
    // Its own group: Ctrl-C reaches the launcher alone, which ends the group when callers have their answers.
    detached: true,
    env: { PATH: "/usr/bin:/bin", RUN_DIR: runDir, ...options.variables },
    stdio: ["pipe", "inherit", "inherit"],
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  });
  // The watcher alone notices the end of this pipe; a broken one must not end the launcher before it can say why.
  child.stdin.on("error", () => undefined);
  await accepting(socket, ended);
  return { socket, pid: child.pid ?? 0, ended, stop: () => stopGroup(child, runDir, ended) };
}

async function accepting(socket: string, ended: Promise<string>): Promise<void> {
  let end: string | undefined;
  void ended.then((how) => (end = how));
  while (!(await accepts(socket))) {
    if (end !== undefined) throw new LaunchError(`workerd did not start (${end}).`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
}

async function stopGroup(child: ChildProcess, runDir: string, ended: Promise<string>): Promise<void> {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group has ended already.
  }
  await ended;
  rmSync(runDir, { recursive: true, force: true });
}
