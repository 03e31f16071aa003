import { spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../server/build/build-page.ts";
import { buildModules } from "../server/build/build-modules.ts";
import { identityOf, isAlive } from "../server/data/process-identity.ts";
import { cachedFolder } from "../test/support/built.ts";
import { pinnedNode } from "../test/support/server.ts";
import { processTree } from "./figures.ts";

/** A running server: the process that was started, and its URL. */
export interface Program {
  readonly url: string;
  /** ID of the first process, which is the ancestor of all others. */
  readonly pid: number;
  /** Sends SIGTERM. Resolves when every process has exited. */
  stop(): Promise<void>;
}

/** The options for starting a program. */
export interface ProgramOptions {
  readonly command: string;
  readonly words: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Matches the output line that contains the server's URL. */
  readonly ready: RegExp;
  /** Whether to start the program in its own process group, as a shell does. */
  readonly detached?: boolean;
}

const running = new Set<ChildProcess>();
const directories = new Set<string>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  for (const path of directories) rmSync(path, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** Creates a temporary directory that is removed when this process exits. */
export function scratchDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "sealwright-bench-"));
  directories.add(path);
  return path;
}

/** Starts a program in a nearly empty environment. Resolves when the program is ready. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { command, words, cwd, env, ready, detached = false } = options;
  const child = spawn(command, words, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { PATH: process.env["PATH"] ?? "", ...env },
    detached,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  void exited.then(() => running.delete(child));
  const url = await new Promise<string>((resolve, reject) => {
    let output = "";
    const receive = (chunk: Buffer): void => {
      output += chunk.toString("utf8");
      const match = ready.exec(output)?.[1];
      if (match !== undefined) resolve(match);
    };
    child.stdout.on("data", receive);
    child.stderr.on("data", receive);
    void exited.then(() => reject(new Error(`${command} exited early:\n${output}`)));
  });
  const pid = child.pid ?? 0;
  return {
    url,
    pid,
    async stop() {
      const all = processTree(pid).map(identityOf);
      child.kill("SIGTERM");
      await exited;
      while (all.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

/** Matches the first output line of a server of any version. */
const serves = /^Sealwright serves (\S+)$/m;

/** The options for starting the server of a checkout, or the built server. */
export interface ServerOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Flags for Node. If present, the server runs from the sources. */
  readonly node?: readonly string[];
}

/** Starts the server of this checkout, as built for the package. */
export async function startBuilt({ dataDir, env, node }: ServerOptions): Promise<Program> {
  const program = node ? join(root, "server/cli/serve.ts") : await builtProgram();
  return startProgram({
    command: pinnedNode(),
    words: [...(node ?? []), program, ...(node ? [] : ["serve"])],
    env: { PORT: "0", DATA_DIR: dataDir, DEMO_DIR: scratchDirectory(), ...env },
    ready: serves,
  });
}

/** Starts the server of a checkout with `npm start`. */
export const startCheckout = (
  checkout: string,
  { dataDir, env }: ServerOptions,
  detached = false,
): Promise<Program> =>
  startProgram({
    command: "npm",
    words: ["start"],
    cwd: checkout,
    env: { HOME: dataDir, PORT: "0", DATA_DIR: dataDir, ...env },
    ready: serves,
    detached,
  });

/** Starts a server that stores a row per request and does nothing else. */
export function startFloor(workers: number): Promise<Program> {
  return startProgram({
    command: pinnedNode(),
    words: [join(root, "bench/floor.ts"), join(scratchDirectory(), "floor.db"), String(workers)],
    ready: /^The floor serves (\S+)$/m,
  });
}

/** Paths of the server's sources. */
const sources = ["package.json", "package-lock.json", "src", "server", "worker"];

/**
 * Builds `sealwright` as for the package, once for each version of the sources. Returns the path of
 * the program.
 */
export async function builtProgram(): Promise<string> {
  const paths = sources.map((name) => join(root, name)).filter((path) => existsSync(path));
  const folder = await cachedFolder("server", paths, async (draft) => {
    await buildModules(join(draft, "dist/js"));
    copyFileSync(join(root, "package.json"), join(draft, "package.json"));
  });
  return join(folder, "dist/js/sealwright.js");
}

/** Reads a secret that a server has generated in its data directory. */
export const secretIn = (dataDir: string, name: "root-token" | "vars-token"): string =>
  readFileSync(join(dataDir, name), "utf8").trim();
