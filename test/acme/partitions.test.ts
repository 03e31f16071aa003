import { describe, expect, it } from "vitest";
import { acmeBelow } from "../../src/acme/rows/prefixes.ts";
import { rowPrefixes } from "../../src/pki/rows/records.ts";
import { over } from "../pki/tidy/tidying.ts";
import { newKey, type AcmeClient } from "./client.ts";
import { chainIn, finalize, issue, newOrder, orderIn, readyOrder } from "./ordering.ts";
import {
  changeKey,
  idOf,
  keysIn,
  lost,
  newEab,
  partitionedAuthority,
  partitionOf,
  type PartitionedAuthority,
  puts,
  read,
  registerWith,
  runJobs,
  stateOf,
  sum,
  withKey,
} from "./partitioned.ts";

/** Runs a request and returns the calls of the stores. */
async function callsOf(a: PartitionedAuthority, run: () => Promise<unknown>) {
  a.calls.length = 0;
  await run();
  return a.calls.map(({ partition, what }) => `${what} ${partition}`);
}

describe("the ACME rows of a mount with partitions", () => {
  it.each([4, 16])(
    "are spread over %i partitions by account, with the certificates",
    async (count) => {
      const a = await partitionedAuthority(count);
      const clients: AcmeClient[] = [];
      for (let n = 0; n < 3 * count; n++) {
        const client = await a.registered();
        clients.push(client);
        const { order } = await issue(a, client, [`host${n}.test`]);
        expect(partitionOf(order, count)).toBe(partitionOf(client.kid, count));
      }
      const [accounts, orders, authz, certs, thumbs, unused] = await Promise.all(
        [
          acmeBelow.accounts,
          acmeBelow.orders,
          acmeBelow.authorizations,
          rowPrefixes.certs,
          acmeBelow.thumbs,
          acmeBelow.unused,
        ].map((prefix) => keysIn(a, prefix)),
      );
      const places = clients.map(({ kid }) => partitionOf(kid, count));
      const expected = Array.from(
        { length: count },
        (_, at) => places.filter((place) => place === at).length,
      );
      const sizes = (keys: readonly (readonly string[])[] = []) => keys.map(({ length }) => length);
      expect([accounts, orders, authz].map(sizes)).toEqual([expected, expected, expected]);
      // the mount's own store also has the root
      expect(sizes(certs)).toEqual([(expected[0] ?? 0) + 1, ...expected.slice(1)]);
      expect(expected.filter((size) => size > 0).length).toBeGreaterThan(count / 2);
      expect([sizes(thumbs)[0], sum(sizes(thumbs))]).toEqual([3 * count, 3 * count]);
      expect(sum(sizes(unused))).toBe(0);
    },
  );

  it("are read and changed by an account in its partition only, finalize in one commit and no other call", async () => {
    const a = await partitionedAuthority(4);
    const client = await a.registeredIn(3);
    await issue(a, client, ["first.test"]);
    const order = await newOrder(client, ["a.test"]);
    const [authorization = ""] = orderIn(order).authorizations;
    await client.post(order.location);
    const ready = await readyOrder(a, client, ["b.test"]);
    // caches the rows, as polling clients do
    await client.post(ready);
    let certificate = "";
    const done = await callsOf(a, async () => {
      const reply = await finalize(client, ready, { names: ["b.test"] });
      expect(reply.status).toBe(200);
      ({ certificate } = orderIn(reply));
    });
    expect(done).toEqual(["commit 3"]);
    let chain: readonly string[] = [];
    expect(await callsOf(a, async () => (chain = chainIn(await client.post(certificate))))).toEqual(
      ["commit 3"],
    );
    const requests = [
      () => newOrder(client, ["c.test"]),
      () => client.post(order.location),
      () => client.post(authorization),
      () => client.post(`${client.kid}/orders`),
      () => client.post(authorization, { status: "deactivated" }),
    ];
    for (const request of requests)
      for (const call of await callsOf(a, request)) expect(call).toMatch(/ 3$/);
    const der = Buffer.from(chain[0]?.replace(/-----.*?-----|\s/g, "") ?? "", "base64");
    const url = await client.url("revokeCert");
    const revoked = await callsOf(a, async () => {
      const reply = await client.post(url, { certificate: der.toString("base64url") });
      expect(reply.status).toBe(200);
    });
    // the other commits build the CRL
    expect(revoked.filter((call) => call.startsWith("commit"))[0]).toBe("commit 3");
    expect(a.calls.filter((call) => puts(call, acmeBelow.nonces))).toHaveLength(1);
    expect(a.calls.find((call) => puts(call, rowPrefixes.revoked))?.partition).toBe(3);
  });

  it("include each nonce once in the whole mount, even if another account spends it", async () => {
    const a = await partitionedAuthority(4);
    const [home, one, two] = [
      await a.registeredIn(0),
      await a.registeredIn(1),
      await a.registeredIn(2),
    ];
    const newNonce = async () => {
      const reply = await a.ca.fetch(new Request(await one.url("newNonce"), { method: "HEAD" }));
      return reply.headers.get("replay-nonce") ?? "";
    };
    const nonceOf = async (client: AcmeClient) =>
      (await client.post(client.kid)).headers.get("replay-nonce") ?? "";
    for (const from of [newNonce, () => nonceOf(home), () => nonceOf(one), () => nonceOf(two)]) {
      const nonce = await from();
      for (const [at, by] of [one, two, home, one].entries()) {
        const reply = await by.post(by.kid, {}, { nonce });
        expect([at, reply.status, reply.problem]).toEqual(
          at === 0 ? [at, 200, ""] : [at, 400, "badNonce"],
        );
      }
    }
    // if several accounts use a nonce concurrently, only one request spends it
    for (const from of [newNonce, () => nonceOf(two)]) {
      const nonce = await from();
      const replies = await Promise.all(
        [home, one, two, one, two].map((by) => by.post(by.kid, {}, { nonce })),
      );
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    }
    // a refused request spends its nonce too
    const nonce = await newNonce();
    const url = await two.url("newOrder");
    expect((await two.post(url, { identifiers: [] }, { nonce })).status).toBe(400);
    expect((await two.post(two.kid, {}, { nonce })).problem).toBe("badNonce");
    const spent = await keysIn(a, acmeBelow.nonces);
    expect(spent.filter(({ length }) => length > 0).length).toBeGreaterThan(2);
  });
});

describe("the limits of a binding in another partition than its accounts", () => {
  it.each([
    ["tightened", { allowed_identifiers: ["b.test"] }],
    ["deleted", undefined],
  ] as const)(
    "are final once they were %s: no order is created or finalized under the old ones",
    async (_, limits) => {
      const a = await partitionedAuthority(4);
      const eab = await newEab(a, { allowed_identifiers: ["a.test", "b.test"], max_uses: 50 });
      let client = a.client();
      do {
        client = a.client();
        await registerWith(client, eab);
      } while (partitionOf(client.kid, 4) === 0);
      const order = await readyOrder(a, client, ["a.test"]);
      const change = async () => {
        const reply = await (limits
          ? a.call("POST", `pki/eab/${eab.id}`, limits)
          : a.call("DELETE", `pki/eab/${eab.id}`));
        expect(reply.status).toBeLessThan(300);
      };
      // the change is made between the decision of finalize and its commit
      let changed = 0;
      a.hooks.before = async (call) => {
        if (!puts(call, rowPrefixes.certs) || changed++ > 0) return;
        await change();
      };
      const refused = await finalize(client, order, { names: ["a.test"] });
      expect([changed, refused.status, refused.problem]).toEqual([1, 403, "unauthorized"]);
      a.hooks.before = () => undefined;
      expect((await newOrder(client, ["a.test"])).status).toBe(limits ? 400 : 403);
      expect(orderIn(await client.post(order)).status).not.toBe("valid");
      expect(sum((await keysIn(a, rowPrefixes.certs)).map(({ length }) => length))).toBe(1);
      const other = await newOrder(client, ["b.test"]);
      expect(other.status).toBe(limits ? 201 : 403);
    },
  );
});

describe("an order in another partition than the configuration", () => {
  it.each([
    [
      "its account is deactivated",
      401,
      async (_: PartitionedAuthority, client: AcmeClient) => {
        expect((await client.post(client.kid, { status: "deactivated" })).status).toBe(200);
      },
    ],
    [
      "its account is revoked",
      401,
      async (a: PartitionedAuthority, client: AcmeClient) => {
        const id = idOf(client.kid);
        await a.pki.writeAcmeAccount({ key_id: id, status: "revoked" });
      },
    ],
    [
      "its authorization is deactivated",
      403,
      async (a: PartitionedAuthority, client: AcmeClient) => {
        const [order = ""] = (await client.post(`${client.kid}/orders`)).json["orders"] as string[];
        const [authorization = ""] = orderIn(await client.post(order)).authorizations;
        expect((await client.post(authorization, { status: "deactivated" })).status).toBe(200);
      },
    ],
    [
      "ACME is disabled",
      404,
      async (a: PartitionedAuthority) => {
        await a.pki.writeAcmeConfig({ enabled: false });
      },
    ],
    [
      "the key of the account is changed",
      400,
      async (_: PartitionedAuthority, client: AcmeClient) => {
        expect((await changeKey(client, newKey())).status).toBe(200);
      },
    ],
  ] as const)(
    "gets no certificate if %s between the decision and the commit",
    async (_, status, act) => {
      const a = await partitionedAuthority(4);
      const client = await a.registeredIn(2);
      const order = await readyOrder(a, client, ["a.test"]);
      await client.post(order);
      // the same account in another program
      const other = withKey(a, client, client.key);
      let acted = 0;
      a.hooks.before = async (call) => {
        if (!puts(call, rowPrefixes.certs) || acted++ > 0) return;
        await act(a, other);
      };
      const reply = await finalize(client, order, { names: ["a.test"] });
      expect([reply.status, acted]).toEqual([status, 1]);
      expect(sum((await keysIn(a, rowPrefixes.certs)).map(({ length }) => length))).toBe(1);
    },
  );
});

describe("tidy of accounts in several partitions", () => {
  it("deletes them with their keys, and keeps a key that another account gets meanwhile", async () => {
    const a = await partitionedAuthority(4);
    const clients = [await a.registeredIn(1), await a.registeredIn(2), await a.registeredIn(0)];
    const [one] = clients;
    if (!one) throw new Error("no client");
    const t = await over(a);
    const tidy = async () => {
      a.clock.advance(40 * 86_400);
      return t.tidy({ tidy_acme: true, acme_account_safety_buffer: "720h" });
    };
    const { accounts } = await stateOf(a);
    expect((await tidy())["acme_account_revoked_count"]).toBe(accounts);
    // the accounts of the other partitions are deleted before the rows of their keys
    const again = a.client({ key: one.key });
    let met = 0;
    a.hooks.before = async (call) => {
      if (!call.batch?.del?.some((key) => key.startsWith(acmeBelow.thumbs)) || met++ > 0) return;
      expect((await again.register()).status).toBe(201);
    };
    await tidy();
    expect(met).toBeGreaterThan(0);
    a.hooks.before = () => undefined;
    expect(again.kid).not.toBe(one.kid);
    expect((await read(again)).json["status"]).toBe("valid");
    const found = a.client({ key: one.key });
    await found.register({ onlyReturnExisting: true });
    expect(found.kid).toBe(again.kid);
    const left = await stateOf(a);
    expect([left.accounts, left.registering]).toEqual([1, 0]);
    // a key without an account can be used again
    for (const { key } of clients.slice(1))
      expect((await a.client({ key }).register()).status).toBe(201);
  });
});

describe("an unused account in another partition than the list of unused accounts", () => {
  it("is kept if its first order was interrupted before it was removed from the list", async () => {
    const a = await partitionedAuthority(4);
    const client = await a.registeredIn(1);
    a.hooks.before = (call) => {
      if (call.batch?.del?.some((key) => key.startsWith(acmeBelow.unused))) throw lost();
    };
    expect((await newOrder(client, ["a.test"])).status).toBe(201);
    a.hooks.before = () => undefined;
    const listed = (await keysIn(a, acmeBelow.unused))
      .flat()
      .some((key) => key.endsWith(idOf(client.kid)));
    expect(listed).toBe(true);
    // adds enough accounts that the oldest are removed
    a.clock.advance(100);
    const store = a.stores(await a.uuid());
    for (let n = 0; n < 1000; n++)
      await store.commit({
        put: [[`${acmeBelow.unused}other/${String(2e9 + n).padStart(12, "0")}/x${n}`, {}]],
      });
    for (let n = 0; n < 3; n++) await a.registered();
    await runJobs(a);
    expect((await read(client)).status).toBe(200);
  });

  it("is removed to make room, with its key, also after a crash", async () => {
    const a = await partitionedAuthority(4);
    const victim = await a.registeredIn(1);
    const others = (await keysIn(a, acmeBelow.unused)).flat().length;
    a.clock.advance(100);
    // all but the accounts of this network are gone
    const store = a.stores(await a.uuid());
    const [first = ""] = (await keysIn(a, acmeBelow.unused)).flat();
    const network = first.split("/")[0] ?? "";
    const now = Math.floor(a.clock.now / 1000);
    const fill = Array.from(
      { length: 1000 },
      (_, n) => `${acmeBelow.unused}${network}/${String(now).padStart(12, "0")}/x${n}`,
    );
    for (const key of fill) await store.commit({ put: [[key, {}]] });
    // the oldest of this network are removed first
    a.hooks.before = (call) => {
      if (call.partition > 0 && call.batch?.del?.some((key) => key.startsWith(acmeBelow.accounts)))
        throw lost();
    };
    for (
      let n = 0;
      n < 60 &&
      (await keysIn(a, acmeBelow.unused)).flat().some((key) => key.endsWith(idOf(victim.kid)));
      n++
    )
      // the job removes the other account later
      expect((await a.client().register()).status).toBe(201);
    a.hooks.before = () => undefined;
    expect(others).toBeGreaterThan(0);
    await runJobs(a);
    expect((await read(victim)).problem).toBe("accountDoesNotExist");
    const again = a.client({ key: victim.key });
    expect((await again.register({ onlyReturnExisting: true })).problem).toBe(
      "accountDoesNotExist",
    );
  });
});
