import { fromHex } from "../../base/bytes.ts";
import { listOfAccount } from "../../acme/rows/account-rows.ts";
import { acmeBelow } from "../../acme/rows/prefixes.ts";
import { acmeIndexes, acmeKeys, type OrderRow, storedAcme } from "../../acme/rows/records.ts";
import type { Mount } from "../../engine/mount.ts";
import { isSpread } from "../../engine/placement.ts";
import type { Batch, Expect, Row } from "../../engine/ports.ts";
import { readableRows, unreadable } from "../crl/readable-rows.ts";
import { storedExpiry } from "./revocation-expiry.ts";
import {
  expiredBy,
  nextKeys,
  endOfStep,
  type Sweep,
  type SweepContext,
  type SweepResult,
} from "./sweep.ts";

/**
 * The sweep that tidies ACME (B 3.1). Removes orders whose certificates have expired, and orders
 * that expired without a certificate. Revokes accounts that have long been unused, and removes them
 * later. Removes unused external account bindings, and limits of bindings that no account uses.
 */
export const acmeSweep: Sweep = {
  name: "tidy_acme",
  step: async (of) => {
    const { phase, at } = isProgress(of.at) ? of.at : { phase: 0, at: undefined };
    const phases = phasesOf(of.mount);
    const swept = await phases[phase]?.({ ...of, at });
    if (!swept) return { message: "Tidying ACME: nothing to do" };
    const next = swept.at === undefined ? phase + 1 : phase;
    return { ...swept, at: next < phases.length ? { phase: next, at: swept.at } : undefined };
  },
};
type Phase = (of: SweepContext) => Promise<SweepResult>;
/** The phases of the sweep, in this order because accounts are removed after their orders. */
const phasesOfAll: readonly Phase[] = [sweepOrders, sweepAccounts, sweepBindings, sweepLimits];
/**
 * Returns the phases of the sweep of a mount. In a mount that spreads accounts over partitions, an
 * interrupted step may delete accounts but not their other rows; the last phases delete these.
 */
const phasesOf = ({ store }: Mount): readonly Phase[] =>
  isSpread(store, acmeBelow.accounts) ? [...phasesOfAll, sweepKeys, sweepUnused] : phasesOfAll;
/** Progress of the sweep. */
interface AcmeProgress {
  /** Index in `phases`. */
  readonly phase: number;
  readonly at?: unknown;
}
// only the sweep writes its progress
const isProgress = (at: unknown): at is AcmeProgress =>
  typeof at === "object" && at !== null && "phase" in at;

/** A row that could be read, with its key. */
interface AcmeRows extends Row {
  readonly key: string;
}
/** Reads the next rows with the given prefix, and returns them with the result of the step. */
async function next(of: SweepContext, prefix: string, doing: string) {
  const names = await nextKeys(of, prefix);
  const rows = await readableRows(of.mount, names);
  const accounts = names.flatMap((key, i): readonly AcmeRows[] => {
    const row = rows[i];
    return row && row !== unreadable ? [{ key, ...row }] : [];
  });
  return { held: accounts, end: endOfStep(of, names, `Tidying ACME ${doing}: checking entry`) };
}
const expecting = (rows: readonly AcmeRows[]): readonly Expect[] =>
  rows.map(({ key, rev }) => [key, rev]);

/**
 * Returns the context with a lower limit, because an order may have a hundred authorizations, and
 * each account requires a lookup.
 */
const fewer = (of: SweepContext): SweepContext => ({ ...of, limit: Math.min(of.limit, 100) });

async function sweepOrders(all: SweepContext): Promise<SweepResult> {
  const of = fewer(all);
  const { mount, settings, now } = of;
  const { held: rows, end } = await next(of, acmeBelow.orders, "orders");
  const ended = expiredBy(now, settings.safety_buffer);
  const expired: AcmeRows[] = [];
  const del: string[] = [];
  const ends = new Map<string, number>();
  for (const row of rows) {
    const order = storedAcme.order(row.value);
    const at = await certificateEnd(mount, order);
    if (at === undefined ? order.expires * 1000 >= now : at > ended) continue;
    expired.push(row);
    del.push(row.key, ...order.authorizations.map(acmeKeys.authz));
    if (at !== undefined) ends.set(order.account, Math.max(at, ends.get(order.account) ?? 0));
  }
  const retained = await storeExpiries(mount, ends);
  return {
    ...end,
    counts: { acme_orders_deleted_count: expired.length },
    batch: { ...retained, del, expect: [...expecting(expired), ...retained.expect] },
  };
}
/**
 * Returns the expiry of an order's certificate (Unix seconds), or undefined if the order has no
 * certificate or the certificate was deleted.
 */
async function certificateEnd(
  mount: Mount,
  { ends, serial }: OrderRow,
): Promise<number | undefined> {
  return ends ?? (serial === undefined ? undefined : storedExpiry(mount, fromHex(serial)));
}
/**
 * Returns the change that stores, in each account whose orders are removed, the latest expiry of
 * the certificates of these orders.
 */
async function storeExpiries(
  mount: Mount,
  ends: ReadonlyMap<string, number>,
): Promise<Required<Pick<Batch, "expect" | "put">>> {
  const names = [...ends.keys()].map(acmeKeys.account);
  const rows = await readableRows(mount, names);
  const later = [...ends.values()].flatMap((end, i) => {
    const row = rows[i];
    if (!row || row === unreadable) return [];
    const value = storedAcme.account(row.value);
    return end > (value.last_end ?? 0) ? [{ key: names[i] ?? "", rev: row.rev, value, end }] : [];
  });
  return {
    expect: later.map(({ key, rev }) => [key, rev]),
    put: later.map(({ key, value, end }) => [key, { ...value, last_end: end }]),
  };
}

async function sweepAccounts(all: SweepContext): Promise<SweepResult> {
  const of = fewer(all);
  const { mount, settings, now } = of;
  const { held: rows, end } = await next(of, acmeBelow.accounts, "accounts");
  const unused = expiredBy(now, settings.acme_account_safety_buffer);
  const [revoked, deleted]: [AcmeRows[], AcmeRows[]] = [[], []];
  for (const row of rows) {
    const { status, created, last_end, ended } = storedAcme.account(row.value);
    const isValid = status === "valid";
    const last = isValid ? Math.max(created, last_end ?? 0) : (ended ?? created);
    if (last > unused || (await hasOrders(mount, row.key))) continue;
    (isValid ? revoked : deleted).push(row);
  }
  const seconds = Math.floor(now / 1000);
  const owned = await keysOf(mount, deleted);
  return {
    ...end,
    counts: {
      total_acme_account_count: rows.length,
      acme_account_revoked_count: revoked.length,
      acme_account_deleted_count: deleted.length,
    },
    batch: {
      // if an account is used concurrently, the step is repeated
      expect: [...expecting([...revoked, ...deleted]), ...owned],
      put: revoked.map(({ key, value }) => [
        key,
        { ...storedAcme.account(value), status: "revoked", ended: seconds },
      ]),
      del: [
        ...deleted.flatMap(({ key, value }) => [
          key,
          acmeKeys.unused(accountIn(key), storedAcme.account(value)),
        ]),
        ...owned.map(([key]) => key),
      ],
    },
  };
}
const accountIn = (key: string): string => key.slice(acmeBelow.accounts.length);
/**
 * Returns the preconditions on the rows that assign a key to each account, so that they can be
 * deleted. Omits a row that already belongs to another account: in a partitioned mount, an account
 * is deleted before the row of its key, and another account may register the key in between.
 */
async function keysOf(mount: Mount, accounts: readonly AcmeRows[]): Promise<readonly Expect[]> {
  if (accounts.length === 0) return [];
  const names = accounts.map(({ value }) => acmeKeys.thumb(storedAcme.account(value).thumbprint));
  const rows = await readableRows(mount, names);
  return accounts.flatMap(({ key }, at): readonly Expect[] => {
    const row = rows[at];
    if (!row || row === unreadable) return [];
    const isOwn = storedAcme.thumb(row.value).account === accountIn(key);
    return isOwn ? [[names[at] ?? "", row.rev]] : [];
  });
}
async function hasOrders(mount: Mount, key: string): Promise<boolean> {
  const account = accountIn(key);
  const by = { name: acmeIndexes.orderAccount, from: account, to: account };
  const page = { by, limit: 1, values: false };
  return (await listOfAccount(mount.store, acmeBelow.orders, account, page)).length > 0;
}

async function sweepBindings(of: SweepContext): Promise<SweepResult> {
  const { mount, settings, now } = of;
  const { held: rows, end } = await next(of, acmeBelow.eabs, "bindings");
  const unused = expiredBy(now, settings.acme_account_safety_buffer);
  const old = rows.filter(({ value }) => storedAcme.eab(value).created <= unused);
  // a binding with limits remains until it expires or is revoked
  const limits = await readableRows(mount, old.map(limitsKey));
  const expired = old.filter((_, at) => {
    const row = limits[at];
    if (row === undefined || row === unreadable) return true;
    const { expires = 0, revoked } = storedAcme.binding(row.value);
    return revoked !== undefined || expires <= unused;
  });
  return { ...end, batch: { del: expired.map(({ key }) => key) } };
}
const limitsKey = ({ key }: AcmeRows): string => acmeKeys.binding(key.slice(acmeBelow.eabs.length));

/** Maximum number of uses to check per binding and step. */
const maxUses = 100;
async function sweepLimits(all: SweepContext): Promise<SweepResult> {
  const of = { ...all, limit: Math.min(all.limit, 10) };
  const { held: rows, end } = await next(of, acmeBelow.bindings, "limits of bindings");
  const del: string[] = [];
  const expect: Expect[] = [];
  for (const { key, rev } of rows) {
    const id = key.slice(acmeBelow.bindings.length);
    const unused = await unusedLimits(of.mount, id);
    if (unused.isLast) {
      expect.push([key, rev], [acmeKeys.eab(id), null]);
      del.push(key);
    }
    del.push(...unused.keys);
  }
  return { ...end, batch: { expect, del } };
}
/**
 * Returns the keys of those uses of a binding whose accounts were removed, and whether the binding
 * has no other uses. Returns no keys for a binding that still accepts registrations, because its
 * uses count towards its limit.
 */
async function unusedLimits(
  { store }: Mount,
  id: string,
): Promise<{ readonly keys: readonly string[]; readonly isLast: boolean }> {
  const [eab] = await store.get([acmeKeys.eab(id)]);
  if (eab) return { keys: [], isLast: false };
  const uses = await store.list(acmeKeys.bindingUses(id), { limit: maxUses });
  const accounts = await store.get(
    uses.map(([, { value }]) => acmeKeys.account(storedAcme.bindingUse(value).account)),
  );
  const keys = uses.flatMap(([key], at) => (accounts[at] ? [] : [key]));
  return { keys, isLast: keys.length === uses.length && uses.length < maxUses };
}

/** Removes the rows of keys whose account does not exist. */
function sweepKeys(of: SweepContext): Promise<SweepResult> {
  return sweepRemains(of, acmeBelow.thumbs, ({ value }) => storedAcme.thumb(value).account);
}
/** Removes the entries of accounts that do not exist from the list of unused accounts. */
function sweepUnused(of: SweepContext): Promise<SweepResult> {
  return sweepRemains(of, acmeBelow.unused, ({ key }) => key.slice(key.lastIndexOf("/") + 1));
}
/**
 * Removes the rows with a prefix whose account does not exist. An account is stored before these
 * rows, and is never stored again after it was deleted.
 */
async function sweepRemains(
  of: SweepContext,
  prefix: string,
  accountOf: (row: AcmeRows) => string,
): Promise<SweepResult> {
  const { held: rows, end } = await next(of, prefix, "rows of removed accounts");
  const names = rows.map((row) => acmeKeys.account(accountOf(row)));
  const accounts = await readableRows(of.mount, names);
  const left = rows.filter((_, at) => accounts[at] === undefined);
  return { ...end, batch: { expect: expecting(left), del: left.map(({ key }) => key) } };
}
