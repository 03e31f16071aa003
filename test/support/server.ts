import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { demoPath, root } from "../../server/build/build-page.ts";
import { identityOf, isAlive } from "../../server/data/process-identity.ts";
import { builtServer } from "./built.ts";
import { leftovers } from "./leftovers.ts";

/** Start options of the launcher. */
export interface ServerOptions {
  /** Environment variables, added to a nearly empty environment. */
  env?: Record<string, string>;
  /** Data directory, which is kept; by default a new one that `stop` removes. */
  dataDir?: string;
  /** The root token, if the environment names a file with it. */
  token?: string;
  /** Command that runs the launcher, such as `unshare --pid --fork`. */
  within?: readonly string[];
}

/** A server with all its processes, listening on its own port. */
export interface RunningServer {
  url: string;
  token: string;
  dataDir: string;
  /** Id of the first process, the ancestor of all others. */
  pid: number;
  /** Returns the output so far. */
  output(): string;
  /** Sends SIGTERM; resolves with the exit code when all processes have exited. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL to it; resolves when all processes have exited. The data directory stays. */
  kill9(): Promise<void>;
}

/** A launcher that exited by itself. */
export class EndedEarly extends Error {
  readonly code: number | null;

  constructor(code: number | null, output: string) {
    super(`the launcher ended with ${code}:\n${output}`);
    this.code = code;
  }
}

const ownDirectories = new Set<string>();
const running = new Set<ChildProcess>();

function clean(): void {
  for (const child of running) child.kill("SIGKILL");
  for (const path of ownDirectories) rmSync(path, { recursive: true, force: true });
}

process.once("exit", clean);
// Vitest ends its processes without an exit event
leftovers.add(clean);

/** Creates a directory that is removed after the tests of the file. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "sealwright-test-"));
  ownDirectories.add(path);
  return path;
}

/** Returns the path of the Node that serves: the pinned one if it is installed. */
export function pinnedNode(): string {
  const path = join(root, "node_modules/.bin/node");
  return existsSync(path) ? path : process.execPath;
}

/** Variables that all started programs get: the path, and the run's cache of compiled modules. */
export const surroundings: Readonly<Record<string, string>> = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/**
 * Starts the real server on a free port and resolves when it serves. One serving process by
 * default; the environment can set more. Rejects with {@link EndedEarly} if it fails to start.
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const dataDir = options.dataDir ?? temporaryDirectory();
  const [command, ...words] = [
    ...(options.within ?? []),
    pinnedNode(),
    await builtServer(),
    "serve",
  ];
  const child = spawn(command, words, {
    env: {
      ...surroundings,
      PORT: "0",
      DATA_DIR: dataDir,
      WORKERS: "1",
      // the last build; tests of the page name another one
      DEMO_DIR: demoPath,
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let output = "";
  const exited = new Promise<number | null>((resolve) =>
    child.once("close", (code) => resolve(code)),
  ).finally(() => running.delete(child));
  const url = await new Promise<string>((resolve, reject) => {
    const receive = (chunk: Buffer): void => {
      output += chunk.toString("utf8");
      // the banner, which arrives at once; LOG=json prints it in one line
      const match = /^(?:\{.*"message":")?Sealwright serves ([^\s\\]+)[^]*privkey\.pem/m.exec(
        output,
      );
      if (match?.[1] !== undefined) resolve(match[1]);
    };
    child.stdout.on("data", receive);
    child.stderr.on("data", receive);
    void exited.then((code) => reject(new EndedEarly(code, output)));
  });
  const token = options.token ?? options.env?.["SERVICE_ROOT_TOKEN"] ?? rootTokenIn(dataDir, child);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const all = childrenOf(child.pid ?? 0).map(identityOf);
    child.kill(signal);
    const code = await exited;
    await allExited(all);
    return code;
  };
  return {
    url,
    token,
    dataDir,
    pid: child.pid ?? 0,
    output: () => output,
    async stop() {
      const code = await end("SIGTERM");
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
      return code;
    },
    async kill9() {
      await end("SIGKILL");
    },
  };
}

/** Reads the root token of a server, which exits without one. */
function rootTokenIn(dataDir: string, server: ChildProcess): string {
  try {
    return readFileSync(join(dataDir, "root-token"), "utf8").trim();
  } catch (error) {
    server.kill("SIGKILL");
    throw error;
  }
}

/**
 * Resolves when none of the processes is running, each given by `identityOf`. Each check reads
 * files of the kernel, so it waits between checks.
 */
export async function allExited(processes: readonly string[]): Promise<void> {
  while (processes.some(isAlive)) await pause(5);
}

/** Returns the running child processes of a process (Linux). */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^[0-9]+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(parent) === pid ? [Number(name)] : [];
    } catch {
      // the process has exited in the meantime
      return [];
    }
  });
}
