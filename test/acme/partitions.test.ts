import { describe, expect, it } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import { acmeBelow } from "../../src/acme/rows/records.ts";
import { rowPrefixes } from "../../src/pki/rows/records.ts";
import { newKey, type AcmeClient, type AcmeKey } from "./client.ts";
import { chainIn, finalize, issue, newOrder, orderIn, readyOrder } from "./ordering.ts";
import {
  idOf,
  partitionedAuthority,
  type Eab,
  partitionOf,
  registerWith,
  type PartitionCall,
  type PartitionedAuthority,
} from "./partitioned.ts";

/** Reads an account, also if the client's nonce has expired. */
const read = async (client: AcmeClient) => {
  const reply = await client.post(client.kid);
  return reply.problem === "badNonce" ? client.post(client.kid) : reply;
};
const lost = (): CaError => new CaError("storage", "the process was killed");
const puts = ({ batch }: PartitionCall, prefix: string): boolean =>
  batch?.put?.some(([key]) => key.startsWith(prefix)) === true;
/** Runs the jobs that settle interrupted requests. */
async function runJobs(a: PartitionedAuthority): Promise<void> {
  a.clock.advance(61);
  await a.ca.tick();
}
/** Returns the keys below a prefix in each partition. */
const keysIn = async (a: PartitionedAuthority, prefix: string) =>
  Promise.all(
    (await a.partitions()).map(async (store) =>
      (await store.list(prefix, { values: false })).map(([key]) => key.slice(prefix.length)),
    ),
  );
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
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
      // the home also has the root
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

  it("include each nonce once in the whole mount, also if another account spends it", async () => {
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
    // of concurrent requests of different accounts, one spends a nonce
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

const newEab = async (a: PartitionedAuthority, limits = {}): Promise<Eab> => {
  const { data } = await a.call("POST", "pki/acme/new-eab", limits);
  return data as unknown as Eab;
};
/** Returns the accounts in the mount, and the number of unused bindings. */
async function stateOf(a: PartitionedAuthority) {
  const accounts = (await keysIn(a, acmeBelow.accounts)).flat();
  const rows = await Promise.all(
    (await a.partitions()).map((store) => store.list(acmeBelow.accounts)),
  );
  const registering = rows
    .flat()
    .filter(([, { value }]) => (value as { readonly registering?: boolean }).registering);
  const [thumbs, eabs, intents] = await Promise.all(
    [acmeBelow.thumbs, acmeBelow.eabs, acmeBelow.registrations].map(async (prefix) =>
      sum((await keysIn(a, prefix)).map(({ length }) => length)),
    ),
  );
  return { accounts: accounts.length, registering: registering.length, thumbs, eabs, intents };
}

describe("the registration of an account in another partition than its binding", () => {
  // the commits of a registration in partition 1 to 3, in order
  const steps = [
    ["it is allowed", acmeBelow.registrations, 0],
    ["the account is stored", acmeBelow.accounts, 1],
    ["it is registered", acmeBelow.thumbs, 2],
    ["the account is complete", acmeBelow.accounts, 3],
  ] as const;
  const cases = steps.flatMap(([what, prefix, at]) =>
    (["before", "after"] as const).map((when) => ({ what, prefix, at, when })),
  );

  it.each(cases)(
    "uses the binding exactly if it succeeds, after a crash $when $what",
    async ({ prefix, at, when }) => {
      for (const isJob of [true, false]) {
        const a = await partitionedAuthority(4, { config: { eab_policy: "always-required" } });
        const eab = await newEab(a);
        const key = newKey();
        let crashed = false;
        for (;;) {
          // registers until an account is not at home, because those have one commit
          let seen = 0;
          const isStep = (call: PartitionCall): boolean =>
            (puts(call, acmeBelow.registrations) ||
              (call.partition > 0 && puts(call, acmeBelow.accounts)) ||
              puts(call, acmeBelow.thumbs)) &&
            seen++ === at;
          const crash = (call: PartitionCall): void => {
            if (!isStep(call)) return;
            expect(puts(call, prefix)).toBe(true);
            crashed = true;
            throw lost();
          };
          a.hooks[when] = crash;
          const client = a.client({ key });
          // a registration at home would use up the binding
          a.hooks[when] = (call) => {
            if (call.partition === 0 && puts(call, acmeBelow.accounts)) throw lost();
            crash(call);
          };
          if (when === "after")
            a.hooks.before = (call) => {
              if (call.partition === 0 && puts(call, acmeBelow.accounts)) throw lost();
            };
          const reply = await registerWith(client, eab);
          expect(reply.status).toBe(503);
          if (crashed) break;
        }
        a.hooks.before = a.hooks.after = () => undefined;
        const isRegistered = at === 3 || (at === 2 && when === "after");
        if (isJob) {
          await runJobs(a);
          expect(await stateOf(a)).toEqual({
            accounts: isRegistered ? 1 : 0,
            registering: 0,
            thumbs: isRegistered ? 1 : 0,
            eabs: isRegistered ? 0 : 1,
            intents: 0,
          });
        }
        // the client repeats its request, and gets one account
        const client = a.client({ key });
        const again = await registerWith(client, eab);
        expect(again.status).toBe(isRegistered ? 200 : 201);
        expect((await client.post(client.kid)).json["status"]).toBe("valid");
        await issue(a, client, ["a.test"]);
        await runJobs(a);
        expect(await stateOf(a)).toEqual({
          accounts: 1,
          registering: 0,
          thumbs: 1,
          eabs: 0,
          intents: 0,
        });
        const other = await registerWith(a.client(), eab);
        expect([other.status, other.problem]).toEqual([401, "unauthorized"]);
      }
    },
  );

  it("is refused if the job settled it during a slow commit", async () => {
    for (const slow of [acmeBelow.accounts, acmeBelow.thumbs]) {
      const a = await partitionedAuthority(4);
      let isSettled = false;
      a.hooks.before = async (call) => {
        const isElsewhere = !puts(call, acmeBelow.accounts) || call.partition > 0;
        if (isSettled || !puts(call, slow) || !isElsewhere) return;
        // a registration in one commit has no other steps
        if (slow === acmeBelow.thumbs && puts(call, acmeBelow.accounts)) return;
        isSettled = true;
        await runJobs(a);
      };
      const clients: AcmeClient[] = [];
      while (!isSettled) clients.push(await a.registered());
      const late = clients.at(-1);
      expect(late?.kid).toBe("");
      // the nonce has expired
      const client = a.client(late ? { key: late.key } : {});
      expect((await client.register()).status).toBe(201);
      await runJobs(a);
      expect(await stateOf(a)).toMatchObject({
        accounts: clients.length,
        thumbs: clients.length,
        registering: 0,
        intents: 0,
      });
    }
  });

  it("never exceeds the uses of a binding, and yields one account for a key", async () => {
    const a = await partitionedAuthority(4);
    const limited = await newEab(a, { max_uses: 3 });
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => registerWith(a.client(), limited)),
    );
    const made = replies.filter(({ status }) => status === 201);
    expect(made).toHaveLength(3);
    const once = await newEab(a);
    const single = await Promise.all(
      Array.from({ length: 6 }, () => registerWith(a.client(), once)),
    );
    expect(single.filter(({ status }) => status === 201)).toHaveLength(1);
    // a client that sends its request several times has one account
    const key = newKey();
    const same = await Promise.all(Array.from({ length: 6 }, () => a.registered({ key })));
    expect(new Set(same.map(({ kid }) => kid)).size).toBe(1);
    expect(await stateOf(a)).toMatchObject({ accounts: 5, thumbs: 5, registering: 0, intents: 0 });
  });
});

/** Returns the JWS of a key change, and its URL. */
async function keyChangeOf(client: AcmeClient, next: AcmeKey) {
  const url = await client.url("keyChange");
  const payload = { account: client.kid, oldKey: client.key.jwk };
  return { url, inner: client.jws({ alg: next.alg, jwk: next.jwk, url }, payload, next) };
}
const changeKey = async (client: AcmeClient, next: AcmeKey) => {
  const { url, inner } = await keyChangeOf(client, next);
  return client.post(url, inner);
};
/** Returns a client of the same account with another key. */
function withKey(a: PartitionedAuthority, { kid }: AcmeClient, key: AcmeKey): AcmeClient {
  const client = a.client({ key });
  client.kid = kid;
  return client;
}

describe("the key change of an account in another partition than its key", () => {
  const steps = [
    ["the new key is reserved", 0],
    ["the account is changed", 1],
  ] as const;
  it.each(steps.flatMap(([what, at]) => ["before", "after"].map((when) => ({ what, at, when }))))(
    "is made or not made after a crash $when $what, and both keys can be used accordingly",
    async ({ at, when }) => {
      for (const isJob of [true, false]) {
        const a = await partitionedAuthority(4);
        const client = await a.registeredIn(2);
        const [old, next] = [client.key, newKey()];
        await client.post(client.kid);
        const { accounts: count } = await stateOf(a);
        const hook = when === "before" ? "before" : "after";
        a.hooks[hook] = (call) => {
          const prefix = at === 0 ? acmeBelow.thumbs : acmeBelow.accounts;
          if (puts(call, prefix)) throw lost();
        };
        expect((await changeKey(client, next)).status).toBe(503);
        a.hooks[hook] = () => undefined;
        const isChanged = at === 1 && when === "after";
        if (isJob) {
          await runJobs(a);
          expect(await stateOf(a)).toMatchObject({ accounts: count, thumbs: count });
        }
        const [current, other] = isChanged ? [next, old] : [old, next];
        expect((await withKey(a, client, current).post(client.kid)).status).toBe(200);
        expect((await withKey(a, client, other).post(client.kid)).status).toBe(400);
        // the key without an account can have one, and the other key cannot have another
        const own = a.client({ key: current });
        expect([(await own.register()).status, own.kid]).toEqual([200, client.kid]);
        const free = a.client({ key: other });
        expect((await free.register()).status).toBe(201);
        expect(free.kid).not.toBe(client.kid);
        const refused = await changeKey(withKey(a, client, current), other);
        expect([refused.status, refused.problem]).toEqual([409, "malformed"]);
        await runJobs(a);
        expect(await stateOf(a)).toMatchObject({ accounts: count + 1, thumbs: count + 1 });
      }
    },
  );

  it("is refused if another account got the key just before the account was changed", async () => {
    const a = await partitionedAuthority(4);
    const client = await a.registeredIn(3);
    const next = newKey();
    const registering = a.client({ key: next });
    let steps = 0;
    a.hooks.before = async (call) => {
      if (call.partition !== 3 || !puts(call, acmeBelow.accounts) || steps++ > 0) return;
      expect((await registering.register()).status).toBe(201);
    };
    const refused = await changeKey(client, next);
    expect([refused.status, refused.problem, refused.location]).toEqual([
      409,
      "malformed",
      registering.kid,
    ]);
    expect((await client.post(client.kid)).status).toBe(200);
    expect((await registering.post(registering.kid)).status).toBe(200);
  });

  it("gives a key to one account if several accounts and a registration want it at once", async () => {
    const a = await partitionedAuthority(4);
    for (let round = 0; round < 5; round++) {
      const accounts = [await a.registeredIn(1), await a.registeredIn(2), await a.registeredIn(0)];
      const next = newKey();
      const registering = a.client({ key: next });
      const [made, ...changed] = await Promise.all([
        registering.register(),
        ...accounts.map((client) => changeKey(client, next)),
      ]);
      const won = changed.filter(({ status }) => status === 200);
      // a registration returns the account that has got the key
      expect(won.length + (made.status === 201 ? 1 : 0)).toBe(1);
      const found = a.client({ key: next });
      expect((await found.register({ onlyReturnExisting: true })).status).toBe(200);
      const owner = accounts.findIndex((_, at) => changed[at]?.status === 200);
      if (owner >= 0) expect(found.kid).toBe(accounts[owner]?.kid);
      for (const [at, client] of accounts.entries())
        expect((await client.post(client.kid)).status).toBe(at === owner ? 400 : 200);
    }
    await runJobs(a);
    const { accounts, thumbs } = await stateOf(a);
    expect(thumbs).toBe(accounts);
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
    // makes so many accounts that the oldest are removed
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
      if (call.batch?.del?.some((key) => key.startsWith(acmeBelow.accounts))) throw lost();
    };
    for (
      let n = 0;
      n < 60 &&
      (await keysIn(a, acmeBelow.unused)).flat().some((key) => key.endsWith(idOf(victim.kid)));
      n++
    )
      await a.client().register();
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
