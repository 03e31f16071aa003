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

/** A server under load: a program and its processes. */
export interface Program {
  readonly url: string;
  /** The first process, the ancestor of all others. */
  readonly pid: number;
  /** Sends SIGTERM; resolves when every process has exited. */
  stop(): Promise<void>;
}

/** Options for starting a program. */
export interface ProgramOptions {
  readonly command: string;
  readonly words: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Matches the output line with its address. */
  readonly ready: RegExp;
  /** True to start it in its own process group, like a shell command. */
  readonly detached?: boolean;
}

const running = new Set<ChildProcess>();
const directories = new Set<string>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  for (const path of directories) rmSync(path, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** Creates a directory that is removed when this process exits. */
export function scratchDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "sealwright-bench-"));
  directories.add(path);
  return path;
}

/** Starts a program in a nearly empty environment, and resolves when it serves. */
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

/** Matches the first line of a server of any version. */
const serves = /^Sealwright serves (\S+)$/m;

/** Options for the server of a checkout, or the built one. */
export interface ServerOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of Node; with them the server runs from the sources. */
  readonly node?: readonly string[];
}

/** Starts the server of this checkout as built for the package. */
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

/** The sources of the server. */
const sources = ["package.json", "package-lock.json", "src", "server", "worker"];

/** Builds `sealwright` as for the package, once per version of the sources. */
export async function builtProgram(): Promise<string> {
  const paths = sources.map((name) => join(root, name)).filter((path) => existsSync(path));
  const folder = await cachedFolder("server", paths, async (draft) => {
    await buildModules(join(draft, "dist/js"));
    copyFileSync(join(root, "package.json"), join(draft, "package.json"));
  });
  return join(folder, "dist/js/sealwright.js");
}

/** Reads a secret generated by a server in its data directory. */
export const secretIn = (dataDir: string, name: "root-token" | "vars-token"): string =>
  readFileSync(join(dataDir, name), "utf8").trim();
