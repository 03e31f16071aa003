import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { createInterface } from "node:readline";
import { workerdBinary } from "../../server/process/runtime.ts";

/** What is bound to a Worker. */
export interface Bound {
  /** Where its objects keep their rows, over restarts too. */
  readonly folder: string;
  readonly texts: Readonly<Record<string, string>>;
  /** Classes of objects by the names of their bindings. */
  readonly objects: Readonly<Record<string, string>>;
}

const running = new Set<ChildProcess>();
/** Ends those that a failed test has left. */
export function stopWorkers(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** A Worker's script in the real runtime, on a port of its own. */
export async function startWorker(
  script: string,
  { folder, texts, objects }: Bound,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  mkdirSync(join(folder, "objects"), { recursive: true });
  writeFileSync(join(folder, "worker.js"), script);
  const text = (value: string): string => JSON.stringify(value);
  const classes = Object.values(objects).map(
    (name) => `(className = ${text(name)}, uniqueKey = ${text(name)}, enableSql = true)`,
  );
  const bindings = [
    ...Object.entries(texts).map(
      ([name, value]) => `(name = ${text(name)}, text = ${text(value)})`,
    ),
    ...Object.entries(objects).map(
      ([name, of]) => `(name = ${text(name)}, durableObjectNamespace = ${text(of)})`,
    ),
  ];
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "objects", disk = (path = ${text(join(folder, "objects"))}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-10-20",
  durableObjectNamespaces = [${classes.join()}],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [${bindings.join()}],
);
`;
  writeFileSync(join(folder, "config.capnp"), config);
  const child = spawn(
    workerdBinary(),
    ["serve", "--experimental", "--control-fd=3", join(folder, "config.capnp")],
    { stdio: ["ignore", "inherit", "inherit", "pipe"] },
  );
  running.add(child);
  const ended = once(child, "exit");
  const port = await Promise.race([portIn(child.stdio[3] as Readable), ended]);
  if (typeof port !== "number") throw new Error("the runtime ended");
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** What the runtime says on its control channel, a line of JSON an event. */
async function portIn(control: Readable): Promise<number | undefined> {
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line) as { readonly event: string; readonly port?: number };
    if (event === "listen") return port;
  }
  return undefined;
}
