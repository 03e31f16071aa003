import { CaError } from "../base/errors.ts";
import type { ExportedRow, Index } from "../engine/ports.ts";
import { exportedAtOnce, exportLost } from "../store/batch.ts";
import { unpackExported } from "../store/sql/store.ts";
import type { AnswerRow, Session } from "./connections.ts";
import { statementFailure } from "./failure.ts";
import { decodeIndexValue } from "./index-value.ts";
import { fromBytes, fromKey, toBytes } from "./literals.ts";
import { nameIn } from "./names.ts";
import { callOf, type Database } from "./read.ts";

/**
 * Statements that begin a snapshot. The server retains old row versions as long as the snapshot
 * exists, so the snapshot ends if nothing is read from it for ten minutes.
 */
const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL idle_in_transaction_session_timeout = '10min'`;

/** Exports a store on a separate connection, as of the time when the first part is read. */
export async function* exportRows(
  database: Database,
  store: string,
  maxRows = exportedAtOnce,
): AsyncIterable<readonly ExportedRow[]> {
  const { connections, layout, schema } = database;
  await layout.ensure();
  const view = await connections.dedicated();
  const call = callOf(schema, "export", 3);
  try {
    await view.query(begin);
    const life = await lifeOf(view, database, store);
    let low = toBytes("");
    for (let more = true; more;) {
      const count = Math.min(maxRows, exportedAtOnce);
      const rows = await view.query(call.text, [store, low, count], call);
      if ((await connections.use((now) => lifeOf(now, database, store))) !== life)
        throw exportLost();
      const total = Number(rows[0]?.[3] ?? 0);
      more = rows.length < total || total === count;
      low = toBytes(`${fromKey(rows.at(-1)?.[0] ?? "")}\0`);
      yield rows.map(exportedRow);
    }
  } catch (cause) {
    throw cause instanceof CaError
      ? cause
      : statementFailure("the export was interrupted", cause, connections.target);
  } finally {
    view.close();
  }
}

/** Returns an identifier that changes if the store is cleared or dropped. */
async function lifeOf(session: Session, { schema }: Database, store: string): Promise<string> {
  const query = `SELECT id, life FROM ${nameIn(schema, "stores")} WHERE name = $1`;
  return String((await session.query(query, [store]))[0]);
}

function exportedRow([key, rev, value, , indexes]: AnswerRow): ExportedRow {
  const bytes = fromBytes(value ?? "");
  const plain = fromKey(key ?? "");
  return unpackExported(
    indexes === null || indexes === undefined
      ? [plain, Number(rev), bytes]
      : [plain, Number(rev), bytes, indexOf(JSON.parse(indexes))],
  );
}
/** Parses index values in the form in which the server sends them: names and hexadecimal bytes. */
const indexOf = (indexes: readonly (readonly [name: string, hex: string])[]): Index =>
  Object.fromEntries(
    indexes.map(([name, hex]) => [name, decodeIndexValue(Buffer.from(hex, "hex"))]),
  );
