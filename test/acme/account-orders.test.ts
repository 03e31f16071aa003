import { slotStart } from "../../src/base/slot-ids.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { acmeAuthority, clusterPath, type AcmeAuthority, type AcmeClient } from "./client.ts";
import { issue, newOrder, orderIn, readyOrder, setAuthorization } from "./ordering.ts";

let a: AcmeAuthority;
let client: AcmeClient;
beforeEach(async () => {
  a = await acmeAuthority();
  client = await a.registered();
});
const list = `${clusterPath}/acme/orders`;
const listed = async (of = client, url = list) => {
  const { json } = await of.post(url);
  return json["orders"];
};
/** Sorts URLs, because orders are listed in no defined order. */
const sorted = (urls: unknown): readonly unknown[] => (urls as readonly unknown[]).toSorted();
const idOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1);

/** Creates one order of each state. */
async function orders() {
  const { order: valid, leaf } = await issue(a, client, ["valid.test"]);
  const ready = await readyOrder(a, client, ["ready.test"]);
  const pending = (await newOrder(client, ["pending.test", "*.pending.test"])).location;
  const made = await newOrder(client, ["invalid.test"]);
  const [url = ""] = orderIn(made).authorizations;
  await setAuthorization(a, url, (row) => ({ ...row, status: "invalid" }));
  return { valid, ready, pending, invalid: made.location, leaf };
}

describe("the orders of an account (acmeOrders, acmeAccountOrders)", () => {
  it("B 5.1 orders, B 5.7 orders: are listed at both URLs, except those that are invalid", async () => {
    expect(await listed()).toEqual([]);
    const { valid, ready, pending } = await orders();
    expect(sorted(await listed())).toEqual(sorted([valid, ready, pending]));
    const told = (await client.post(client.kid)).json["orders"];
    expect(told).toBe(`${client.kid}/orders`);
    expect(await listed(client, String(told))).toEqual(await listed());
    // the others have expired
    a.clock.advance(86_400);
    // and so has the client's nonce
    expect((await client.post(list)).problem).toBe("badNonce");
    expect(await listed()).toEqual([valid]);
  });

  it("B 5.7 orders: are all listed, even if they fill several pages of the store", async () => {
    const { location } = await newOrder(client, ["a.test"]);
    const store = a.stores(await a.uuid());
    const [row] = await store.get([`order/${idOf(location)}`]);
    const account = idOf(client.kid);
    const slot = slotStart(account);
    await store.commit({
      put: Array.from({ length: 450 }, (_, n) => [
        `order/${slot}${String(n).padStart(4, "0")}`,
        { ...(row?.value as object), status: "valid" },
        { order_account: n === 200 ? "another" : account },
      ]),
    });
    const urls = sorted(await listed());
    expect(urls).toHaveLength(450);
    expect(new Set(urls).size).toBe(450);
    expect(urls).not.toContain(`${clusterPath}/acme/order/${slot}0200`);
  });

  it("security row 27: are listed for the calling account only, and with POST-as-GET only", async () => {
    await newOrder(client, ["a.test"]);
    const other = await a.registered();
    expect(await listed(other)).toEqual([]);
    const refused = await other.post(`${client.kid}/orders`);
    expect([refused.status, refused.problem]).toEqual([401, "unauthorized"]);
    for (const url of [list, `${client.kid}/orders`]) {
      const given = await client.post(url, {});
      expect([given.status, given.problem]).toEqual([400, "malformed"]);
    }
  });
});

describe("administration of an account", () => {
  it("B 5.13 GET acme/mgmt/account/keyid/:key_id, B 5.13 orders of an account, B 5.13 eab of an account: returns the account and its orders in any state", async () => {
    const { valid, ready, pending, invalid, leaf } = await orders();
    const id = idOf(client.kid);
    const read = await a.pki.readAcmeAccount({ key_id: id });
    expect({ ...read, orders: [] }).toEqual({
      key_id: id,
      status: "valid",
      contacts: [],
      created_time: "2030-01-02T03:04:05Z",
      revoked_time: "",
      directory: "acme/",
      eab: {},
      orders: [],
    });
    const order_expiry = "2030-01-03T03:04:05Z";
    const none = { cert_expiry: "", cert_serial_number: "", order_expiry };
    const serial = Buffer.from(leaf.serial)
      .toString("hex")
      .replace(/..(?!$)/g, "$&:");
    const byId = Object.fromEntries(read.orders.map(({ order_id, ...told }) => [order_id, told]));
    expect(byId).toEqual({
      [idOf(valid)]: {
        status: "valid",
        identifiers: ["valid.test"],
        order_expiry,
        cert_expiry: expect.stringMatching(/^2030-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        cert_serial_number: serial,
      },
      [idOf(ready)]: { status: "ready", identifiers: ["ready.test"], ...none },
      [idOf(pending)]: {
        status: "pending",
        identifiers: ["pending.test", "*.pending.test"],
        ...none,
      },
      [idOf(invalid)]: { status: "invalid", identifiers: ["invalid.test"], ...none },
    });
    const other = "00000000-0000-4000-8000-000000000000";
    expect((await a.call("GET", `pki/acme/mgmt/account/keyid/${other}`)).status).toBe(404);
    const stranger = await a.call("GET", `pki/acme/mgmt/account/keyid/${id}`, undefined, {
      token: "",
    });
    expect(stranger.status).toBe(403);
  });

  it("security row 28, B 3.1 ACME: an account revoked during an order cannot complete it, and tidy keeps it until its certificate is removed", async () => {
    const order = await readyOrder(a, client, ["a.test"]);
    const { order: valid } = await issue(a, client, ["b.test"]);
    await a.pki.writeAcmeAccount({ key_id: idOf(client.kid), status: "revoked" });
    for (const [url, payload] of [
      [order, undefined],
      [`${order}/finalize`, { csr: "AA" }],
      [`${valid}/cert`, undefined],
      [list, undefined],
      [`${client.kid}/orders`, undefined],
    ] as const) {
      const refused = await client.post(url, payload);
      expect([url, refused.status, refused.problem]).toEqual([url, 401, "unauthorized"]);
    }
    const tidied = async (days: number) => {
      a.clock.advance(days * 86_400);
      await a.call("POST", "pki/tidy", { tidy_acme: true });
      for (let looks = 0; looks < 20; looks++) {
        await a.ca.tick();
        a.clock.now += 1;
      }
      return (await a.call("GET", "pki/acme/mgmt/account/keyid?list=true")).status;
    };
    // the certificate is valid for 90 days and is removed three days after it expires
    expect(await tidied(92)).toBe(200);
    expect(await tidied(2)).toBe(404);
  });
});
