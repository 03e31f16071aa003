/**
 * The indexes of the rows in a mount's store, with the type of their values. A store creates all of
 * them together with the first: adding one to the table of a large mount later reads all its rows.
 */
export const mountIndexes = {
  not_after: "INTEGER",
  newest: "INTEGER",
  name: "TEXT",
  role: "TEXT",
  issuer: "TEXT",
  acme: "TEXT",
  revoked_end: "INTEGER",
  shard: "TEXT",
  unlisted: "INTEGER",
  lease_end: "INTEGER",
  lease_token: "TEXT",
  order_account: "TEXT",
  order_open: "TEXT",
  order_failed: "TEXT",
  order_made: "INTEGER",
  acme_end: "INTEGER",
  validation_due: "TEXT",
} as const;

/** The index values of a row in a mount's store. */
export type MountIndex = {
  readonly [K in keyof typeof mountIndexes]?: (typeof mountIndexes)[K] extends "INTEGER"
    ? number
    : string;
};
