import { functionIn, functionSettings, nameIn } from "./names.ts";

type NameOf = (name: string) => string;

/**
 * Maximum number of changes per response. A node that has missed more changes drops its whole
 * cache.
 */
export const maxChanges = 256;
/** Maximum number of keys that are recorded per change. */
const maxKeys = 1000;
/** String that represents all keys. */
const anyKeys = "*";
/** Name of the row in `meta` with the transaction ID below which changes were removed. */
const pruned = "pruned";

/** Encodes the keys of changed rows. If `keys` is absent, any row may have changed. */
export const encodeChanged = (keys?: readonly string[]): string =>
  keys && keys.length <= maxKeys ? JSON.stringify(keys) : anyKeys;

/** Decodes the result of `encodeChanged`. Returns undefined if any row may have changed. */
export const decodeChanged = (text: string): readonly string[] | undefined =>
  // only encodeChanged writes these strings
  text === anyKeys ? undefined : (JSON.parse(text) as readonly string[]);

/** Returns the statement that notifies other nodes of the rows that a transaction changes. */
export const announceStatement = (of: NameOf, keys: string): string =>
  `INSERT INTO ${of("changes")} (xid, origin, store, keys)
    VALUES (pg_current_xact_id(), origin, store_name, ${keys});`;

/**
 * Returns the statements that create the table of changes, and the functions that read and prune
 * it.
 *
 * Each commit adds a row, so that commits do not wait for each other. A node queries the rows of
 * transactions that were not visible in its last snapshot. The table is UNLOGGED: it is empty after
 * a crash of the server, but then all connections have also ended, so each node drops its cache. Up
 * to 8 kB of keys are stored uncompressed in the row itself.
 */
export function changesSql(schema: string): string {
  const of = (name: string) => nameIn(schema, name);
  const by = (name: string) => functionIn(schema, name);
  return `
    CREATE UNLOGGED TABLE ${of("changes")} (
      xid xid8 NOT NULL,
      origin text NOT NULL,
      store text NOT NULL,
      keys text NOT NULL
    ) WITH (toast_tuple_target = 8160);
    ALTER TABLE ${of("changes")} ALTER COLUMN keys SET STORAGE EXTERNAL;
    CREATE INDEX changes_xid ON ${of("changes")} (xid);
    INSERT INTO ${of("meta")} (name, value) VALUES ('${pruned}', '0');
    ${changedSql(of, by)}
    ${pruneSql(of, by)}`;
}

/**
 * Returns the SQL that creates the function `changed`, which selects the changes by other nodes
 * since the snapshot `seen`, or none if `seen` is null.
 */
const changedSql = (of: NameOf, by: NameOf): string => `
CREATE FUNCTION ${by("changed")}(seen pg_snapshot, own text)
RETURNS TABLE (now text, pruned_below text, of_store text, of_keys text)
LANGUAGE plpgsql STABLE ${functionSettings} AS $changed$
BEGIN
  RETURN QUERY SELECT pg_current_snapshot()::text,
    (SELECT m.value FROM ${of("meta")} m WHERE m.name = '${pruned}'), c.store, c.keys
  FROM (VALUES (1)) AS one
  LEFT JOIN LATERAL (SELECT c.store, c.keys FROM ${of("changes")} c
    WHERE c.xid >= pg_snapshot_xmin(seen) AND NOT pg_visible_in_snapshot(c.xid, seen)
      AND c.origin <> own
    ORDER BY c.xid LIMIT ${maxChanges}) c ON true;
END $changed$;`;

/**
 * Returns the SQL that creates the function `prune`, which removes the changes by transactions
 * before `below`, and records `below`. It also removes changes with transaction IDs that this
 * server has not assigned yet, which were copied from another server.
 */
const pruneSql = (of: NameOf, by: NameOf): string => `
CREATE FUNCTION ${by("prune")}(below xid8) RETURNS void
LANGUAGE plpgsql ${functionSettings} AS $prune$
BEGIN
  DELETE FROM ${of("changes")} c WHERE c.xid < below
    OR c.xid >= pg_snapshot_xmax(pg_current_snapshot());
  UPDATE ${of("meta")} m SET value = below::text WHERE m.name = '${pruned}'
    AND (m.value::xid8 < below OR m.value::xid8 >= pg_snapshot_xmax(pg_current_snapshot()));
END $prune$;`;
