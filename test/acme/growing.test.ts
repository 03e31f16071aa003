import { describe, expect, it } from "vitest";
import { acmeBelow } from "../../src/acme/rows/prefixes.ts";
import { slotOfId } from "../../src/base/slot-ids.ts";
import { memoryStore, type Stores } from "../../src/index.ts";
import { rowPrefixes } from "../../src/pki/rows/records.ts";
import { authority, type Authority } from "../support/authority.ts";
import { fresh, gathered } from "../sys/backup/kept.ts";
import {
  acmeAuthority,
  acmeClient,
  type AcmeAuthority,
  type AcmeClient,
  clusterPath,
  newKey,
} from "./client.ts";
import { chainIn, finalize, issue, newOrder, orderIn, readyOrder } from "./ordering.ts";
import { growthStep, idOf, registerWith } from "./partitioned.ts";

const nameOf = (uuid: string, at: number): string => (at === 0 ? uuid : `${uuid}.${at}`);
/** Returns the keys below a prefix in each partition. */
const keysIn = (
  stores: Stores,
  uuid: string,
  { prefix, count }: { prefix: string; count: number },
) =>
  Promise.all(
    Array.from({ length: count }, async (_, at) =>
      (await stores(nameOf(uuid, at)).list(prefix, { values: false })).map(([key]) =>
        key.slice(prefix.length),
      ),
    ),
  );
/**
 * Asserts that each row is in the partition of the slot in its ID, or in the first partition if the
 * ID has no slot.
 */
async function expectPlaced(stores: Stores, uuid: string, count: number): Promise<void> {
  for (const prefix of [acmeBelow.accounts, acmeBelow.orders, acmeBelow.authorizations]) {
    const all = await keysIn(stores, uuid, { prefix, count });
    for (const [at, ids] of all.entries())
      for (const id of ids) expect([id, (slotOfId(id) ?? 0) % count]).toEqual([id, at]);
  }
}
/** Returns clients of a mount whose requests alternate between several processes. */
function clientOf(processes: readonly Authority[]): AcmeClient {
  let sent = 0;
  return acmeClient({
    fetch: async (request) =>
      (processes[sent++ % processes.length] ?? processes[0])?.ca.fetch(request) ?? new Response(),
    directory: `${clusterPath}/acme/directory`,
  });
}
/** Gives an account an ID without a slot, as in mounts of earlier versions. */
async function age(a: AcmeAuthority, client: AcmeClient, id: string): Promise<void> {
  const store = a.stores(await a.uuid());
  const old = `${acmeBelow.accounts}${idOf(client.kid)}`;
  const thumb = `${acmeBelow.thumbs}${client.key.thumbprint}`;
  const [row] = await store.get([old]);
  await store.commit({
    put: [
      [`${acmeBelow.accounts}${id}`, row?.value],
      [thumb, { account: id }],
    ],
    del: [old],
  });
  client.kid = client.kid.replace(idOf(client.kid), id);
}

describe("ACME accounts of a mount that gets more partitions", () => {
  it("work in two processes during the growth, and each order has one certificate at the end", async () => {
    const stores = memoryStore();
    const a = await acmeAuthority({ stores });
    const b = authority({ stores, clock: a.clock, seed: 3 });
    const uuid = await a.uuid();
    const clients: AcmeClient[] = [];
    const ready: { readonly client: AcmeClient; readonly order: string }[] = [];
    for (let n = 0; n < 24; n++) {
      const client = clientOf(n % 2 === 0 ? [a, b] : [b, a]);
      expect((await client.register()).status).toBe(201);
      clients.push(client);
      await issue(a, client, [`before${n}.test`]);
      for (let m = 0; m < 4; m++)
        ready.push({ client, order: await readyOrder(a, client, [`n${n}-${m}.test`]) });
    }
    const limits = { preauthorized: true, allowed_identifiers: ["*.bound.test"], max_uses: 50 };
    const { data } = await a.call("POST", "pki/acme/new-eab", limits);
    const bound = { id: String(data["id"]), key: String(data["key"]) };
    const nameless = clientOf([a, b]);
    await nameless.register();
    await age(a, nameless, "0f111111-1111-4111-8111-111111111111");
    const earlier = await readyOrder(a, nameless, ["earlier.test"]);
    expect(slotOfId(idOf(earlier))).toBeUndefined();
    // the nonce of a request that is repeated during the growth
    const repeated = await Promise.all(
      clients.map(async (client) => {
        const nonce = await client.nonce();
        expect((await client.post(client.kid, {}, { nonce })).status).toBe(200);
        return { client, nonce };
      }),
    );
    const finalized = new Set<string>();
    let at = 0;
    for (const count of [4, 16]) {
      await a.ca.sys.growPartitions({ path: "pki", count });
      for (let steps = 0; steps < 60 && (await growthStep(steps % 3 === 2 ? b : a)); steps++) {
        const one = ready[at % ready.length];
        if (at < ready.length && one) {
          const names = [`n${Math.floor(at / 4)}-${at % 4}.test`];
          const replies = await Promise.all([
            finalize(one.client, one.order, { names }),
            // a second request for the same order
            finalize(one.client, one.order, { names }),
          ]);
          const done = replies.filter(({ status }) => status === 200);
          expect(done.length, replies.map(({ text }) => text).join()).toBe(1);
          finalized.add(one.order);
          expect(
            chainIn(await one.client.post(orderIn(done[0] ?? replies[0]).certificate)),
          ).toHaveLength(2);
        }
        const client = clients[(at * 7) % clients.length];
        if (client && at % 3 === 0) {
          const listed = (await client.post(`${client.kid}/orders`)).json["orders"];
          expect(listed).toContain(ready.find((of) => of.client === client)?.order);
        }
        const again = repeated[(at * 5) % repeated.length];
        if (again && at % 4 === 1) {
          const { client: by, nonce } = again;
          expect((await by.post(by.kid, {}, { nonce })).problem).toBe("badNonce");
        }
        if (at % 6 === 2) {
          const made = clientOf([b, a]);
          expect((await registerWith(made, bound)).status).toBe(201);
          const names = [`new${at}.bound.test`];
          const { location, text } = await newOrder(made, names);
          expect((await finalize(made, location, { names })).status, text).toBe(200);
        }
        at += 1;
      }
      await expectPlaced(stores, uuid, count);
      // accounts without a slot stay in the mount's own store, with what they create
      const { location } = await newOrder(nameless, [`late${count}.test`]);
      expect(slotOfId(idOf(location))).toBeUndefined();
    }
    expect((await finalize(nameless, earlier, { names: ["earlier.test"] })).status).toBe(200);
    await expectPlaced(stores, uuid, 16);
    // every valid order has exactly its own certificate
    const orders = await Promise.all(
      Array.from({ length: 16 }, (_, n) => stores(nameOf(uuid, n)).list(acmeBelow.orders)),
    );
    const serials = orders
      .flat()
      .map(([, { value }]) => (value as { readonly serial?: string }).serial)
      .filter((serial) => serial !== undefined);
    const certs = (await keysIn(stores, uuid, { prefix: rowPrefixes.certs, count: 16 })).flat();
    expect(new Set(serials).size).toBe(serials.length);
    expect(certs).toHaveLength(serials.length + 1);
    expect(certs).toEqual(expect.arrayContaining(serials));
    expect(finalized.size).toBeGreaterThan(10);
  });

  it("are served by a process that was idle during the whole growth and has cached their rows", async () => {
    const stores = memoryStore();
    const a = await acmeAuthority({ stores });
    const b = authority({ stores, clock: a.clock, seed: 3 });
    const client = clientOf([b]);
    expect((await client.register()).status).toBe(201);
    const order = await readyOrder(a, client, ["a.test"]);
    // caches the account, the order and its authorization
    for (let n = 0; n < 2; n++) await client.post(order);
    await a.ca.sys.growPartitions({ path: "pki", count: 4 });
    while (await growthStep(a));
    const done = await finalize(client, order, { names: ["a.test"] });
    expect([done.status, orderIn(done).status]).toEqual([200, "valid"]);
    const c = authority({ stores, clock: a.clock, seed: 4 });
    const late = clientOf([c]);
    expect((await late.register()).status).toBe(201);
    await newOrder(late, ["b.test"]);
    await late.post(`${late.kid}/orders`);
    await a.ca.sys.growPartitions({ path: "pki", count: 16 });
    while (await growthStep(a));
    expect((await newOrder(late, ["c.test"])).status).toBe(201);
    expect((await late.post(late.kid, { status: "deactivated" })).status).toBe(200);
  });

  it("are all in their partitions after a restore with another number of partitions", async () => {
    const stores = memoryStore();
    const a = await acmeAuthority({ stores });
    const clients: AcmeClient[] = [];
    const orders: string[] = [];
    for (let n = 0; n < 12; n++) {
      const client = await a.registered();
      clients.push(client);
      await issue(a, client, [`host${n}.test`]);
      orders.push(await readyOrder(a, client, [`ready${n}.test`]));
    }
    let parts = await gathered(a.ca.backup("pki"));
    let current: Authority = a;
    for (const partitions of [16, 4, 1, 16]) {
      const restored = memoryStore();
      const b = fresh({ stores: restored, clock: a.clock, seed: 10 + partitions });
      await b.ca.restore("pki", parts, { partitions });
      const { uuid } = await b.sys.readMount({ path: "pki" });
      await expectPlaced(restored, uuid, partitions);
      const accounts = await keysIn(restored, uuid, {
        prefix: acmeBelow.accounts,
        count: partitions,
      });
      expect(accounts.flat()).toHaveLength(12);
      if (partitions > 1)
        expect(accounts.filter(({ length }) => length > 0).length).toBeGreaterThan(1);
      // each account finalizes an order from before the backup
      const n = 12 - orders.length;
      const [client, order] = [clients[n], orders.shift()];
      if (!client || order === undefined) throw new Error("too few accounts");
      const now = acmeClient({
        fetch: (request) => b.ca.fetch(request),
        directory: `${clusterPath}/acme/directory`,
        key: client.key,
      });
      expect((await now.register({ onlyReturnExisting: true })).status).toBe(200);
      expect(now.kid).toBe(client.kid);
      const done = await finalize(now, order, { names: [`ready${n}.test`] });
      expect(done.status).toBe(200);
      expect(chainIn(await now.post(orderIn(done).certificate))).toHaveLength(2);
      parts = await gathered(b.ca.backup("pki"));
      current = b;
    }
    expect(current).not.toBe(a);
  });

  it("stay in the mount's own store if the mount had partitions before accounts were spread, until it is restored", async () => {
    const stores = memoryStore();
    const made = authority({ stores });
    await made.sys.deleteMount({ path: "pki" });
    await made.sys.createMount({
      path: "pki",
      type: "pki",
      config: { partitions: 4, max_lease_ttl: "87600h" },
    });
    const { uuid } = await made.sys.readMount({ path: "pki" });
    for (const name of ["sys", uuid])
      for (const [key, { value }] of await stores(name).list("mount")) {
        const { placement, ...row } = value as { readonly placement?: number };
        if (placement === undefined) continue;
        expect(placement).toBe(3);
        await stores(name).commit({ epoch: "next", put: [[key, { ...row, placement: 2 }]] });
      }
    const a = await acmeAuthority({ stores, clock: made.clock, seed: 2 });
    const clients: AcmeClient[] = [];
    for (let n = 0; n < 6; n++) {
      const client = await a.registered();
      clients.push(client);
      await issue(a, client, [`host${n}.test`]);
    }
    await a.ca.sys.growPartitions({ path: "pki", count: 16 });
    while (await growthStep(a));
    for (const client of clients) await issue(a, client, ["again.test"]);
    for (const prefix of [acmeBelow.accounts, acmeBelow.orders, acmeBelow.nonces]) {
      const [home = [], ...others] = await keysIn(stores, uuid, { prefix, count: 16 });
      expect([home.length > 0, others.flat()]).toEqual([true, []]);
    }
    const restored = memoryStore();
    const b = fresh({ stores: restored, clock: a.clock, seed: 7 });
    await b.ca.restore("pki", await gathered(a.ca.backup("pki")));
    await expectPlaced(restored, uuid, 16);
    const [first] = clients;
    if (!first) throw new Error("no client");
    const now = acmeClient({
      fetch: (request) => b.ca.fetch(request),
      directory: `${clusterPath}/acme/directory`,
      key: first.key,
    });
    now.kid = first.kid;
    const change = await now.url("keyChange");
    const next = newKey();
    const payload = { account: now.kid, oldKey: now.key.jwk };
    const inner = now.jws({ alg: next.alg, jwk: next.jwk, url: change }, payload, next);
    expect((await now.post(change, inner)).status).toBe(200);
  });
});
