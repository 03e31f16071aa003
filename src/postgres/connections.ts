import { CaError } from "../base/errors.ts";
import type { StatementValue } from "./commit-values.ts";
import { connectFailure, isLost, type Target } from "./failure.ts";
import { openPool } from "./open-pool.ts";
import type { PostgresClient, PostgresPool } from "./pool.ts";

/** A row of a result, with each value in the text format that the server sends. */
export type AnswerRow = readonly (string | null)[];

/** A connection that runs statements. The server caches the plan of a named statement. */
export interface Session {
  query(
    text: string,
    values?: readonly StatementValue[],
    options?: QueryOptions,
  ): Promise<readonly AnswerRow[]>;
}
/** The server process that serves a connection. */
export interface Backend {
  readonly pid: string;
  /** Start time of the process, because a later process may get the same process ID. */
  readonly start: string;
}
/** Options of a statement. */
interface QueryOptions {
  readonly name?: string;
  /** Timeout in milliseconds, 30,000 by default. */
  readonly timeout?: number;
}
/** A connection that stays out of the pool until it is closed or put back. */
export interface Dedicated extends Session {
  readonly client: PostgresClient;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  /** Closes the connection. Further calls have no effect. */
  close(): void;
  /** Returns the connection to the pool; its settings must be unchanged. */
  putBack(): void;
}
/** The connections of one database. */
export interface Connections {
  readonly target: Target;
  /**
   * Runs statements on a connection from the pool, and removes the connection from the pool if it
   * was lost.
   */
  use<T>(work: (session: Session, backend: Backend) => Promise<T>): Promise<T>;
  /**
   * Terminates the server process of a lost connection, if the server can be reached. A later read
   * then shows whether the statement in progress took effect.
   */
  settle(backend: Backend): Promise<void>;
  /**
   * Makes `use` reject immediately with a failure for five seconds, so that an unresponsive server
   * does not delay each caller until the timeout. If `failure` is undefined, `use` works again.
   */
  refuse(failure: CaError | undefined): void;
  dedicated(): Promise<Dedicated>;
  close(): Promise<void>;
}

/** Default timeout of a statement in milliseconds. */
const answerMs = 30_000;
/** Time in milliseconds during which calls fail without trying to reach an unreachable server. */
const refuseMs = 5_000;

/**
 * Statement that sets up a connection: commits are on disk when they are acknowledged, each
 * statement sees everything that was committed before it, and bytes are sent in the format that
 * this code parses.
 */
const settings = `SELECT set_config('default_transaction_isolation', 'read committed', false),
  set_config('bytea_output', 'hex', false),
  CASE current_setting('synchronous_commit') WHEN 'off'
    THEN set_config('synchronous_commit', 'on', false) END,
  a.pid, a.backend_start FROM pg_stat_activity a WHERE a.pid = pg_backend_pid()`;
const terminate = `SELECT pg_terminate_backend(a.pid, 5000) FROM pg_stat_activity a
  WHERE a.pid = $1 AND a.backend_start = $2`;

const plain = { getTypeParser: () => (value: unknown) => value };

function sessionOf(client: PostgresClient): Session {
  return {
    async query(text, values = [], { name, timeout = answerMs } = {}) {
      const statement = {
        text,
        values: [...values],
        rowMode: "array" as const,
        types: plain,
        query_timeout: timeout,
        ...(name === undefined ? {} : { name }),
      };
      // all values are strings, because `plain` parses nothing
      return (await client.query(statement)).rows as (string | null)[][];
    },
  };
}

/**
 * Connects to a URL with at most `maxConnections` connections, or uses the caller's pool, which
 * `close` leaves open.
 */
export function connectionsOf(
  database: string | PostgresPool,
  maxConnections?: number,
): Connections {
  const { pool, target } = openPool(database, maxConnections);
  const connect = connecting(pool, target);
  let closed = false;
  let refused: { readonly failure: CaError; readonly until: number } | undefined;
  const open = async (): Promise<Connected> => {
    if (closed) throw new CaError("storage", "the stores were closed");
    return connect();
  };
  const dedicated = dedicating(pool, open);
  const use: Connections["use"] = async (work) => {
    if (refused && !closed && performance.now() < refused.until) throw refused.failure;
    const { client, backend } = await open();
    let lost = false;
    try {
      return await work(sessionOf(client), backend);
    } catch (error) {
      lost = isLost(error);
      throw error;
    } finally {
      client.release(lost);
    }
  };
  return {
    target,
    use,
    settle: ({ pid, start }) =>
      use((session) => session.query(terminate, [pid, start])).then(
        () => undefined,
        () => undefined,
      ),
    refuse: (failure) =>
      void (refused = failure && { failure, until: performance.now() + refuseMs }),
    dedicated: dedicated.take,
    async close() {
      closed = true;
      dedicated.close();
      if (pool !== database) await pool.end();
    },
  };
}

/**
 * Returns functions that take connections out of a pool, and close all connections that were taken.
 */
function dedicating(pool: PostgresPool, open: () => Promise<Connected>) {
  const all = new Set<Dedicated>();
  let used = 0;
  const back = (): void => void (used -= 1);
  return {
    async take(): Promise<Dedicated> {
      // one connection is left for commits and reads, which are also needed during exports
      if (used >= pool.options.max - 1) throw allBusy(pool);
      used += 1;
      const { client } = await open().catch((error: unknown) => (back(), Promise.reject(error)));
      const connection = dedicatedOf(client);
      all.add(connection);
      void connection.ended.then(() => {
        all.delete(connection);
        back();
      });
      return connection;
    },
    close(): void {
      for (const connection of all) connection.close();
    },
  };
}

const allBusy = ({ options: { max } }: PostgresPool): CaError =>
  new CaError(
    "storage",
    `leases, watches, exports and the change listener hold all but one of the pool's ${max} PostgreSQL connections; use a larger pool or retry later`,
  );

interface Connected {
  readonly client: PostgresClient;
  readonly backend: Backend;
}
/**
 * Returns a function that takes a connection out of a pool and sets it up. The function rejects
 * with CaError `storage` if it cannot connect.
 */
function connecting(pool: PostgresPool, target: Target): () => Promise<Connected> {
  const backends = new WeakMap<PostgresClient, Backend>();
  const listening = new WeakSet<PostgresClient>();
  // the pool removes lost connections by itself, but without a listener the process would exit
  pool.on("error", () => undefined);
  pool.on("acquire", (client) => {
    if (!listening.has(client)) client.on("error", () => undefined);
    listening.add(client);
  });
  return async () => {
    let client: PostgresClient | undefined;
    try {
      client = await pool.connect();
      const prepared = backends.get(client);
      if (prepared) return { client, backend: prepared };
      const [row] = await sessionOf(client).query(settings);
      const backend = { pid: row?.[3] ?? "", start: row?.[4] ?? "" };
      backends.set(client, backend);
      return { client, backend };
    } catch (cause) {
      client?.release(true);
      throw connectFailure(cause, target);
    }
  };
}

function dedicatedOf(client: PostgresClient): Dedicated {
  let end = (_isLost: boolean): void => undefined;
  const close = (): void => end(true);
  const ended = new Promise<void>((resolve) => {
    let open = true;
    end = (isLost) => {
      if (!open) return;
      open = false;
      for (const event of ["error", "end"]) client.off(event, close);
      client.release(isLost);
      resolve();
    };
  });
  client.on("error", close);
  client.on("end", close);
  return { ...sessionOf(client), client, ended, close, putBack: () => end(false) };
}
