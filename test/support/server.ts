import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demoPath, root } from "../../server/build/build-page.ts";
import { identityOf, isAlive } from "../../server/data/process-identity.ts";

/** How to start the launcher. */
export interface ServerOptions {
  /** Added to a nearly empty environment. */
  env?: Record<string, string>;
  /** Kept after the end when given; else a directory of its own, removed by `stop`. */
  dataDir?: string;
  /** The root token where the environment names a file of it. */
  token?: string;
  /** Words of a command that runs the launcher, such as `unshare --pid --fork`. */
  within?: readonly string[];
}

/** The server with everything it started, listening on a port of its own. */
export interface RunningServer {
  url: string;
  token: string;
  dataDir: string;
  /** The process that was started, which has all others. */
  pid: number;
  /** All that the server has printed so far. */
  output(): string;
  /** SIGTERM; resolves with the exit code when everything has ended. */
  stop(): Promise<number | null>;
  /** SIGKILL to it; resolves when everything has ended. The data directory stays. */
  kill9(): Promise<void>;
}

/** A launcher that ended by itself. */
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
// Vitest ends its processes without an exit event, and imports this file anew for each test file.
if (process.env["VITEST"] !== undefined) (await import("vitest")).afterAll(clean);

/** A directory that is removed when the tests of the file have ended. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "sealwright-test-"));
  ownDirectories.add(path);
  return path;
}

/** The Node that serves: the pinned one where it is installed. */
export function pinnedNode(): string {
  const path = join(root, "node_modules/.bin/node");
  return existsSync(path) ? path : process.execPath;
}

/**
 * Starts the real server on a free port and resolves when it serves: one process that serves, unless
 * the environment says how many. Rejects with {@link EndedEarly} if it does not come up.
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const dataDir = options.dataDir ?? temporaryDirectory();
  const [command, ...words] = [
    ...(options.within ?? []),
    pinnedNode(),
    join(root, "server/cli/serve.ts"),
  ];
  const child = spawn(command, words, {
    env: {
      PATH: process.env["PATH"] ?? "",
      PORT: "0",
      DATA_DIR: dataDir,
      WORKERS: "1",
      // what was built last; those who look at the page say which
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
    const take = (chunk: Buffer): void => {
      output += chunk.toString("utf8");
      // all that it prints at first, of which that line is the first and a call of issue the last
      const found = /^Sealwright serves (\S+)$[^]*issue\/web$/m.exec(output);
      if (found?.[1] !== undefined) resolve(found[1]);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    void exited.then((code) => reject(new EndedEarly(code, output)));
  });
  const token = options.token ?? options.env?.["SERVICE_ROOT_TOKEN"] ?? rootTokenIn(dataDir, child);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const all = childrenOf(child.pid ?? 0).map(identityOf);
    child.kill(signal);
    const code = await exited;
    while (all.some(isAlive)) await new Promise((resolve) => setImmediate(resolve));
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

/** Reads the root token of a server, which ends where there is none. */
function rootTokenIn(dataDir: string, server: ChildProcess): string {
  try {
    return readFileSync(join(dataDir, "root-token"), "utf8").trim();
  } catch (error) {
    server.kill("SIGKILL");
    throw error;
  }
}

/** The processes that a process has started and that still run (Linux). */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^[0-9]+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(parent) === pid ? [Number(name)] : [];
    } catch {
      // it has ended meanwhile
      return [];
    }
  });
}
