import { acmeBelow } from "../rows/prefixes.ts";
import { type OrderRow, storedAcme } from "../rows/records.ts";
import type { Row, Store } from "../../engine/ports.ts";
import { list } from "../../wire/field.ts";
import { acmeEndpoint } from "../protocol/endpoint.ts";
import { acmePaths } from "../protocol/paths.ts";
import type { Directory } from "../protocol/directory.ts";
import { requireOwnAccount } from "./account-object.ts";
import { orderPages } from "../order/account-orders.ts";
import { statusOf, wholeOrders } from "../order/order-row.ts";

const ordersReply = { orders: list.required("URLs of all orders that are not invalid.") } as const;

export const listOrders = acmeEndpoint({
  id: "acmeOrders",
  at: acmePaths("POST /orders"),
  doc: "Lists the orders of the calling account, at most 10,000.",
  key: "kid",
  payload: "post-as-get",
  reply: ordersReply,
  run: async ({ mount, account, directory, now }) => ({
    reply: await readOrderUrls(mount.store, directory, account.id, now),
  }),
});

export const listAccountOrders = acmeEndpoint({
  id: "acmeAccountOrders",
  at: acmePaths("POST /account/:account_id/orders"),
  doc: "Lists the orders of the account, as linked from its `orders` member (RFC 8555 section 7.1.2.1).",
  key: "kid",
  payload: "post-as-get",
  reply: ordersReply,
  run: async ({ mount, account, directory, params, now }) => {
    requireOwnAccount(account.id, params.account_id);
    return { reply: await readOrderUrls(mount.store, directory, account.id, now) };
  },
});

async function readOrderUrls(store: Store, { url }: Directory, account: string, now: number) {
  const orders = await ordersOf(store, account, now);
  const listed = orders.filter(({ status }) => status !== "invalid");
  return { orders: listed.map(({ id }) => url(`/order/${id}`)) };
}

/** An order with its current status. */
export interface CurrentOrder {
  readonly id: string;
  readonly row: OrderRow;
  readonly status: ReturnType<typeof statusOf>;
}
/** Reads the orders of an account regardless of their status, at most 10,000. */
export async function ordersOf(
  store: Store,
  account: string,
  now: number,
): Promise<readonly CurrentOrder[]> {
  const orders: CurrentOrder[] = [];
  for await (const rows of orderPages(store, account))
    orders.push(...(await currentState(store, rows, now)));
  return orders;
}
async function currentState(
  store: Store,
  rows: readonly (readonly [key: string, row: Row])[],
  now: number,
): Promise<readonly CurrentOrder[]> {
  const orders = rows.map(([key, row]) => ({
    id: key.slice(acmeBelow.orders.length),
    of: [key, row] as const,
    row: storedAcme.order(row.value),
  }));
  // the status of every other order follows from its row
  const open = orders.filter(({ row }) => row.status === "pending" && row.expires > now);
  const whole = await wholeOrders(
    store,
    open.map(({ of }) => of),
  );
  const statuses = new Map(whole.map((order) => [order.id, statusOf(order, now)]));
  return orders.map(({ id, row }) => ({
    id,
    row,
    status: statuses.get(id) ?? (row.status === "valid" ? "valid" : "invalid"),
  }));
}
