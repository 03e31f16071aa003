import { pause } from "../base/event-loop.ts";
import type { Connections, Dedicated } from "./connections.ts";
import { statementFailure } from "./failure.ts";
import { jobChannel, lockOf } from "./names.ts";

/** A lease that makes a node the leader for a task until its connection ends. */
export interface Lease {
  /** Resolves when the lease is lost or released. */
  readonly lost: Promise<void>;
  /** Releases the lease, so that another node can acquire it immediately. */
  release(): Promise<void>;
}

/** Interval between heartbeats of a connection, and timeout of a heartbeat, in ms. */
const [beatMs, beatAnswerMs] = [5_000, 10_000];
/**
 * Settings of a connection that stays open. The server closes the connection if the node is silent
 * for 30 seconds, for example because the network is down or the process is stopped.
 */
const settings = `SELECT set_config('idle_session_timeout', '30s', false),
  set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
  set_config('tcp_keepalives_count', '3', false)`;

/** Keeps a connection alive, and closes it if the server does not respond. */
export async function keepAlive(connection: Dedicated): Promise<void> {
  await connection.query(settings);
  const beat = setInterval(() => {
    connection.query("SELECT 1", [], { timeout: beatAnswerMs }).catch(() => connection.close());
  }, beatMs);
  beat.unref();
  void connection.ended.then(() => clearInterval(beat));
}

/** Acquires the lease for a task. Resolves with undefined if another node has it. */
export async function acquireLease(
  connections: Connections,
  schema: string,
  name: string,
): Promise<Lease | undefined> {
  const connection = await connections.dedicated();
  try {
    const lock = lockOf(schema, "'lead/' || $1");
    const [row] = await connection.query(`SELECT pg_try_advisory_lock(${lock})`, [name]);
    if (row?.[0] !== "t") {
      connection.putBack();
      return undefined;
    }
    await keepAlive(connection);
  } catch (cause) {
    connection.close();
    throw statementFailure("the lease cannot be acquired", cause, connections.target);
  }
  return {
    lost: connection.ended,
    async release() {
      // unlocks immediately, rather than when the server notices that the connection has ended
      await connection.query("SELECT pg_advisory_unlock_all()").catch(() => undefined);
      connection.close();
    },
  };
}

/** Maximum delay before the next connection attempt, in milliseconds. */
const maxWaitMs = 5_000;

/**
 * Calls `call` with the due time of each job that any node commits. Also calls it with the current
 * time whenever it starts listening, including after a lost connection, because jobs may have been
 * committed in the meantime. Returns a function that ends the watch.
 */
export function watchDueJobs(
  connections: Connections,
  schema: string,
  call: (due: number) => void,
): () => void {
  let stopped = false;
  let connection: Dedicated | undefined;
  const listen = async (): Promise<void> => {
    connection = await connections.dedicated();
    connection.client.on("notification", ({ payload }) => {
      if (!stopped) call(Number(payload));
    });
    try {
      await connection.query(`LISTEN "${jobChannel(schema)}"`);
      await keepAlive(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
  };
  const run = async (): Promise<void> => {
    let wait = 0;
    while (!stopped) {
      try {
        await listen();
        if (stopped) return connection?.close();
        call(Date.now());
        wait = 0;
        await connection?.ended;
      } catch {
        wait = Math.min(Math.max(wait * 2, 100), maxWaitMs);
        await pause(wait);
      }
    }
  };
  void run();
  return () => {
    stopped = true;
    connection?.close();
  };
}
