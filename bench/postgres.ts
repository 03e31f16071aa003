// Compares the PostgreSQL store with two uses of the driver alone over the same number of
// connections: one row per transaction, and groups of rows in a transaction with one statement per
// row.
import type { Pool, PoolClient } from "pg";
import type { Store } from "../src/engine/ports.ts";
import { postgresStore } from "../src/postgres/index.ts";
import {
  administrator,
  postgresPrograms,
  startPostgres,
  type PostgresServer,
} from "../test/support/postgres.ts";
import { atLeast, figure, median, round } from "./figures.ts";

/** A function that writes a row under a new key. */
type Write = (key: string, value: Uint8Array) => Promise<unknown>;
/** A measured way to write rows. */
interface Subject {
  readonly name: string;
  readonly write: Write;
}

/** Size of a row in bytes, which is about the size of a certificate. */
const size = 1500;
let written = 0;

/** Returns the number of writes per second. */
async function rate(write: Write, callers: number, seconds: number): Promise<number> {
  const begun = performance.now();
  const end = begun + seconds * 1000;
  let count = 0;
  const call = async (): Promise<void> => {
    while (performance.now() < end) {
      const key = `cert/${crypto.randomUUID()}${(written += 1)}`;
      await write(key, crypto.getRandomValues(new Uint8Array(size)));
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return (count * 1000) / (performance.now() - begun);
}

/** Returns a function that writes a row with the driver alone. */
function floorOf(pool: Pool): Write {
  const text = "INSERT INTO floor (key, value) VALUES ($1, $2)";
  return (key, value) => pool.query({ name: "floor", text, values: [key, Buffer.from(value)] });
}

/**
 * Returns a function that writes rows in groups, as the store does, but with a statement for each
 * row.
 */
function rowByRow(client: PoolClient): Write {
  const text = "INSERT INTO floor (key, value) VALUES ($1, $2)";
  let waiting: (() => Promise<void>)[] = [];
  let done: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  const flush = async (previous: Promise<void>): Promise<void> => {
    await previous;
    await new Promise((resolve) => setImmediate(resolve));
    const group = waiting;
    waiting = [];
    done = undefined;
    await client.query("BEGIN");
    for (const write of group) await write();
    await client.query("COMMIT");
  };
  return (key, value) => {
    waiting.push(async () => {
      await client.query({ name: "row", text, values: [key, Buffer.from(value)] });
    });
    done ??= last = flush(last);
    return done;
  };
}

const commit =
  (store: Store): Write =>
  (key, value) =>
    store.commit({
      expect: [[key, null]],
      put: [[key, { der: value }]],
    });
/**
 * Returns a function that writes as an issuance does: a row with four indexes, and an entry in the
 * audit log.
 */
const issue =
  (store: Store): Write =>
  (key, value) =>
    store.commit({
      onlyAtEpoch: 0,
      expect: [[key, null]],
      put: [
        [
          key,
          { der: value },
          { not_after: written, name: "host.example.com", role: "web", issuer: "i" },
        ],
      ],
      log: [["audit/", { key, at: written }, 10_000]],
    });

const seconds = 1;
const rounds = 3;

/** Measures subjects in turn, so that other load on the machine affects all alike. */
async function measured(
  subjects: readonly Subject[],
  callers: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const seen = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  for (const { write } of subjects) await rate(write, callers, 0.5);
  for (let n = 0; n < rounds; n += 1)
    for (const { name, write } of n % 2 === 0 ? subjects : subjects.toReversed())
      seen.get(name)?.push(await rate(write, callers, seconds));
  return seen;
}

async function benchServer(server: PostgresServer): Promise<void> {
  const pool = administrator(server);
  await pool.query("CREATE TABLE floor (id bigserial PRIMARY KEY, key text UNIQUE, value bytea)");
  await pool.query("ALTER TABLE floor ALTER COLUMN value SET STORAGE EXTERNAL");
  const client = await pool.connect();
  const nodes = [postgresStore(server.url()), postgresStore(server.url())];
  const [one, other] = nodes.map((stores) => stores("both"));
  const alone = nodes[0]?.("alone");
  if (!one || !other || !alone) throw new TypeError("no nodes");
  let turn = 0;
  const subjects: readonly Subject[] = [
    { name: "floor", write: floorOf(pool) },
    { name: "one statement per row", write: rowByRow(client) },
    { name: "commit", write: commit(alone) },
    { name: "commit, two nodes", write: (...row) => commit((turn += 1) % 2 ? one : other)(...row) },
    { name: "issue", write: issue(alone) },
  ];
  for (const callers of [1, 8, 32, 128]) {
    const seen = await measured(subjects, callers);
    const floor = seen.get("floor") ?? [];
    figure(
      `PostgreSQL at ${callers}: the floor, one row per transaction`,
      `${round(median(floor))}/s`,
    );
    for (const [name, rates] of seen) {
      if (name === "floor") continue;
      const share = median(rates.map((value, i) => value / (floor[i] ?? Number.NaN)));
      const what = `PostgreSQL at ${callers}: ${name}, relative to the floor`;
      const detail = `${round(median(rates))}/s`;
      if (name === "commit" && callers >= 8) atLeast(what, share, 0.8, detail);
      else figure(what, `${(share * 100).toFixed(0)} % (${detail})`);
    }
  }
  client.release();
  await pool.end();
  await Promise.all(nodes.map((stores) => stores.close()));
}

/** Measures the PostgreSQL store with a server that flushes to disk. */
export async function benchPostgres(): Promise<void> {
  const [programs] = postgresPrograms();
  if (!programs) return figure("PostgreSQL", "PostgreSQL is not installed");
  const server = await startPostgres(programs, { durable: true });
  try {
    await benchServer(server);
  } finally {
    await server.stop();
  }
}
