import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Row, Store } from "../../engine/ports.ts";
import { listOfAccount } from "../rows/account-rows.ts";
import { acmeBelow } from "../rows/prefixes.ts";
import { acmeIndexes } from "../rows/records.ts";

type Rows = readonly (readonly [key: string, row: Row])[];
/**
 * Number of rows per page, and maximum number of orders to read. A response with 10,000 orders has
 * about a megabyte.
 */
const [pageSize, maxOrders] = [200, 10_000];

/**
 * Yields the orders of an account in pages, at most 10,000 orders. Lets other requests run between
 * pages.
 */
export async function* orderPages(store: Store, account: string): AsyncGenerator<Rows> {
  const by = { name: acmeIndexes.orderAccount, from: account, to: account };
  let after: readonly [string, string] | undefined;
  for (let read = 0; read < maxOrders; read += pageSize) {
    const page = { by: after ? { ...by, after } : by, limit: pageSize };
    const rows = await listOfAccount(store, acmeBelow.orders, account, page);
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    after = [account, last[0]];
    await yieldToEventLoop();
  }
}
