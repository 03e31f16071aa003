import { CaError } from "../base/errors.ts";
import { decodeChanged, maxChanges } from "./changes-sql.ts";
import type { AnswerRow, Dedicated } from "./connections.ts";
import { isLost, isMissing } from "./failure.ts";
import { keepAlive } from "./lease.ts";
import { callOf, type Database } from "./read.ts";

/**
 * A listener that is called with the name of a store and its changed keys. If `keys` is absent, any
 * row may have changed.
 */
export type OnChange = (store: string, keys?: readonly string[]) => void;

/** Timeout of the query for other nodes' changes, in milliseconds. */
const answerMs = 5_000;
/**
 * Interval in milliseconds between removals of old changes. It gives other nodes time to read the
 * changes.
 */
const pruneMs = 60_000;

/** Returns the ID of the oldest transaction that was still running when a snapshot was taken. */
const xminOf = (snapshot: string): bigint => BigInt(snapshot.split(":")[0] ?? "0");

/**
 * Reader of other nodes' commits, with its own connection. A snapshot is valid only on the
 * connection that returned it, because transaction IDs may be reused after a crash or on another
 * server. Opening a new connection therefore discards everything read before.
 */
export class Follower {
  readonly #database: Database;
  readonly #stores: () => Iterable<string>;
  readonly #elapsed: () => number;
  readonly #listeners: OnChange[] = [];
  /** The query to be sent next, shared by all callers that wait for it. */
  #next: Promise<void> | undefined;
  /** The query that was sent last; resolves with true if the server responded. */
  #sent: Promise<boolean> | undefined;
  #connection: Dedicated | undefined;
  /** The latest snapshot read on the connection. */
  #seen: string | undefined;
  /**
   * An earlier snapshot and its time. After `pruneMs`, the changes by transactions that ended
   * before the snapshot are removed.
   */
  #horizon: { readonly snapshot: string; readonly at: number } | undefined;

  /**
   * Creates a follower. `stores` returns the names of all opened stores; `elapsed` returns the time
   * of a monotonic clock in milliseconds.
   */
  constructor(
    database: Database,
    stores: () => Iterable<string>,
    elapsed = (): number => performance.now(),
  ) {
    this.#database = database;
    this.#stores = stores;
    this.#elapsed = elapsed;
  }

  /** Calls `changed` for commits by other nodes; see `Stores.follow`. */
  follow(changed: OnChange): () => Promise<void> {
    this.#listeners.push(changed);
    return () => (this.#next ??= this.#catchUp());
  }

  /**
   * Sends one new query for all waiting callers. They cannot share a query that was already sent,
   * because its result may be older than their calls.
   */
  async #catchUp(): Promise<void> {
    const isUnanswered = (await this.#sent) === false;
    if (!isUnanswered) await new Promise((resolve) => setImmediate(resolve));
    this.#next = undefined;
    // the failed query has dropped all cached rows, and later callers send another query
    if (isUnanswered) return;
    const sent = (this.#sent = this.#ask());
    await sent;
    if (this.#sent === sent) this.#sent = undefined;
  }

  /**
   * Queries the database for changes. Resolves with false if the query fails. Callers then read
   * from the database, which fails if it is unreachable.
   */
  async #ask(): Promise<boolean> {
    const { connections, layout } = this.#database;
    try {
      this.#receive(await this.#answer());
      connections.refuse(undefined);
      return true;
    } catch (cause) {
      this.#disconnect();
      this.#forgetAll();
      if (isMissing(cause)) layout.forget();
      const isUnreachable = cause instanceof CaError && cause.cause && isLost(cause.cause);
      connections.refuse(isUnreachable ? cause : undefined);
      return false;
    }
  }

  /** Returns the result of the query. Replaces a lost connection once. */
  async #answer(): Promise<readonly AnswerRow[]> {
    if (this.#connection)
      try {
        return await this.#askOn(this.#connection);
      } catch (cause) {
        if (!isLost(cause)) throw cause;
        this.#disconnect();
      }
    return this.#askOn(await this.#connect());
  }

  async #askOn({ client, query }: Dedicated): Promise<readonly AnswerRow[]> {
    const { schema, origin } = this.#database;
    const call = callOf(schema, "changed", 2);
    // the connection keeps the process alive only during a query
    client.ref?.();
    const rows = await query(call.text, [this.#seen ?? null, origin], {
      ...call,
      timeout: answerMs,
    });
    client.unref?.();
    return rows;
  }

  async #connect(): Promise<Dedicated> {
    const { connections, layout, schema } = this.#database;
    await layout.ensure();
    const connection = await connections.dedicated();
    this.#connection = connection;
    await keepAlive(connection);
    await connection.query(callOf(schema, "prune", 1).text, ["0"]);
    return connection;
  }
  #disconnect(): void {
    this.#connection?.close();
    this.#connection = this.#seen = this.#horizon = undefined;
  }

  #receive(rows: readonly AnswerRow[]): void {
    const [snapshot, prunedBelow] = rows[0] ?? [];
    if (typeof snapshot !== "string") throw new TypeError("the server returned no snapshot");
    const previous = this.#seen;
    this.#seen = snapshot;
    const isBehind = previous === undefined || BigInt(prunedBelow ?? 0) > xminOf(previous);
    if (isBehind || rows.length >= maxChanges) this.#forgetAll();
    else
      for (const [, , store, keys] of rows)
        if (typeof store === "string" && typeof keys === "string")
          this.#notify(store, decodeChanged(keys));
    this.#prune(snapshot);
  }
  #notify(store: string, keys?: readonly string[]): void {
    for (const changed of this.#listeners) changed(store, keys);
  }
  #forgetAll(): void {
    for (const store of this.#stores()) this.#notify(store);
  }

  /** Removes the changes by transactions that ended at least `pruneMs` ago. */
  #prune(snapshot: string): void {
    const now = this.#elapsed();
    const horizon = (this.#horizon ??= { snapshot, at: now });
    if (now - horizon.at < pruneMs) return;
    this.#horizon = { snapshot, at: now };
    const { connections, schema } = this.#database;
    const below = String(xminOf(horizon.snapshot));
    connections
      .use((session) => session.query(callOf(schema, "prune", 1).text, [below]))
      // if this fails, the next call removes the same changes
      .catch(() => undefined);
  }
}
