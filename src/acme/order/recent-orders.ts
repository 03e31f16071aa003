import { rfc3339 } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { serialKeyText } from "../../base/ids.ts";
import type { Store } from "../../engine/ports.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { int, list, listOf, map, records, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { listOfAccount } from "../rows/account-rows.ts";
import { acmeBelow } from "../rows/prefixes.ts";
import { acmeIndexes, type AcmeError, storedAcme } from "../rows/records.ts";
import { challengeTypeField } from "../validation/challenge-table.ts";
import { ordersWithin } from "./binding.ts";
import { statusOf, wholeOrders, type WholeOrder } from "./order-row.ts";

const errorDoc =
  "`type` (RFC 8555 section 6.7 or similar) and `detail`; absent if there was no error.";
const challengeFields = {
  type: challengeTypeField,
  status: text.required("`pending`, `processing`, `valid` or `invalid`.", [
    "pending",
    "processing",
    "valid",
    "invalid",
  ]),
  attempts: int.required("Number of failed attempts."),
  error: map.optional(
    `Error of the first attempt, or the permanent error of the challenge: ${errorDoc}`,
  ),
} as const;
const authorizationFields = {
  identifier: text.required("DNS name or IP address to be validated."),
  status: text.required("`pending`, `valid`, `invalid`, `deactivated` or `revoked`.", [
    "pending",
    "valid",
    "invalid",
    "deactivated",
    "revoked",
  ]),
  challenges: listOf(challengeFields).required("Challenges of the authorization."),
} as const;
const orderFields = {
  account_id: text.required("ID of the account that placed the order."),
  directory: text.required("Directory of the order, such as `roles/web/acme`."),
  status: text.required("`pending`, `ready`, `valid` or `invalid`.", [
    "pending",
    "ready",
    "valid",
    "invalid",
  ]),
  identifiers: list.required("DNS names and IP addresses of the order."),
  created_time: text.required("Time at which the order was created, RFC 3339."),
  expires: text.required("Time at which the order expires if it is not completed, RFC 3339."),
  cert_serial_number: text.required(
    "Serial number of the certificate, with colons; empty until the certificate is issued.",
  ),
  error: map.optional(`Error that made the order fail: ${errorDoc}`),
  authorizations: listOf(authorizationFields).required("Authorizations of the order."),
} as const;

/** Maximum and default number of orders in a response. */
const [maxOrders, defaultOrders] = [1000, 100];

export const listOrders = endpoint({
  id: "listAcmeOrders",
  at: ["LIST /acme/mgmt/orders"],
  access: "token",
  style: envelope,
  doc: "Lists the newest ACME orders with the error of each failed challenge.",
  body: {
    account_id: text.default(
      "",
      "Return only orders of this account, selected from at most 1000 of its orders.",
    ),
    limit: int.default(0, "Maximum number of orders to return, up to 1000; 0 means 100."),
  },
  reply: {
    keys: list.required("Order IDs, newest first."),
    key_info: records(orderFields).required("Details of each order by ID."),
  },
  refuses: ["not_found"],
  run: async (mount, { account_id: account, limit }) => {
    const now = Math.floor(mount.ports.now() / 1000);
    const count = Math.min(maxOrders, limit > 0 ? limit : defaultOrders);
    const stored = await newest(mount.store, account, count);
    if (stored.length === 0) throw new CaError("not_found", "");
    const orders = await ordersWithin((keys) => mount.store.get(keys), stored, now);
    return {
      keys: orders.map(({ id }) => id),
      key_info: Object.fromEntries(orders.map((one) => [one.id, orderOutput(one, now)])),
    };
  },
});

/** Returns the newest orders from one account or all accounts, with their authorizations. */
async function newest(
  store: Store,
  account: string,
  count: number,
): Promise<readonly WholeOrder[]> {
  if (account === "") {
    const by = { name: acmeIndexes.orderMade };
    return wholeOrders(store, await store.list(acmeBelow.orders, { by, limit: count }));
  }
  const by = { name: acmeIndexes.orderAccount, from: account, to: account };
  const rows = await listOfAccount(store, acmeBelow.orders, account, { by, limit: maxOrders });
  const createdAt = ([, { value }]: (typeof rows)[number]): number =>
    storedAcme.order(value).created;
  return wholeOrders(store, rows.toSorted((a, b) => createdAt(b) - createdAt(a)).slice(0, count));
}

const problem = (error: AcmeError | undefined) =>
  error ? { error: { type: error.type, detail: error.detail } } : {};

const orderOutput = (order: WholeOrder, now: number) => ({
  account_id: order.row.account,
  directory: order.row.directory,
  status: statusOf(order, now),
  identifiers: order.row.identifiers.map(({ value }) => value),
  created_time: rfc3339(order.row.created),
  expires: rfc3339(order.row.expires),
  cert_serial_number: order.row.serial === undefined ? "" : serialKeyText(order.row.serial),
  ...problem(order.row.error),
  authorizations: order.authorizations.map(({ row }) => ({
    identifier: `${row.wildcard ? "*." : ""}${row.identifier.value}`,
    status: row.status,
    challenges: row.challenges.map(({ type, status, attempts, error }) => ({
      type,
      status,
      attempts,
      ...problem(error),
    })),
  })),
});
