import { describe, expect, it } from "vitest";
import type { Batch, Store, Stores } from "../../src/engine/ports.ts";
import { memoryStore } from "../../src/index.ts";
import { rowPrefixes } from "../../src/pki/rows/records.ts";
import { authority, type Authority } from "../support/authority.ts";
import { acmeAuthority, acmeClient, type AcmeClient, clusterPath } from "./client.ts";
import { finalize, newOrder, readyOrder } from "./ordering.ts";
import { growthStep, partitionOf, registerWith } from "./partitioned.ts";

describe("a process that did not notice a growth", () => {
  it("answers requests of accounts that moved", async () => {
    const stores = memoryStore();
    const a = await acmeAuthority({ stores });
    const b = authority({ stores, clock: a.clock, seed: 3 });
    let by: Authority = a;
    const clients: AcmeClient[] = [];
    for (let n = 0; n < 8; n++) {
      const client = acmeClient({
        fetch: async (request) => by.ca.fetch(request),
        directory: `${clusterPath}/acme/directory`,
      });
      by = b;
      expect((await client.register()).status).toBe(201);
      expect((await client.post(client.kid, {})).status).toBe(200);
      clients.push(client);
    }
    const ready: string[] = [];
    for (const client of clients) {
      by = a;
      const order = await readyOrder(a, client, ["a.test"]);
      by = b;
      expect((await client.post(order)).status).toBe(200);
      expect((await client.post(client.kid, {})).status).toBe(200);
      ready.push(order);
    }
    // discards the nonces of the last responses: the next requests get nonces without a slot
    for (const client of clients) await client.nonce();
    await a.ca.sys.growPartitions({ path: "pki", count: 4 });
    while (await growthStep(a));
    by = b;
    const replies: [number, string][] = [];
    for (const [at, client] of clients.entries()) {
      const reply =
        at % 2 === 0
          ? await newOrder(client, ["b.test"])
          : await finalize(client, ready[at] ?? "", { names: ["a.test"] });
      replies.push([reply.status, reply.text.slice(0, 200)]);
    }
    expect(replies.filter(([status]) => status >= 300)).toEqual([]);
  });

  it.each([1, 4])("changes limits of a mount with %i partitions for all orders", async (before) => {
    const memory = memoryStore();
    const hooks: { before(name: string, batch: Batch): Promise<void> } = {
      before: async () => undefined,
    };
    const open = (name: string): Store => {
      const inner = memory(name);
      return {
        ...inner,
        async commit(batch) {
          await hooks.before(name, batch);
          return inner.commit(batch);
        },
      };
    };
    const stores: Stores = Object.assign(open, { durable: false as const, partitions: true });
    const a = await acmeAuthority({ stores });
    if (before > 1) {
      await a.ca.sys.growPartitions({ path: "pki", count: before });
      while (await growthStep(a));
    }
    const b = authority({ stores, clock: a.clock, seed: 3 });
    const limits = { allowed_identifiers: ["a.test", "b.test"], max_uses: 50 };
    const { data } = await a.call("POST", "pki/acme/new-eab", limits);
    const eab = { id: String(data["id"]), key: String(data["key"]) };
    let client = a.client();
    do {
      client = a.client();
      expect((await registerWith(client, eab)).status).toBe(201);
    } while (partitionOf(client.kid, 16) % 4 !== 0 || partitionOf(client.kid, 16) === 0);
    const order = await readyOrder(a, client, ["a.test"]);
    // makes the other process cache the mount, with the number of partitions before the growth
    await b.call("GET", `pki/eab/${eab.id}`);
    await b.pki.readAcmeConfig();
    await a.ca.sys.growPartitions({ path: "pki", count: 16 });
    while (await growthStep(a));
    let changed = 0;
    hooks.before = async (_, { put = [] }) => {
      if (!put.some(([key]) => key.startsWith(rowPrefixes.certs)) || changed++ > 0) return;
      const reply = await b.call("POST", `pki/eab/${eab.id}`, { allowed_identifiers: ["b.test"] });
      expect(reply.status).toBeLessThan(300);
    };
    const refused = await finalize(client, order, { names: ["a.test"] });
    expect([changed, refused.status]).toEqual([1, 403]);
  });
});
