import { answerBytes } from "../store/sql/listing.ts";
import { announceStatement, encodeChanged } from "./changes-sql.ts";
import { headBytes } from "./index-value.ts";
import { functionIn, functionSettings, lockOf, nameIn } from "./names.ts";

type NameOf = (name: string) => string;

/** Returns the definitions of the SQL functions that read and drop a store. */
export function readSql(schema: string): string {
  const of = (name: string) => nameIn(schema, name);
  const by = (name: string) => functionIn(schema, name);
  return (
    [getSql, listSql, indexSql, longIndexSql, exportSql].map((sql) => sql(of, by)).join("\n") +
    dropSql(schema, of, by)
  );
}

const body = (of: NameOf, query: string): string => `
LANGUAGE plpgsql STABLE ${functionSettings} AS $read$
DECLARE
  this_store CONSTANT int4 := (SELECT s.id FROM ${of("stores")} s WHERE s.name = store_name);
BEGIN
  RETURN QUERY ${query};
END $read$;`;

/**
 * Returns an SQL condition that is true if a row fits into one response together with all rows
 * before it. The first row always fits.
 */
const isWithinLimit = (alias: string): string =>
  `(${alias}.sizes <= ${answerBytes} OR ${alias}.at = 1)`;
/**
 * Returns the columns that `isWithinLimit` requires: the total size of the rows so far and the
 * position of the row. A third column contains the number of rows.
 */
const counted = (order: string): string =>
  `sum(octet_length(r.value) + octet_length(r.key) + 32) OVER w AS sizes, row_number() OVER w AS at,
   count(*) OVER () AS total`.replaceAll(
    "OVER w",
    `OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`,
  );

/**
 * Returns the definition of the function `get`, which selects existing rows by key, each with the
 * position of its key. Rows that do not fit into the response have a NULL value.
 */
const getSql = (of: NameOf, by: NameOf): string => `
CREATE FUNCTION ${by("get")}(store_name text, keys bytea[])
RETURNS TABLE (of_key int4, of_rev int8, of_value bytea)
${body(
  of,
  `SELECT f.place::int4, f.rev, CASE WHEN ${isWithinLimit("f")} THEN f.value END FROM (
    SELECT r.*, ${counted("r.place")} FROM (
      SELECT k.place, k.key, r.rev, r.value FROM unnest(keys) WITH ORDINALITY AS k (key, place)
      CROSS JOIN LATERAL (SELECT r.rev, r.value FROM ${of("rows")} r
        WHERE r.store = this_store AND r.key = k.key LIMIT 1) r
    ) r
  ) f ORDER BY f.place`,
)}`;

/**
 * Returns the definition of a function that lists rows by key, from `low` inclusive to `high`
 * exclusive. `total` also counts rows that do not fit into the response.
 */
const listSql = (of: NameOf, by: NameOf): string => `
CREATE FUNCTION ${by("list")}(store_name text, low bytea, high bytea, most int4, valued boolean)
RETURNS TABLE (of_key bytea, of_rev int8, of_value bytea, total int8)
${body(
  of,
  `SELECT f.key, f.rev, CASE WHEN valued THEN f.value END, f.total FROM (
    SELECT r.*, ${counted("r.key")} FROM (
      SELECT r.key, r.rev, r.value FROM ${of("rows")} r
      WHERE r.store = this_store AND r.key >= low AND r.key < high ORDER BY r.key LIMIT most
    ) r
  ) f WHERE NOT valued OR ${isWithinLimit("f")} ORDER BY f.key`,
)}`;

/**
 * Returns the definition of a function that lists rows by an index, between two positions in the
 * B-tree.
 */
const indexSql = (of: NameOf, by: NameOf): string => `
CREATE FUNCTION ${by("list_index")}(store_name text, index_name text,
  low_head bytea, low_long boolean, low_key bytea,
  high_head bytea, high_long boolean, high_key bytea,
  low bytea, high bytea, most int4, valued boolean)
RETURNS TABLE (of_key bytea, of_rev int8, of_value bytea, total int8, of_head bytea, of_long boolean)
${body(
  of,
  `SELECT f.key, f.rev, CASE WHEN valued THEN f.value END, f.total, f.head, f.long FROM (
    SELECT r.*, ${counted("r.head, r.long, r.key")} FROM (
      SELECT e.head, e.long, e.key, r.rev, r.value FROM (
        SELECT e.head, e.long, e.key FROM ${of("entries")} e
        WHERE e.store = this_store AND e.name = index_name
          AND (e.head, e.long, e.key) >= (low_head, low_long, low_key)
          AND (e.head, e.long, e.key) < (high_head, high_long, high_key)
          AND e.key >= low AND e.key < high
        ORDER BY e.head, e.long, e.key LIMIT most
      ) e
      CROSS JOIN LATERAL (SELECT r.rev, r.value FROM ${of("rows")} r
        WHERE r.store = this_store AND r.key = e.key LIMIT 1) r
    ) r
  ) f WHERE NOT valued OR ${isWithinLimit("f")} ORDER BY f.head, f.long, f.key`,
)}`;

/**
 * Returns the definition of a function that lists rows by an index with values longer than the part
 * by which the B-tree sorts. It sorts all rows between the two values.
 */
const longIndexSql = (of: NameOf, by: NameOf): string => `
CREATE FUNCTION ${by("list_long")}(store_name text, index_name text,
  low_value bytea, high_value bytea, after_value bytea, after_key bytea,
  low bytea, high bytea, most int4, valued boolean)
RETURNS TABLE (of_key bytea, of_rev int8, of_value bytea, total int8, of_index bytea, of_long boolean)
${body(
  of,
  `SELECT f.key, f.rev, CASE WHEN valued THEN f.value END, f.total, f.index, true FROM (
    SELECT r.*, ${counted("r.index, r.key")} FROM (
      SELECT r.index, e.key, r.rev, r.value FROM ${of("entries")} e
      CROSS JOIN LATERAL (SELECT r.rev, r.value,
          r.index_values[array_position(r.index_names, index_name)] AS index
        FROM ${of("rows")} r WHERE r.store = this_store AND r.key = e.key LIMIT 1) r
      WHERE e.store = this_store AND e.name = index_name
        AND e.head >= substring(low_value FOR ${headBytes})
        AND e.head <= substring(high_value FOR ${headBytes})
        AND e.key >= low AND e.key < high
        AND r.index >= low_value AND r.index <= high_value
        AND (r.index, e.key) > (after_value, after_key)
      ORDER BY r.index, e.key LIMIT most
    ) r
  ) f WHERE NOT valued OR ${isWithinLimit("f")} ORDER BY f.index, f.key`,
)}`;

/**
 * Returns the definition of a function that selects rows with their index values, sorted by key.
 */
const exportSql = (of: NameOf, by: NameOf): string => `
CREATE FUNCTION ${by("export")}(store_name text, low bytea, most int4)
RETURNS TABLE (of_key bytea, of_rev int8, of_value bytea, total int8, of_indexes json)
${body(
  of,
  `SELECT f.key, f.rev, f.value, f.total,
    (SELECT json_agg(json_build_array(i.name, encode(i.value, 'hex')))
      FROM unnest(f.index_names, f.index_values) AS i (name, value))
  FROM (
    SELECT r.*, ${counted("r.key")} FROM (
      SELECT r.* FROM ${of("rows")} r
      WHERE r.store = this_store AND r.key >= low ORDER BY r.key LIMIT most
    ) r
  ) f WHERE ${isWithinLimit("f")} ORDER BY f.key`,
)}`;

const dropSql = (schema: string, of: NameOf, by: NameOf): string => `
CREATE FUNCTION ${by("drop")}(store_name text, origin text) RETURNS void
LANGUAGE plpgsql ${functionSettings} AS $drop$
DECLARE
  this_store int4;
BEGIN
  PERFORM pg_advisory_xact_lock(${lockOf(schema, "'store/' || store_name")});
  DELETE FROM ${of("stores")} s WHERE s.name = store_name RETURNING s.id INTO this_store;
  DELETE FROM ${of("entries")} e WHERE e.store = this_store;
  DELETE FROM ${of("rows")} r WHERE r.store = this_store;
  ${announceStatement(of, `'${encodeChanged()}'`)}
END $drop$;`;
