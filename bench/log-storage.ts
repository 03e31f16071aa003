import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createCa, type Store } from "../src/index.ts";
import { sqliteStore } from "../src/node/index.ts";
import { figure } from "./figures.ts";
import { scratchDirectory } from "./programs.ts";

/** The `entries` setting of a log. Undefined means that there is no log. */
type Entries = "full" | "hashes" | undefined;

/** Prints the number of bytes that a log adds to a server's SQLite file for each certificate. */
export async function benchLogStorage(certificates: number): Promise<void> {
  const none = await storageOf(undefined, certificates);
  figure("a certificate without a log", `${none.file.toFixed(0)} bytes of the file`);
  for (const entries of ["full", "hashes"] as const) {
    const { file, rows } = await storageOf(entries, certificates);
    figure(
      `its log, entries ${entries}`,
      `${(file - none.file).toFixed(0)} bytes of the file`,
      Object.entries(rows)
        .map(([kind, bytes]) => `${kind} ${bytes.toFixed(0)}`)
        .join(", "),
    );
  }
}

/**
 * Storage per certificate, in bytes: growth of the database file, and size of the log's rows (keys
 * and values) by kind of row.
 */
interface StorageSize {
  readonly file: number;
  readonly rows: Readonly<Record<string, number>>;
}

/** Issues certificates in a new file. Returns the storage that each certificate takes. */
async function storageOf(entries: Entries, certificates: number): Promise<StorageSize> {
  const path = join(scratchDirectory(), "log.db");
  const stores = sqliteStore(path);
  const opened = new Map<string, Store>();
  let now = Date.now();
  const ca = createCa({
    stores: (name) => (opened.set(name, stores(name)), stores(name)),
    sealingKey: new Uint8Array(32),
    now: () => now,
  });
  if (entries) await ca.pki.writeLogConfig({ enabled: true, origin: "bench.test/log", entries });
  await ca.pki.generateRoot({ common_name: "Bench", key_type: "ec", ttl: "9000h" });
  await ca.pki.writeRole({ name: "web", allow_any_name: true, key_type: "ec" });
  const issue = async (count: number): Promise<number> => {
    for (let n = 0; n < count; n++)
      await ca.pki.issue({ role: "web", common_name: `host-${n}.example.com` });
    // runs the jobs that add the entries to the tree
    for (let round = 0; round < 3; round++) {
      now += 2000;
      await ca.tick();
    }
    return sizeOf(path);
  };
  // the first certificates also create tables
  const before = await issue(100);
  const after = await issue(certificates);
  const store = [...opened].find(([name]) => name !== "sys")?.[1];
  const rows = await Promise.all(
    ["entry", "run", "tile"].map(async (kind) => {
      const all = (await store?.list(`tlog/${kind}/`)) ?? [];
      const bytes = all.map(([key, { value }]) => key.length + bytesOf(value));
      return [kind, bytes.reduce((sum, one) => sum + one, 0) / (certificates + 100)] as const;
    }),
  );
  stores.close();
  return { file: (after - before) / certificates, rows: Object.fromEntries(rows) };
}
const bytesOf = (value: unknown): number =>
  value instanceof Uint8Array ? value.length : JSON.stringify(value).length;

/** Returns the size of the pages in use, including those in the write-ahead log. */
function sizeOf(path: string): number {
  const database = new DatabaseSync(path);
  const pragma = (name: string): number =>
    Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  const size = (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
  database.close();
  return size;
}
