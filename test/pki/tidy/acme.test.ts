import { expect, it } from "vitest";
import {
  acmeIndexes,
  acmeKeys,
  authzIndex,
  orderIndex,
  type AccountRow,
  type OrderRow,
} from "../../../src/acme/rows/records.ts";
import { start } from "../../support/authority.ts";
import { hour, tidying, valueOf, type Tidying } from "./tidying.ts";

const day = 24 * hour;
const now = start / 1000;

/**
 * Stores an account with orders. Each order has the expiry of its certificate, or its own expiry if it
 * has no certificate.
 */
async function account(
  { store }: Tidying,
  id: string,
  row: Partial<AccountRow>,
  orders: readonly Partial<OrderRow>[] = [],
): Promise<void> {
  const held: AccountRow = {
    jwk: { kty: "EC" },
    thumbprint: `of-${id}`,
    status: "valid",
    contact: [],
    directory: "acme",
    created: now,
    ...row,
  };
  await store.commit({
    put: [
      [acmeKeys.account(id), held],
      [acmeKeys.thumb(held.thumbprint), { account: id }],
      ...orders.flatMap((given, i) => {
        const order: OrderRow = {
          account: id,
          directory: "acme",
          identifiers: [{ type: "dns", value: "a.test" }],
          authorizations: [`${id}-${i}-a`, `${id}-${i}-b`],
          created: now,
          expires: now + day,
          status: given.ends === undefined ? "pending" : "valid",
          ...given,
        };
        return [
          [acmeKeys.order(`${id}-${i}`), order, orderIndex(order, order.expires)] as const,
          ...order.authorizations.map(
            (authz) => [acmeKeys.authz(authz), {}, authzIndex(now + 900 * day)] as const,
          ),
        ];
      }),
    ],
  });
}
const removed = (counts: Readonly<Record<string, unknown>>) => ({
  orders: counts["acme_orders_deleted_count"],
  revoked: counts["acme_account_revoked_count"],
  deleted: counts["acme_account_deleted_count"],
  seen: counts["total_acme_account_count"],
});

it("B 3.1 ACME: removes an order with its authorizations safety_buffer after its certificate expires, or when it expires without one", async () => {
  const t = await tidying();
  await account(t, "a", {}, [{ ends: now + day }, { ends: now + 100 * day }, {}]);
  t.a.clock.advance(day);
  expect(removed(await t.tidy({ tidy_acme: true }))).toMatchObject({ orders: 0, seen: 1 });
  t.a.clock.advance(1);
  expect(removed(await t.tidy({ tidy_acme: true }))).toMatchObject({ orders: 1 });
  expect(await t.keys("order/")).toEqual(["order/a-0", "order/a-1"]);
  expect(await t.keys("authz/")).not.toContain("authz/a-2-a");
  t.a.clock.advance(72 * hour - 1);
  expect(removed(await t.tidy({ tidy_acme: true }))).toMatchObject({ orders: 0 });
  t.a.clock.advance(1);
  expect(removed(await t.tidy({ tidy_cert_store: true }))).toMatchObject({ orders: 0 });
  expect(removed(await t.tidy({ tidy_acme: true }))).toMatchObject({ orders: 1, revoked: 0 });
  expect(await t.keys("order/")).toEqual(["order/a-1"]);
  expect(await t.keys("authz/")).toEqual(["authz/a-1-a", "authz/a-1-b"]);
});

it("B 3.1 ACME: reads the expiry from the certificate if the order lacks it", async () => {
  const t = await tidying();
  const [serial = ""] = await t.issue(1, "100h");
  await account(t, "a", {}, [{ status: "valid", serial: serial.replaceAll(":", "") }]);
  const tidied = async () => removed(await t.tidy({ tidy_acme: true })).orders;
  t.a.clock.advance(172 * hour);
  expect(await tidied()).toBe(0);
  t.a.clock.advance(1);
  expect(await tidied()).toBe(1);
});

it("B 3.1 ACME, B 5.7 status values: revokes an account without orders after acme_account_safety_buffer, and removes it with its key after another one", async () => {
  const t = await tidying();
  await account(t, "new", { created: now + 1 });
  await account(t, "old", {});
  await account(t, "used", {}, [{ ends: now + 10 * day }]);
  await account(t, "pending", {}, [{ expires: now + 900 * day }]);
  await account(t, "left", { status: "deactivated", ended: now });
  const tidied = async (body = {}) =>
    removed(await t.tidy({ tidy_acme: true, page_size: 5, ...body }));
  const status = async (id: string) =>
    (await valueOf<AccountRow>(t.store, acmeKeys.account(id))).status;
  t.a.clock.advance(30 * day);
  expect(await tidied()).toEqual({ orders: 1, revoked: 0, deleted: 0, seen: 5 });
  t.a.clock.advance(1);
  expect(await tidied()).toEqual({ orders: 0, revoked: 1, deleted: 1, seen: 5 });
  expect(await status("old")).toBe("revoked");
  expect(await status("new")).toBe("valid");
  expect(await t.keys("thumb/")).not.toContain("thumb/of-left");
  t.a.clock.advance(10 * day - 1);
  // ten days of the certificate, thirty of the buffer
  expect(await tidied()).toEqual({ orders: 0, revoked: 1, deleted: 0, seen: 4 });
  expect([await status("new"), await status("used")]).toEqual(["revoked", "valid"]);
  t.a.clock.advance(1);
  expect(await tidied()).toEqual({ orders: 0, revoked: 1, deleted: 0, seen: 4 });
  t.a.clock.advance(30 * day + 1);
  expect(await tidied()).toEqual({ orders: 0, revoked: 0, deleted: 3, seen: 4 });
  expect(await t.keys("account/")).toEqual(["account/pending"]);
  expect(await t.keys("thumb/")).toEqual(["thumb/of-pending"]);
  expect(await tidied({ acme_account_safety_buffer: "1s" })).toMatchObject({ revoked: 0 });
});

it("B 3.1 ACME: removes external account bindings that no account has used for acme_account_safety_buffer", async () => {
  const t = await tidying();
  await t.store.commit({
    put: [0, 1, 2].map((n) => [acmeKeys.eab(`e${n}`), { directory: "acme", created: now + n }]),
  });
  t.a.clock.advance(30 * day + 2);
  await t.tidy({ tidy_acme: true });
  expect(await t.keys("eab/")).toEqual(["eab/e2"]);
});

it("tidy keeps the limits of a binding while it has an account or can still get one", async () => {
  const t = await tidying();
  const limits = { directory: "acme", created: now, preauthorized: false, max_uses: 3 };
  const binding = (id: string, more: object = {}, accounts: readonly string[] = []) => [
    [acmeKeys.binding(id), { ...limits, ...more }] as const,
    ...accounts.map((of, n) => [acmeKeys.bindingUses(id) + n, { account: of }] as const),
  ];
  const key = (id: string) => [acmeKeys.eab(id), { ...limits, limited: true }] as const;
  await account(t, "here", { created: now + 60 * day });
  await t.store.commit({
    put: [
      key("a-unused"),
      ...binding("a-unused"),
      key("b-until-then"),
      ...binding("b-until-then", { expires: now + 90 * day }, ["gone"]),
      ...binding("c-in-use", { revoked: now }, ["gone", "here"]),
      ...binding("d-left", {}, ["gone"]),
    ],
  });
  t.a.clock.advance(30 * day + 2);
  await t.tidy({ tidy_acme: true });
  expect(await t.keys("eab/")).toEqual(["eab/b-until-then"]);
  expect(await t.keys("binding/")).toEqual(["binding/b-until-then", "binding/c-in-use"]);
  expect(await t.keys("bindinguse/")).toEqual([
    "bindinguse/b-until-then/0",
    "bindinguse/c-in-use/1",
  ]);
});

it("tidy removes a thousand orders and accounts in steps, and misses none", async () => {
  const t = await tidying();
  for (let n = 0; n < 250; n++)
    await account(t, `a${n}`, { created: now - 40 * day }, [{ ends: now - 35 * day }, {}]);
  t.a.clock.advance(2 * day);
  const first = await t.tidy({ tidy_acme: true });
  expect(removed(first)).toEqual({ orders: 500, revoked: 250, deleted: 0, seen: 250 });
  expect(await t.keys("order/")).toEqual([]);
  expect(await t.keys("authz/")).toEqual([]);
  const by = { name: acmeIndexes.orderAccount };
  expect(await t.store.list("", { by })).toEqual([]);
});
