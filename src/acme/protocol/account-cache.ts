import { memoize } from "../../base/memo.ts";
import type { Row } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { acmeBelow } from "../rows/prefixes.ts";
import { type AccountRow } from "../rows/records.ts";

/** An account row with its ID and revision. */
export interface Account extends AccountRow {
  readonly id: string;
  readonly rev: number;
}

/** Maximum number of entries per cache, limited because anyone can create accounts and orders. */
const maxCached = 1000;
/**
 * Cached valid accounts by ID, per configuration. A change that depends on a cached account expects
 * its revision. If the revision has changed, the request is verified again before a response is
 * sent.
 */
const accountsOf = memoize((_config: Snapshot) => new Map<string, Account>());

/** Returns an account from the cache, or undefined if it is not cached. */
export const cachedAccount = (config: Snapshot, id: string): Account | undefined =>
  accountsOf(config).get(id);

/** Caches an account for the next request, or drops it from the cache if it is no longer valid. */
export function cacheAccount(config: Snapshot, account: Account): void {
  const accounts = accountsOf(config);
  if (account.status !== "valid") return void accounts.delete(account.id);
  if (accounts.size >= maxCached) accounts.clear();
  accounts.set(account.id, account);
}

type Rows = readonly (Row | undefined)[];
/** Cached rows of orders and authorizations, which most requests read and change. */
const rowCache = memoize((_config: Snapshot) => new Map<string, Row>());
const isCacheable = (key: string): boolean =>
  key.startsWith(acmeBelow.orders) || key.startsWith(acmeBelow.authorizations);

/** Returns the cached rows with the given keys, or undefined unless all of them are cached. */
export function cachedRows(config: Snapshot, keys: readonly string[]): readonly Row[] | undefined {
  const rows = rowCache(config);
  const cached = keys.flatMap((key) => rows.get(key) ?? []);
  return cached.length === keys.length ? cached : undefined;
}
/** Caches the rows of orders and authorizations for the next request. */
export function cacheRows(config: Snapshot, keys: readonly string[], read: Rows): void {
  const rows = rowCache(config);
  if (rows.size + keys.length > maxCached) rows.clear();
  for (const [at, key] of keys.entries()) {
    const row = read[at];
    if (row && isCacheable(key)) rows.set(key, row);
    else rows.delete(key);
  }
}
/** Drops cached rows that a request has changed. */
export function dropCachedRows(config: Snapshot, keys: readonly string[]): void {
  const rows = rowCache(config);
  for (const key of keys) rows.delete(key);
}
