import { describe, expect, it } from "vitest";
import { acmeBelow } from "../../src/acme/rows/prefixes.ts";
import type { Stores } from "../../src/engine/ports.ts";
import { memoryStore } from "../../src/index.ts";
import { authority } from "../support/authority.ts";
import { over } from "../pki/tidy/tidying.ts";
import { acmeAuthority, type AcmeAuthority } from "./client.ts";
import { certificateIdOf, finalize, issue, newOrder, orderIn, readyOrder } from "./ordering.ts";

const day = 86_400;
/** Returns the keys of ACME rows by kind, without empty kinds. */
async function rowsOf(a: AcmeAuthority): Promise<Readonly<Record<string, readonly string[]>>> {
  const store = a.stores(await a.uuid());
  const kinds = await Promise.all(
    Object.values(acmeBelow).map(async (prefix) => {
      const rows = await store.list(prefix, { values: false });
      return [prefix, rows.map(([key]) => key)] as const;
    }),
  );
  return Object.fromEntries(kinds.filter(([, keys]) => keys.length > 0));
}
/** Runs the jobs four times a day for a number of days. */
async function pass(a: AcmeAuthority, days: number): Promise<void> {
  for (let quarter = 0; quarter < days * 4; quarter++) {
    a.clock.advance(day / 4);
    await a.ca.tick();
  }
}

describe("rows that anonymous callers can create", () => {
  it.each([
    { tidy: false, kinds: ["account/", "acmeunused/", "order/", "thumb/"] },
    { tidy: true, kinds: ["account/", "acmeunused/", "thumb/"] },
  ])(
    "all expire, except accounts and orders with certificates, which tidy removes ($tidy)",
    async ({ tidy, kinds }) => {
      const a = await acmeAuthority({ acme: { accountLimit: 50 } });
      const client = await a.registered();
      const first = await issue(a, client, ["a.test"]);
      const replaces = certificateIdOf(first.leaf);
      await issue(a, client, ["a.test"], { more: { replaces } });
      // abandoned: before any proof, after one, and deactivated
      await newOrder(client, ["b.test", "c.test"]);
      await readyOrder(a, client, ["d.test"]);
      const [left = ""] = orderIn(await newOrder(client, ["e.test"])).authorizations;
      await client.post(left, { status: "deactivated" });
      await a.client().post(await client.url("newAccount"), {});
      expect(Object.keys(await rowsOf(a)).toSorted()).toEqual([
        "account/",
        "acmeaddress/",
        "acmeunused/",
        "authz/",
        "nonce/",
        "order/",
        "replaced/",
        "thumb/",
      ]);
      const ends = first.leaf.notAfter - a.clock.now / 1000;
      await pass(a, Math.ceil(ends / day) + 5);
      const t = await over(a);
      if (tidy) await t.tidy({ tidy_acme: true, tidy_cert_store: true });
      const kept = await rowsOf(a);
      expect(Object.keys(kept).toSorted()).toEqual(kinds);
      if (!tidy) expect(kept["order/"]).toHaveLength(2);
      const jobs = (await t.keys("job/")).filter((key) => key.includes("acme"));
      expect(jobs).toEqual([]);
    },
  );

  it("the mark that a certificate was replaced is removed after the certificate's expiry, for any lifetime", async () => {
    const a = await acmeAuthority({ config: { max_ttl: "20000h" } });
    await a.role("long", { max_ttl: "19000h", ttl: "19000h" });
    const client = await a.registered({ at: "roles/long/acme" });
    const { leaf } = await issue(a, client, ["a.test"]);
    await issue(a, client, ["a.test"], { more: { replaces: certificateIdOf(leaf) } });
    expect(leaf.notAfter - a.clock.now / 1000).toBe(19_000 * 3600);
    await pass(a, 791);
    expect((await rowsOf(a))["replaced/"]).toHaveLength(1);
    await pass(a, 200);
    expect((await rowsOf(a))["replaced/"]).toBeUndefined();
  });
});

/** Returns memory stores, with a callback before the commit of a certain row. */
function interrupted(): {
  readonly stores: Stores;
  before(prefix: string, act: () => Promise<unknown>): void;
} {
  const inner = memoryStore();
  let next: { readonly prefix: string; act(): Promise<unknown> } | undefined;
  return {
    before: (prefix, act) => void (next = { prefix, act }),
    stores: (name) => {
      const store = inner(name);
      return {
        get: (keys) => store.get(keys),
        list: (prefix, page) => store.list(prefix, page),
        commit: async (batch) => {
          const now = next;
          if (now && batch.put?.some(([key]) => key.startsWith(now.prefix))) {
            next = undefined;
            await now.act();
          }
          return store.commit(batch);
        },
      };
    },
  };
}

it("tidy: an account that creates an order while tidy is about to revoke it stays valid", async () => {
  const { stores, before } = interrupted();
  const a = await acmeAuthority({ stores });
  const client = await a.registered();
  a.clock.advance(31 * day);
  // the client's nonce has expired: this response has a new one
  await client.post(client.kid);
  let status = 0;
  before("account/", async () => void ({ status } = await newOrder(client, ["a.test"])));
  const t = await over(a);
  const counts = await t.tidy({ tidy_acme: true });
  expect([status, counts["acme_account_revoked_count"]]).toEqual([201, 0]);
  expect((await client.post(client.kid)).json["status"]).toBe("valid");
  const order = await readyOrder(a, client, ["b.test"]);
  expect((await finalize(client, order, { names: ["b.test"] })).status).toBe(200);
});

it("the expiry job leaves no job behind if the mount is deleted while it runs", async () => {
  const { stores, before } = interrupted();
  const a = await acmeAuthority({ stores });
  const client = await a.registered();
  await newOrder(client, ["a.test"]);
  const store = a.stores(await a.uuid());
  a.clock.advance(600);
  before("job/", () => a.call("DELETE", "sys/mounts/pki"));
  await a.ca.tick();
  const left = (await store.list("", { values: false })).map(([key]) => key);
  expect(left.filter((key) => key !== "epoch")).toEqual([]);
  expect((await a.call("LIST", "sys/mounts")).data["pki/"]).toBeUndefined();
});

it("the expiry job is planned again if the mount's settings change while it runs", async () => {
  const { stores, before } = interrupted();
  const a = await acmeAuthority({ stores });
  const client = await a.registered();
  await newOrder(client, ["a.test"]);
  const other = authority({ stores, clock: a.clock, seed: 2 });
  a.clock.advance(600);
  before("job/", () => other.call("POST", "sys/mounts/pki/tune", { max_lease_ttl: "9999h" }));
  await a.ca.tick();
  const store = a.stores(await a.uuid());
  const jobs = (await store.list("job/", { values: false })).map(([key]) => key);
  expect(jobs.filter((key) => key.includes("acme-expiry"))).toHaveLength(1);
});
