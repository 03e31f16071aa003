import type { Batch, Page, Store } from "../../engine/ports.ts";
import { listOfAccount } from "../rows/account-rows.ts";
import { acmeBelow } from "../rows/prefixes.ts";
import { acmeIndexes, acmeKeys, openOrder, type OrderRow, storedAcme } from "../rows/records.ts";
import { closedPut } from "./authz-put.ts";

/**
 * Maximum number of failed orders per account, and maximum number of identifiers in all these
 * orders.
 */
const [maxFailed, maxIdentifiers] = [300, 2000];
/** Maximum number of identifiers in an order. */
const maxOfOrder = 100;

/** Maximum number of orders closed in one batch. */
export const maxClosed = 20;

type Change = Required<Pick<Batch, "expect" | "put" | "del">>;
/** An order that can no longer be finalized. */
interface FailedOrder {
  readonly id: string;
  readonly row: OrderRow;
}

/**
 * Returns the change that closes an order that can no longer be finalized, as `closeOrders` does.
 */
export async function closeOrder(store: Store, id: string, row: OrderRow): Promise<Change> {
  if (row.status !== "pending") return { expect: [], put: [closedPut(id, row)], del: [] };
  return closeOrders(store, row.account, [{ id, row }]);
}

/**
 * Returns the change that closes pending orders of an account that can no longer be finalized. If
 * failed orders then exceed the limits, the oldest are removed with their authorizations, so that
 * an account cannot fill the storage with failing orders.
 */
export async function closeOrders(
  store: Store,
  account: string,
  closed: readonly FailedOrder[],
): Promise<Change> {
  const put = closed.map(({ id, row }) => closedPut(id, row));
  const own = new Set(closed.map(({ id }) => acmeKeys.order(id)));
  const [from, to] = [openOrder(account, 0), openOrder(account, 999_999_999_999)];
  // reads more rows than the limit, because rows of earlier versions or concurrently closed orders
  // may exceed the limit
  const page = { by: { name: acmeIndexes.orderFailed, from, to }, limit: maxFailed + maxClosed };
  const list = (listed: Page) => listOfAccount(store, acmeBelow.orders, account, listed);
  const { length } = await list({ ...page, values: false });
  // no order has more than `maxOfOrder` identifiers: if even that many per order fit, the rows need
  // not be read
  if ((length + closed.length) * maxOfOrder <= maxIdentifiers) return { expect: [], put, del: [] };
  const others = (await list(page)).flatMap(([key, { rev, value }]) =>
    own.has(key) ? [] : [{ key, rev, row: storedAcme.order(value) }],
  );
  const all = [...closed, ...others];
  let count = all.length;
  let identifiers = all.reduce((sum, { row }) => sum + row.identifiers.length, 0);
  const removed = others.filter((other) => {
    if (count <= maxFailed && identifiers <= maxIdentifiers) return false;
    count--;
    identifiers -= other.row.identifiers.length;
    return true;
  });
  return {
    expect: removed.map(({ key, rev }) => [key, rev]),
    put,
    del: removed.flatMap((other) => [
      other.key,
      ...other.row.authorizations.map((authz) => acmeKeys.authz(authz)),
    ]),
  };
}
