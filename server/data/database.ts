import { once } from "node:events";
import { rmSync } from "node:fs";
import { stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Store, Stores } from "../../src/index.ts";
import { openReader } from "../../src/node/sqlite-file.ts";
import { sqliteStoreOf, type StoreReader } from "../../src/node/sqlite-store.ts";
import { commitClient, type CommitClient } from "./commit-client.ts";
import type { CommitNotice, Requests } from "./commit-queue.ts";
import { readCount } from "./commits.ts";
import type { FromWriter, WriterSettings } from "./commit-thread.ts";
import { framesOver } from "./frames.ts";

/** Returns the path of the SQLite database of a data directory. */
export const databaseIn = (dataDir: string): string => join(dataDir, "sealwright.db");

/** The stores as opened by this process. */
export interface OpenStores extends Stores {
  readonly durable: true;
  close(): void;
}

/**
 * Memory limits of the writer thread, in MiB. With V8's default, the thread's memory can grow by 60
 * MiB more.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 6 };

/** The thread that writes a data directory's database. */
export interface Writer {
  /** Resolves with the reason when the thread ends unexpectedly. */
  readonly ended: Promise<string>;
  /** Opens the stores for this process. */
  stores(): OpenStores;
  /** Stops the thread once everything sent to it is on disk. */
  stop(): Promise<void>;
}

/**
 * Starts the writer thread of a database, which is created if missing. `socket` is the path of the
 * socket through which other processes of this server reach the writer. Rejects if the database
 * cannot be opened.
 */
export async function startWriter(file: string, socket?: string): Promise<Writer> {
  if (socket !== undefined) rmSync(socket, { force: true });
  const entry = fileURLToPath(new URL(`./commit-thread${extension}`, import.meta.url));
  const workerData: WriterSettings = { file, ...(socket === undefined ? {} : { socket }) };
  const thread = new Worker(entry, { workerData, resourceLimits });
  const client = commitClient((requests: Requests) => thread.postMessage(requests));
  const ended = new Promise<string>((resolve) => {
    thread.once("error", (error) =>
      resolve(error instanceof Error ? error.message : String(error)),
    );
    thread.once("exit", (code) => resolve(`code ${code}`));
  }).finally(() => client.lost());
  const [ready] = (await Promise.race([once(thread, "message"), ended.then(unstarted)])) as [
    FromWriter,
  ];
  if ("refused" in ready) throw new Error(ready.refused);
  thread.on("message", (notice: CommitNotice) => client.received(notice));
  thread.postMessage("join");
  await client.upTo(0);
  return {
    ended,
    stores: () => storesOf(file, client, socket !== undefined),
    async stop() {
      thread.postMessage("stop");
      await ended;
    },
  };
}
// the extension differs between a checkout and the package
const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
const unstarted = (why: string): never => {
  throw new Error(`the database thread did not start (${why})`);
};

/**
 * Connects a process other than the writer's to the stores of a database. Calls `lost` when the
 * writer is gone.
 */
export async function connectStores(
  file: string,
  socket: string,
  lost: () => void,
): Promise<OpenStores> {
  const connection = connect(socket);
  await once(connection, "connect");
  const frames = framesOver<CommitNotice, Requests>(connection, (notice) =>
    client.received(notice),
  );
  const client = commitClient((requests) => frames.send(requests));
  connection.on("error", () => undefined);
  connection.once("close", () => {
    client.lost();
    lost();
  });
  // wait for the first notification, so that no change after the connection is missed
  await client.upTo(0);
  return storesOf(file, client, true);
}

/** Returns the size of a database and its write-ahead log, in bytes. */
async function sizeOf(file: string): Promise<number> {
  const log = stat(`${file}-wal`).catch(() => ({ size: 0 }));
  return (await stat(file)).size + (await log).size;
}

/** Opens the stores. Set `shared` if other processes write to them too. */
function storesOf(file: string, client: CommitClient, shared: boolean): OpenStores {
  const opened = openReader(file);
  const reader: StoreReader = { file: opened, writable: false, open: () => openReader(file) };
  const stores = new Map<string, Store>();
  const open = (name: string): Store => {
    const store = stores.get(name) ?? sqliteStoreOf(name, reader, () => client.writer(name));
    stores.set(name, store);
    return store;
  };
  const follow: NonNullable<Stores["follow"]> = (changed) => {
    client.follow(changed);
    return () => client.upTo(readCount(opened) ?? 0);
  };
  const close = () => opened.close();
  return Object.assign(open, {
    durable: true as const,
    partitions: true,
    close,
    size: () => sizeOf(file),
    ...(shared ? { follow } : {}),
  });
}
