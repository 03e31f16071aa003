import type { Mount } from "../../engine/mount.ts";
import { areTogether } from "../../engine/placement.ts";
import type { Batch, Page } from "../../engine/ports.ts";
import { AcmeProblem } from "../protocol/problem.ts";
import type { Account } from "../protocol/signed.ts";
import { listOfAccount } from "../rows/account-rows.ts";
import { acmeBelow } from "../rows/prefixes.ts";
import {
  acmeIndexes,
  acmeKeys,
  type AccountRow,
  openOrder,
  type OrderRow,
  storedAcme,
} from "../rows/records.ts";
import { closeOrders, maxClosed } from "../validation/failed-orders.ts";
import { maxIdentifiers } from "./identifiers.ts";
import { hasFailed } from "./order-row.ts";

/**
 * Maximum number of pending orders per account, and maximum number of identifiers in all these
 * orders (D 5).
 */
const [maxOpen, maxWaiting] = [300, 2000];
/** Maximum number of authorizations to read when looking for failed orders. */
const maxRead = 1000;
/** A time later than any expiry, Unix seconds. */
const forever = 999_999_999_999;

interface Change extends Required<Pick<Batch, "expect" | "put">>, Pick<Batch, "del"> {
  /** Key to delete with `unlist` after the commit. */
  readonly unlists?: string | undefined;
}
/**
 * Rejects a new order while the account has too many pending orders, or too many identifiers in
 * pending orders. Orders that have failed are closed in the batch of the new order. The first
 * pending order rewrites its account's row, so that tidy does not remove the account as unused.
 * `count` is the number of identifiers in the new order, `now` is in Unix seconds.
 */
export async function requireOrderCapacity(
  mount: Mount,
  { id, rev, ...account }: Account,
  { count, now }: { readonly count: number; readonly now: number },
): Promise<Change> {
  const by = {
    name: acmeIndexes.orderOpen,
    from: openOrder(id, now + 1),
    to: openOrder(id, forever),
  };
  const page = { by, limit: maxOpen };
  const list = (listed: Page) => listOfAccount(mount.store, acmeBelow.orders, id, listed);
  const open = await list({ ...page, values: false });
  if (open.length === 0) {
    const key = acmeKeys.account(id);
    const { unused, ...row } = account;
    const change = { expect: [[key, rev] as const], put: [[key, row] as const] };
    return unused ? { ...change, ...unlisting(mount, id, row) } : change;
  }
  // no order has more than `maxIdentifiers` identifiers: if even that many per order fit, the rows
  // need not be read
  if (open.length < maxOpen && open.length * maxIdentifiers + count <= maxWaiting)
    return { expect: [], put: [] };
  const waiting = (await list(page)).map(([key, { rev, value }]) => ({
    key,
    rev,
    row: storedAcme.order(value),
  }));
  if (waiting.length < maxOpen && identifiersOf(waiting) + count <= maxWaiting)
    return { expect: [], put: [] };
  return closeFailedOrders(mount, waiting, { count, now });
}

/**
 * Returns the deletion of an account's entry in the list of unused accounts, for the batch that
 * stores the account as used. In a partitioned mount, the list may be in another partition than the
 * account. The key to pass to `unlist` is then returned instead.
 */
export function unlisting(
  { store }: Pick<Mount, "store">,
  id: string,
  account: AccountRow,
): Pick<Change, "del" | "unlists"> {
  const key = acmeKeys.unused(id, account);
  return areTogether(store, key, acmeKeys.account(id)) ? { del: [key] } : { unlists: key };
}
/**
 * Deletes an account's entry in the list of unused accounts. A remaining entry is harmless, because
 * an account that is stored as used is never removed.
 */
export async function unlist(mount: Mount, key: string | undefined): Promise<void> {
  if (key !== undefined)
    await mount.self.storeContext.commit({ del: [key] }).catch(() => undefined);
}

interface OpenOrder {
  readonly key: string;
  readonly rev: number;
  readonly row: OrderRow;
}
const identifiersOf = (orders: readonly OpenOrder[]): number =>
  orders.reduce((sum, { row }) => sum + row.identifiers.length, 0);

/**
 * Closes failed orders to make room for the new order. Throws `rate_limited` if there is still not
 * enough room.
 */
async function closeFailedOrders(
  mount: Mount,
  waiting: readonly OpenOrder[],
  { count, now }: { readonly count: number; readonly now: number },
): Promise<Change> {
  const names = identifiersOf(waiting);
  const failed = await failedOf(mount, waiting, now);
  const [first] = failed;
  if (first && names - identifiersOf(failed) + count <= maxWaiting) {
    const orders = failed.map(({ key, row }) => ({ id: key.slice(acmeBelow.orders.length), row }));
    const change = await closeOrders(mount.store, first.row.account, orders);
    const own = failed.map(({ key, rev }) => [key, rev] as const);
    return { ...change, expect: [...own, ...change.expect] };
  }
  const wait = Math.max(1, (waiting[0]?.row.expires ?? 0) - now);
  const much =
    waiting.length >= maxOpen
      ? `${maxOpen} pending orders`
      : `${names} names in pending orders, and with the new order more than ${maxWaiting}`;
  throw new AcmeProblem(
    "rate_limited",
    `the account has ${much}: finalize some of them, or deactivate their authorizations`,
    {
      headers: { "retry-after": String(wait) },
    },
  );
}

/** Returns some of the orders that can never be finalized. */
async function failedOf(
  mount: Mount,
  orders: readonly OpenOrder[],
  now: number,
): Promise<readonly OpenOrder[]> {
  // checks only the newest orders, because an account may have many
  const named = orders
    .toReversed()
    .flatMap((order) => order.row.authorizations.map((id) => ({ order, id })))
    .slice(0, maxRead);
  const rows = await mount.store.get(named.map(({ id }) => acmeKeys.authz(id)));
  const failed = named.filter((_, at) => {
    const row = rows[at];
    return !row || hasFailed(storedAcme.authz(row.value), now);
  });
  return [...new Set(failed.map(({ order }) => order))].slice(0, maxClosed);
}
