import type { CaError } from "../base/errors.ts";
import type { PackedDone, PackedRow } from "../store/sql/packed.ts";
import { commitParameters } from "./commit-sql.ts";
import { commitValues } from "./commit-values.ts";
import type { AnswerRow, Backend } from "./connections.ts";
import { isConflict, isLost, isMissing, sqlState, statementFailure } from "./failure.ts";
import { fromBytes } from "./literals.ts";
import { locksOf, type Operations } from "./operations.ts";
import { callOf, type Database } from "./read.ts";

/**
 * Maximum number of keys that a commit locks individually: all nodes share a table of about 6,400
 * locks.
 */
const maxLocks = 256;
/** Timeout for a statement that deletes all rows of a store, in milliseconds. */
export const clearMs = 600_000;
/** Maximum number of attempts for a commit that the server rolls back. */
const maxTries = 5;

/**
 * Reports whether a commit must lock the whole store, because it increments the epoch, clears the
 * store, or has too many keys.
 */
const needsStoreLock = (group: readonly Operations[]): boolean =>
  group.some(({ epoch, clear }) => epoch === "next" || clear) || locksOf(group).size > maxLocks;

/**
 * Commits a group in one transaction with one statement, and returns the result of each batch.
 * Rejects with CaError `storage` if the commit fails, in which case no batch is applied. Also
 * rejects if the connection is lost after the statement was sent. In this case the outcome is
 * unknown, and the statement is not sent again.
 */
export async function commitGroup(
  database: Database,
  store: string,
  group: readonly Operations[],
): Promise<readonly PackedDone[]> {
  let exclusive = needsStoreLock(group);
  for (let tries = 1; ; tries += 1) {
    await database.layout.ensure();
    const outcome = await attempt(database, store, group, exclusive);
    if ("rows" in outcome) {
      if (outcome.rows[0]?.[0] !== "-1") return doneIn(outcome.rows, group);
    } else if (tries >= maxTries || !isWorthAnother(outcome.cause, exclusive))
      throw commitFailure(outcome.cause, database);
    else if (isMissing(outcome.cause)) database.layout.forget();
    // the epoch changes, or the server ran out of locks: lock the whole store instead
    if ("rows" in outcome || !isConflict(outcome.cause)) exclusive = true;
  }
}

type Outcome = { readonly rows: readonly AnswerRow[] } | { readonly cause: unknown };

async function attempt(
  { connections, schema, origin }: Database,
  store: string,
  group: readonly Operations[],
  exclusive: boolean,
): Promise<Outcome> {
  const call = callOf(schema, "commit", commitParameters.length);
  const values = commitValues({ store, origin }, group, exclusive);
  const options = group.some(({ clear }) => clear) ? { ...call, timeout: clearMs } : call;
  let sentTo: Backend | undefined;
  try {
    const rows = await connections.use((session, backend) => {
      sentTo = backend;
      return session.query(call.text, values, options);
    });
    return { rows };
  } catch (cause) {
    if (sentTo && isLost(cause)) await connections.settle(sentTo);
    return { cause };
  }
}

/**
 * Reports whether the server certainly rolled the transaction back and another attempt may succeed.
 */
const isWorthAnother = (cause: unknown, exclusive: boolean): boolean =>
  isConflict(cause) || isMissing(cause) || (sqlState(cause) === "53200" && !exclusive);

function commitFailure(cause: unknown, { connections }: Database): CaError {
  const text = isLost(cause)
    ? "the commit was sent, and may have been applied"
    : "the commit failed, and nothing was changed";
  return statementFailure(text, cause, connections.target);
}

function doneIn(rows: readonly AnswerRow[], group: readonly Operations[]): readonly PackedDone[] {
  const epochs = new Map<number, number>();
  const read = new Map<string, PackedRow>();
  for (const [batch, n, rev, value] of rows) {
    if (n === "0") epochs.set(Number(batch), Number(rev));
    else if (rev !== null && typeof value === "string")
      read.set(`${batch}/${n}`, [Number(rev), fromBytes(value)]);
  }
  return group.map(({ read: keys, hasRead }, at) => {
    const epoch = epochs.get(at + 1);
    if (epoch === undefined) return null;
    return hasRead ? [epoch, keys.map((_, n) => read.get(`${at + 1}/${n + 1}`) ?? null)] : epoch;
  });
}
