import { memoize } from "../../base/memo.ts";
import type { Row } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { acmeBelow, type AccountRow } from "../rows/records.ts";

/** An account as it was read. */
export interface Account extends AccountRow {
  readonly id: string;
  readonly rev: number;
}

/** Anybody may make accounts, and orders: few are held. */
const maxCached = 1000;
/**
 * Valid accounts as they were read last, by their ids, for as long as one configuration is held.
 * Whatever rests on one expects its revision, and is judged anew where that is another one by now:
 * until then nobody is answered, and nobody refused.
 */
const held = memoize((_config: Snapshot) => new Map<string, Account>());

/** The account of an id, as it was read last. */
export const cachedAccount = (config: Snapshot, id: string): Account | undefined =>
  held(config).get(id);

/** Holds an account for the next request, unless it may do nothing any more. */
export function cacheAccount(config: Snapshot, account: Account): void {
  const accounts = held(config);
  if (account.status !== "valid") return void accounts.delete(account.id);
  if (accounts.size >= maxCached) accounts.clear();
  accounts.set(account.id, account);
}

type Rows = readonly (Row | undefined)[];
/** Rows that most requests change which have read them, as they were read last. */
const rowsHeld = memoize((_config: Snapshot) => new Map<string, Row>());
const isHeld = (key: string): boolean =>
  key.startsWith(acmeBelow.orders) || key.startsWith(acmeBelow.authorizations);

/** All rows of some keys, as they were read last; undefined where one of them is not held. */
export function cachedRows(config: Snapshot, keys: readonly string[]): readonly Row[] | undefined {
  const rows = rowsHeld(config);
  const found = keys.flatMap((key) => rows.get(key) ?? []);
  return found.length === keys.length ? found : undefined;
}
/** Holds rows for the next request. */
export function holdRows(config: Snapshot, keys: readonly string[], read: Rows): void {
  const rows = rowsHeld(config);
  if (rows.size + keys.length > maxCached) rows.clear();
  for (const [at, key] of keys.entries()) {
    const row = read[at];
    if (row && isHeld(key)) rows.set(key, row);
    else rows.delete(key);
  }
}
/** Holds rows no more that a request has changed. */
export function dropCachedRows(config: Snapshot, keys: readonly string[]): void {
  const rows = rowsHeld(config);
  for (const key of keys) rows.delete(key);
}
