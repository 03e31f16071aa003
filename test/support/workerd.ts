import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { leftovers } from "./leftovers.ts";

/** A running workerd process with one HTTP socket. */
export interface Workerd {
  readonly url: string;
  readonly pid: number;
  /** Returns everything that workerd and its Workers have printed so far. */
  output(): string;
  /** Sends SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>;
}

/** The bindings of a Worker. */
export interface Bindings {
  /** Directory of the objects' databases, which outlives the process. */
  readonly folder: string;
  readonly texts: Readonly<Record<string, string>>;
  /** Durable Object classes by the names of their bindings. */
  readonly objects: Readonly<Record<string, string>>;
}

const running = new Set<ChildProcess>();
/** Kills the processes that a failed test has left behind. */
export function stopWorkers(): void {
  for (const child of running) child.kill("SIGKILL");
}

process.once("exit", stopWorkers);
// Vitest ends its processes without an exit event
leftovers.add(stopWorkers);

/** Returns the path of the workerd binary that wrangler depends on. */
function workerdBinary(): string {
  const architecture = process.arch === "x64" ? "64" : process.arch;
  const binary = `@cloudflare/workerd-${process.platform}-${architecture}/bin/workerd`;
  return ["wrangler/package.json", "workerd/package.json", binary].reduce(
    (from, path) => createRequire(from).resolve(path),
    import.meta.filename,
  );
}

/** Returns a text literal of Cap'n Proto's schema language. */
export const quoted = (text: string): string =>
  `"${text.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n")}"`;

/** Returns a socket for `runWorkerd`, which passes requests to the service `main`. */
export const httpSocket = (port: number): string =>
  `(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")`;

/**
 * Writes `config` to `folder/config.capnp` and runs workerd on it. Resolves when its socket
 * responds; rejects with the output of workerd if it exits before.
 */
export async function runWorkerd(
  folder: string,
  config: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Workerd> {
  const file = join(folder, "config.capnp");
  writeFileSync(file, config);
  const child = spawn(workerdBinary(), ["serve", "--control-fd=3", file], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  running.add(child);
  const exited = once(child, "close").finally(() => running.delete(child));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  const port = await Promise.race([listeningPort(child.stdio[3] as Readable), exited]);
  if (typeof port !== "number" || !(await Promise.race([responds(port), exited])))
    throw new Error(`workerd exited while it started:\n${output}`);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    output: () => output,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Reads the control channel, one JSON event per line, up to the port of the first socket. */
async function listeningPort(control: Readable): Promise<number | undefined> {
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line) as { readonly event: string; readonly port?: number };
    if (event === "listen") return port;
  }
  return undefined;
}

/**
 * Reports whether workerd responds, which it does after loading its Workers. It rejects an unknown
 * method itself, so that no Worker sees the request.
 */
function responds(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(port, "127.0.0.1", () =>
      probe.write("READY / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    );
    probe.once("data", () => {
      resolve(true);
      probe.destroy();
    });
    probe.on("error", () => probe.destroy());
    probe.once("close", () => resolve(false));
  });
}

/** Runs one script as a Worker in workerd, on a free port. */
export async function startWorker(
  script: string,
  { folder, texts, objects }: Bindings,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  mkdirSync(join(folder, "objects"), { recursive: true });
  writeFileSync(join(folder, "worker.js"), script);
  const classes = Object.values(objects).map(
    (name) => `(className = ${quoted(name)}, uniqueKey = ${quoted(name)}, enableSql = true)`,
  );
  const bindings = [
    ...Object.entries(texts).map(
      ([name, value]) => `(name = ${quoted(name)}, text = ${quoted(value)})`,
    ),
    ...Object.entries(objects).map(
      ([name, of]) => `(name = ${quoted(name)}, durableObjectNamespace = ${quoted(of)})`,
    ),
  ];
  const workerd = await runWorkerd(
    folder,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "objects", disk = (path = ${quoted(join(folder, "objects"))}, writable = true)),
  ],
  sockets = [${httpSocket(0)}],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-10-20",
  durableObjectNamespaces = [${classes.join()}],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [${bindings.join()}],
);
`,
  );
  return { url: workerd.url, stop: () => workerd.kill() };
}
