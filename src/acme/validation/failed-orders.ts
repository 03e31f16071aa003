import {
  acmeBelow,
  acmeIndexes,
  acmeKeys,
  openOrder,
  type OrderRow,
} from "../../engine/acme-records.ts";
import type { Batch, Store } from "../../engine/ports.ts";
import { stored } from "../../engine/stored.ts";
import { closedPut } from "./authz-put.ts";

/** The limits of the failed orders of an account: orders, and identifiers in all of them. */
const [maxFailed, maxIdentifiers] = [300, 2000];
/** The most identifiers of one order. */
const maxOfOrder = 100;

/**
 * Closes an order that will never be finalized. Failed orders of its account that exceed the limits
 * with it are removed, the oldest first, with their authorizations: an account cannot fill the
 * storage by orders that it lets fail.
 */
export async function closeOrder(
  store: Store,
  id: string,
  row: OrderRow,
): Promise<Required<Pick<Batch, "expect" | "put" | "del">>> {
  const own = acmeKeys.order(id);
  const put = [closedPut(id, row)];
  if (row.status !== "pending") return { expect: [], put, del: [] };
  const [from, to] = [openOrder(row.account, 0), openOrder(row.account, 999_999_999_999)];
  const page = { by: { name: acmeIndexes.orderFailed, from, to }, limit: maxFailed };
  const { length } = await store.list(acmeBelow.orders, { ...page, values: false });
  // no order has more identifiers: the rows need not be read to know that there is room
  if ((length + 1) * maxOfOrder <= maxIdentifiers) return { expect: [], put, del: [] };
  const others = (await store.list(acmeBelow.orders, page)).flatMap(([key, { rev, value }]) =>
    key === own ? [] : [{ key, rev, row: stored.order(value) }],
  );
  let count = others.length + 1;
  let identifiers = [{ row }, ...others].reduce((sum, one) => sum + one.row.identifiers.length, 0);
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
