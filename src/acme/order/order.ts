import { acmeEndpoint } from "../protocol/endpoint.ts";
import { acmePaths } from "../protocol/paths.ts";
import { beginDue } from "../validation/begin-due.ts";
import { orderWithin, readBinding } from "./binding.ts";
import { orderReply } from "./fields.ts";
import { orderObject, ownOrder, noteAuthorizations, orderKeys } from "./order-row.ts";
import { waitOfOrder } from "./wait.ts";

export const acmeOrder = acmeEndpoint({
  id: "acmeOrder",
  at: acmePaths("POST /order/:order_id"),
  doc: "Reads an order.",
  key: "kid",
  payload: "post-as-get",
  reply: orderReply,
  reads: ({ mount, params }) => orderKeys(mount, params.order_id),
  run: async ({ mount, directory, account, params, rows: [row], read, now }) => {
    const owner = { account: account.id, directory: directory.prefix };
    const stored = await ownOrder(read, { id: params.order_id, row }, owner);
    const binding = await readBinding(read, account);
    const order = binding ? orderWithin(stored, binding, now) : stored;
    noteAuthorizations(mount, order.id, order.row.authorizations);
    const wait = waitOfOrder(order, mount.ports.now());
    return {
      reply: orderObject(order, now, directory.url),
      headers: { location: directory.url(`/order/${order.id}`), ...wait },
      done: () => beginDue(mount, order.authorizations),
    };
  },
});
