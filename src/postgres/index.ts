import { rejectUnknownOptions } from "../base/reject-unknown-options.ts";
import type { Store, Stores } from "../engine/ports.ts";
import { storeOf } from "../store/sql/store.ts";
import { clearMs, commitGroup } from "./commit.ts";
import { connectionsOf } from "./connections.ts";
import { exportRows } from "./export.ts";
import { statementFailure } from "./failure.ts";
import { Follower, type OnChange } from "./follow.ts";
import { groupCommit } from "./group.ts";
import { layoutOf } from "./layout.ts";
import { acquireLease, watchDueJobs, type Lease } from "./lease.ts";
import { list } from "./listing.ts";
import { fromBytes, toBytesArray } from "./literals.ts";
import { operationsOf } from "./operations.ts";
import type { PostgresPool } from "./pool.ts";
import { callOf, read, type Database } from "./read.ts";

export type { Lease } from "./lease.ts";
export type { PostgresClient, PostgresPool, PostgresStatement } from "./pool.ts";

/** The stores in a PostgreSQL database, which any number of nodes can share. */
export interface PostgresStores extends Stores {
  /** Always true, because the rows are still there after the process exits. */
  readonly durable: true;
  /**
   * Follows commits by other nodes; see `Stores.follow`. Calls that wait at the same time share a
   * query.
   */
  follow(changed: OnChange): () => Promise<void>;
  /**
   * Makes this node the leader for a task, such as running jobs. Resolves with undefined if another
   * node is the leader. The lease ends with its connection, at most 30 seconds after the node stops
   * responding.
   */
  lead(name: string): Promise<Lease | undefined>;
  /**
   * Calls `call` with the due time of a job (Unix ms) after any node, including this one, has
   * committed the job. Also calls it with the current time whenever it starts listening, including
   * after a lost connection, because jobs may have been committed in the meantime. Returns a
   * function that ends the watch.
   */
  watch(call: (due: number) => void): () => void;
  /**
   * Ends all leases and watches, and closes the connections after their current queries. If the
   * caller provided a pool, it stays open.
   */
  close(): Promise<void>;
}
/** Options of `postgresStore`. */
export interface PostgresOptions {
  /**
   * Name of the schema for the tables, `sealwright` by default. The schema is created if it is
   * missing.
   */
  readonly schema?: string;
  /** Maximum number of connections if a URL is used: at least 5, by default 10. */
  readonly connections?: number;
}

const defaultSchema = "sealwright";
const schemaForm = /^[a-z_][a-z0-9_]{0,47}$/;
const knownOptions: Readonly<Record<keyof PostgresOptions, true>> = {
  schema: true,
  connections: true,
};

/**
 * Returns the stores in a PostgreSQL database (14 or later), accessed with `pg` through a URL or
 * the caller's own pool. All stores are in one schema, whose tables are created on first use. Any
 * number of nodes can share the schema, and each of them commits and reads independently. A commit
 * is on the server's disk when it is acknowledged. Calls reject with CaError `storage` if the
 * database fails. If the connection is lost during a commit, a later read shows the outcome. Throws
 * TypeError if the URL or an option is invalid.
 */
export function postgresStore(
  database: string | PostgresPool,
  options: PostgresOptions = {},
): PostgresStores {
  rejectUnknownOptions("postgresStore", options, knownOptions);
  const { schema = defaultSchema } = options;
  if (!schemaForm.test(schema))
    throw new TypeError(
      `a schema name must consist of 1 to 48 characters from a-z, 0-9 and _, but is ${JSON.stringify(schema)}`,
    );
  const connections = connectionsOf(database, options.connections);
  const layout = layoutOf(connections, schema);
  const shared = { connections, layout, schema, origin: crypto.randomUUID() };
  const stores = new Map<string, Store>();
  const follower = new Follower(shared, () => stores.keys());
  const watches = new Set<() => void>();
  const open = (name: string): Store => {
    const opened = stores.get(name);
    if (opened) return opened;
    const store = storeIn(shared, name);
    stores.set(name, store);
    return store;
  };
  return Object.assign(open, {
    durable: true as const,
    follow: (changed: OnChange) => follower.follow(changed),
    lead: (name: string) => acquireLease(connections, schema, name),
    watch(call: (due: number) => void) {
      const stop = watchDueJobs(connections, schema, call);
      watches.add(stop);
      return () => {
        watches.delete(stop);
        stop();
      };
    },
    size: () => sizeOf(shared),
    async close() {
      for (const stop of watches) stop();
      await connections.close();
    },
  });
}

/** Returns the disk space that the tables and indexes of all stores use, in bytes. */
async function sizeOf({ connections, layout, schema }: Database): Promise<number> {
  await layout.ensure();
  const query = `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::text FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`;
  const [row] = await connections.use((session) => session.query(query, [schema]));
  return Number(row?.[0]);
}

function storeIn(database: Database, name: string): Store {
  // the server's text type does not support these characters
  if (/[\0\p{Surrogate}]/u.test(name))
    throw new TypeError(
      `the name of a store must not contain NUL or unpaired surrogates, but is ${JSON.stringify(name)}`,
    );
  const commit = groupCommit((group) => commitGroup(database, name, group));
  return {
    ...storeOf({
      get: (keys) => get(database, name, keys),
      list: (prefix, page) => list(database, name, prefix, page),
      commit: (batch) => commit(operationsOf(batch)),
      drop: () => drop(database, name),
    }),
    export: (maxRows) => exportRows(database, name, maxRows),
  };
}

/** Returns the requested rows in order, at least one, and no more than fit into one response. */
async function get(database: Database, store: string, keys: readonly string[]) {
  const requested = [...keys];
  const rows = await read(database, "get", [store, toBytesArray(requested)]);
  const stored = new Map(rows.map(([place, rev, value]) => [Number(place), { rev, value }]));
  const end = [...stored].find(([, { value }]) => value === null)?.[0] ?? requested.length + 1;
  return requested.slice(0, end - 1).map((_, at) => {
    const row = stored.get(at + 1);
    return row ? ([Number(row.rev), fromBytes(row.value ?? "")] as const) : null;
  });
}

async function drop(database: Database, store: string): Promise<void> {
  const { connections, layout, schema, origin } = database;
  await layout.ensure();
  const { text } = callOf(schema, "drop", 2);
  try {
    await connections.use((session) => session.query(text, [store, origin], { timeout: clearMs }));
  } catch (cause) {
    throw statementFailure(
      "dropping the store failed, or its outcome is unknown",
      cause,
      connections.target,
    );
  }
}
