import { CaError } from "../base/errors.ts";
import { NewerFormatError } from "../base/newer-format.ts";
import type { AnswerRow, Connections, Session } from "./connections.ts";
import { isMissing, sqlState, statementFailure } from "./failure.ts";
import { layoutSql } from "./layout-sql.ts";
import { layoutNumber, lockOf, nameIn } from "./names.ts";

/** First version of Sealwright that can read this layout. */
const version = "0.3.0";
/**
 * For each layout, the statements that migrate it to the next. The first element creates a layout
 * in an empty schema.
 */
const steps: readonly ((schema: string) => string)[] = [layoutSql];
/** The minimum supported PostgreSQL version, as in `server_version_num`. */
const minServer = 140_000;

/** The layout of the tables for all stores. */
export interface Layout {
  /**
   * Creates or migrates the tables, unless an earlier call has done so. Rejects with CaError
   * `storage` if that fails.
   */
  ensure(): Promise<void>;
  /** Makes the next call of `ensure` check the tables again. */
  forget(): void;
}

/** Returns the layout of the tables in a schema. */
export function layoutOf(connections: Connections, schema: string): Layout {
  let ready: Promise<void> | undefined;
  return {
    ensure: () =>
      (ready ??= connections
        .use((session) => migrateLayout(session, schema))
        .catch((cause: unknown) => {
          ready = undefined;
          throw layoutFailure(cause, schema, connections);
        })),
    forget: () => void (ready = undefined),
  };
}

async function migrateLayout(session: Session, schema: string): Promise<void> {
  if ((await readLayout(session, schema)) === layoutNumber) return;
  await checkServer(session);
  await session.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  try {
    // if several nodes start at the same time, one changes the tables and the others wait
    await session.query(`SELECT pg_advisory_xact_lock(${lockOf(schema, "'layout'")})`);
    const schemas = await session.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
    // a user without the right to create schemas gets an error from IF NOT EXISTS even if the
    // schema exists
    if (schemas.length === 0) await session.query(`CREATE SCHEMA "${schema}"`);
    const number = await readLayoutInside(session, schema);
    for (const step of steps.slice(number)) await session.query(step(schema));
    if (number < layoutNumber) await writeLayout(session, schema);
    await session.query("COMMIT");
  } catch (error) {
    await session.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

async function checkServer(session: Session): Promise<void> {
  const [row] = await session.query(
    "SELECT current_setting('server_version_num'), current_setting('server_version')",
  );
  if (Number(row?.[0]) < minServer)
    throw new CaError("storage", `PostgreSQL 14 or later is required; this is ${row?.[1]}`);
}

/**
 * Reads the number of the layout, which is 0 if there are no tables. Throws {@link
 * NewerFormatError} if this version does not support the layout.
 */
async function readLayout(session: Session, schema: string): Promise<number> {
  const query = `SELECT name, value FROM ${nameIn(schema, "meta")}`;
  return session.query(query).then(layoutIn, (error: unknown) => {
    if (isMissing(error)) return 0;
    throw error;
  });
}
/** Reads the number of the layout inside a transaction, in which no statement may fail. */
async function readLayoutInside(session: Session, schema: string): Promise<number> {
  const [row] = await session.query("SELECT to_regclass($1)", [nameIn(schema, "meta")]);
  return row?.[0] === null ? 0 : readLayout(session, schema);
}
function layoutIn(rows: readonly AnswerRow[]): number {
  const facts = Object.fromEntries(rows);
  const number = Number(facts["layout"] ?? 0);
  if (number <= layoutNumber) return number;
  const needed = facts["version"];
  throw new NewerFormatError(needed ? { number, version: needed } : { number });
}
async function writeLayout(session: Session, schema: string): Promise<void> {
  await session.query(
    `INSERT INTO ${nameIn(schema, "meta")} (name, value) VALUES ('layout', $1), ('version', $2)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [String(layoutNumber), version],
  );
}

function layoutFailure(cause: unknown, schema: string, { target }: Connections): CaError {
  const { user, database } = target;
  if (sqlState(cause) === "42501")
    return new CaError(
      "storage",
      `the user "${user}" is not allowed to create or use the schema "${schema}" in the database "${database}"`,
      { cause },
    );
  return statementFailure("the tables cannot be opened", cause, target);
}
