import { announceStatement } from "./changes-sql.ts";
import { lockStatements, runStatements, storeStatements } from "./commit-statements.ts";
import { functionIn, functionSettings, jobChannel, lockOf, nameIn } from "./names.ts";

/** The SQL parameters of the `commit` function, in order, with their types. */
export const commitParameters = [
  ["store_name", "text"],
  ["exclusive", "boolean"],
  ["locks", "bytea[]"],
  ["lock_writes", "boolean[]"],
  ["runs", "int4[]"],
  ["ats", "int8[]"],
  ["epochs", "int8[]"],
  ["clears", "boolean[]"],
  ["dues", "int8[]"],
  ["expect_batch", "int4[]"],
  ["expect_key", "bytea[]"],
  ["expect_rev", "int8[]"],
  ["del_batch", "int4[]"],
  ["del_key", "bytea[]"],
  ["put_batch", "int4[]"],
  ["put_key", "bytea[]"],
  ["put_fresh", "boolean[]"],
  ["put_start", "int4[]"],
  ["put_length", "int4[]"],
  ["put_index", "int4[]"],
  ["put_indexes", "int4[]"],
  ["index_put", "int4[]"],
  ["index_name", "text[]"],
  ["index_start", "int4[]"],
  ["index_length", "int4[]"],
  ["append_batch", "int4[]"],
  ["append_prefix", "bytea[]"],
  ["append_start", "int4[]"],
  ["append_length", "int4[]"],
  ["log_batch", "int4[]"],
  ["log_prefix", "bytea[]"],
  ["log_last", "bytea[]"],
  ["log_start", "int4[]"],
  ["log_length", "int4[]"],
  ["log_keep", "int8[]"],
  ["read_batch", "int4[]"],
  ["read_n", "int4[]"],
  ["read_key", "bytea[]"],
  ["origin", "text"],
  ["changed", "text"],
  ["bytes", "bytea"],
] as const;

/**
 * Returns the SQL that creates the function `commit`, which commits a group of batches in one
 * transaction with a single round trip, so that no locks are held while the server waits for the
 * client.
 *
 * Every commit locks its store: in shared mode, or exclusively to change the epoch. It then locks
 * its keys, in the same order as all other commits, which prevents deadlocks. The locks are
 * advisory locks, which exist only in memory: a shared lock on the row with the epoch would write
 * that row with every commit, and a stream of commits would delay a change of the epoch
 * (`bench/README.md`). The revision is assigned after all locks are held, so that the revisions of
 * each row increase.
 *
 * A run is a sequence of batches that do not access each other's rows, so that each statement can
 * process all of them. The result has a row `(batch, 0, epoch)` for each applied batch, and
 * `(batch, n, rev, value)` for each row that a batch reads. A single row `(-1, 0)` means that a
 * batch would increment the epoch, which requires the exclusive lock.
 */
export function commitSql(schema: string): string {
  const of = (name: string) => nameIn(schema, name);
  const parameters = commitParameters.map(([name, type]) => `${name} ${type}`).join(", ");
  return `CREATE FUNCTION ${functionIn(schema, "commit")}(${parameters})
RETURNS TABLE (of_batch int4, of_read int4, of_rev int8, of_value bytea)
LANGUAGE plpgsql ${functionSettings} AS $commit$
DECLARE
  this_lock CONSTANT int8 := ${lockOf(schema, "'store/' || store_name")};
  this_store int4;
  this_epoch int8;
  next_epoch int8;
  new_rev int8;
  applied boolean[];
  refused int4[];
  this_run int4 := 0;
  this_batch int4 := 1;
  has_applied boolean := false;
  due int8;
  op record;
  last_page record;
  removed bytea[];
  ignored text;
BEGIN
  of_read := 0;
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'commits need the isolation level "read committed"' USING ERRCODE = '25001';
  END IF;
  ${lockStatements}
  ${storeStatements(of)}
  WHILE this_batch <= cardinality(runs) LOOP
    ${runStatements(of)}
  END LOOP;
  IF has_applied AND changed <> '' THEN
    ${announceStatement(of, "changed")}
  END IF;
  IF due IS NOT NULL THEN
    ignored := pg_notify('${jobChannel(schema)}', due::text)::text;
  END IF;
END $commit$;`;
}
