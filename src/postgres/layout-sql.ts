import { changesSql } from "./changes-sql.ts";
import { commitSql } from "./commit-sql.ts";
import { nameIn } from "./names.ts";
import { readSql } from "./read-sql.ts";

/**
 * Returns the statements that create the tables and functions in an empty schema.
 *
 * Keys have the `bytea` type, which, unlike `text`, may contain NUL and is sorted by bytes. Values
 * are not compressed (EXTERNAL), because DER hardly compresses, and each append would compress the
 * whole page again. `entries` has a row for each index value, in the order of listings; long values
 * are complete only in `rows.index_values`.
 */
export function layoutSql(schema: string): string {
  const of = (name: string) => nameIn(schema, name);
  return `
    CREATE TABLE ${of("meta")} (name text PRIMARY KEY, value text NOT NULL);
    CREATE SEQUENCE ${of("revisions")};
    CREATE TABLE ${of("stores")} (
      id int4 PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
      name text COLLATE "C" NOT NULL UNIQUE,
      epoch int8 NOT NULL,
      life int8 NOT NULL
    );
    CREATE TABLE ${of("rows")} (
      store int4 NOT NULL,
      key bytea NOT NULL,
      rev int8 NOT NULL,
      value bytea NOT NULL,
      index_names text[] COLLATE "C",
      index_values bytea[],
      PRIMARY KEY (store, key)
    );
    ALTER TABLE ${of("rows")} ALTER COLUMN value SET STORAGE EXTERNAL;
    CREATE TABLE ${of("entries")} (
      store int4 NOT NULL,
      name text COLLATE "C" NOT NULL,
      head bytea NOT NULL,
      long boolean NOT NULL,
      key bytea NOT NULL,
      PRIMARY KEY (store, name, head, long, key)
    );
    ${changesSql(schema)}
    ${commitSql(schema)}
    ${readSql(schema)}`;
}
