import { CaError } from "../base/errors.ts";
import type { StatementValue } from "./commit-values.ts";
import { connectFailure, isLost, type Target } from "./failure.ts";
import { openPool } from "./open-pool.ts";
import type { PostgresClient, PostgresPool } from "./pool.ts";

/** A row of an answer: text as the server sends it. */
export type AnswerRow = readonly (string | null)[];

/** Runs one statement. If it has a name, the server caches its plan. */
export interface Session {
  query(
    text: string,
    values?: readonly StatementValue[],
    options?: QueryOptions,
  ): Promise<readonly AnswerRow[]>;
}
/** A server process, which serves one connection. */
export interface Backend {
  readonly pid: string;
  /** Start time, because another process may get the same number. */
  readonly start: string;
}
/** Options of a statement. */
interface QueryOptions {
  readonly name?: string;
  /** Milliseconds, 30,000 by default. */
  readonly timeout?: number;
}
/** A connection that is out of the pool until it is closed. */
export interface Dedicated extends Session {
  readonly client: PostgresClient;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  /** Ends the connection. Further calls have no effect. */
  close(): void;
  /** Returns the connection to the pool, unchanged. */
  putBack(): void;
}
/** The connections of one database. */
export interface Connections {
  readonly target: Target;
  /** Runs statements on a connection of the pool, which is removed from the pool if it was lost. */
  use<T>(work: (session: Session, backend: Backend) => Promise<T>): Promise<T>;
  /**
   * Ends what a lost connection may still be doing, if the server can be reached; then a read shows
   * whether it was done.
   */
  settle(backend: Backend): Promise<void>;
  /**
   * Makes `use` reject immediately with a failure, for five seconds, or no longer if undefined.
   * Otherwise an unresponsive server would delay each caller until its timeout.
   */
  refuse(failure: CaError | undefined): void;
  dedicated(): Promise<Dedicated>;
  close(): Promise<void>;
}

/** Timeout of an answer in milliseconds. */
const answerMs = 30_000;
/** Milliseconds for which callers do not retry an unreachable server. */
const refuseMs = 5_000;

/**
 * Settings of a connection: commits are on disk when they are acknowledged, each statement sees
 * everything committed before it, and bytes are sent in the form that this code parses.
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
      // texts only, because `plain` parses nothing
      return (await client.query(statement)).rows as (string | null)[][];
    },
  };
}

/**
 * Opens at most `maxConnections` connections to a URL, or uses the caller's pool, which stays open.
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

/** Takes connections out of a pool; `close` closes all of them. */
function dedicating(pool: PostgresPool, open: () => Promise<Connected>) {
  const all = new Set<Dedicated>();
  let used = 0;
  const back = (): void => void (used -= 1);
  return {
    async take(): Promise<Dedicated> {
      // one connection is left for commits and reads, for which an export also waits
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
    `leases, watches, exports and following other nodes have taken all but one of the ${max} connections of the pool`,
  );

interface Connected {
  readonly client: PostgresClient;
  readonly backend: Backend;
}
/** Takes connections out of a pool, each with its settings. Rejects with CaError `storage`. */
function connecting(pool: PostgresPool, target: Target): () => Promise<Connected> {
  const backends = new WeakMap<PostgresClient, Backend>();
  const listening = new WeakSet<PostgresClient>();
  // lost connections leave the pool; without a listener, the process would exit
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
