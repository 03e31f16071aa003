import { describe, expect, it } from "vitest";
import { authority, type Authority } from "../support/authority.ts";
import {
  accountUrl,
  binding,
  type ClientDirectory,
  clientKey,
  directory,
  distantStore,
  newEab,
  registering,
} from "./registering.ts";

const hour = 3600;
async function storeOf(a: Authority) {
  const { uuid } = (await a.call("GET", "sys/mounts/pki")).data;
  return a.stores(String(uuid));
}
const keysBelow = async (a: Authority, prefix: string) =>
  (await (await storeOf(a)).list(prefix, { values: false })).map(([key]) => key);

describe("registrations from one address", () => {
  it("above the limit per hour return 429 rateLimited with Retry-After; other addresses are unaffected", async () => {
    const { a, acme, key } = await registering({ acme: { accountLimit: 3 } });
    const register = async (address?: string) =>
      acme.post("/new-account", await clientKey(), {}, address === undefined ? {} : { address });
    expect((await acme.post("/new-account", key, {}, { address: "192.0.2.1" })).status).toBe(201);
    // the IPv4-mapped form is the same address
    expect((await register("::ffff:192.0.2.1")).status).toBe(201);
    expect((await register("192.0.2.1")).status).toBe(201);
    const refused = await register("192.0.2.1");
    expect([refused.status, refused.problem]).toEqual([429, "rateLimited"]);
    // it is 03:04:05, and a new count begins at 04:00:00
    expect(refused.headers.get("retry-after")).toBe(String(hour - 245));
    expect(refused.json["detail"]).toContain("at most 3 per hour");
    // an existing account is still returned
    const found = await acme.post("/new-account", key, {}, { address: "192.0.2.1" });
    expect(found.status).toBe(200);
    expect((await register("192.0.2.2")).status).toBe(201);
    a.clock.advance(hour - 246);
    expect((await register("192.0.2.1")).status).toBe(429);
    a.clock.advance(1);
    expect((await register("192.0.2.1")).status).toBe(201);
  });

  it("are counted per IPv6 /64, together if the address is unknown, and not at all without a limit", async () => {
    const { acme } = await registering({ acme: { accountLimit: 1 } });
    const register = async (of = acme, address?: string) =>
      (await of.post("/new-account", await clientKey(), {}, address ? { address } : {})).status;
    expect(await register(acme, "2001:db8::1")).toBe(201);
    expect(await register(acme, "2001:db8:0:0:ffff::2")).toBe(429);
    expect(await register(acme, "2001:db8:0:1::1")).toBe(201);
    expect([await register(), await register()]).toEqual([201, 429]);
    for (const limit of [{}, { acme: { accountLimit: 0 } }]) {
      const free = await registering(limit);
      for (let n = 0; n < 60; n++) expect(await register(free.acme, "192.0.2.1")).toBe(201);
      expect(await keysBelow(free.a, "acmeaddress/")).toEqual([]);
    }
  });

  it("are not counted for loopback and private addresses if limitPrivate is false", async () => {
    const { acme } = await registering({ acme: { accountLimit: 1, limitPrivate: false } });
    const register = async (address: string) =>
      (await acme.post("/new-account", await clientKey(), {}, { address })).status;
    for (const address of [
      "127.0.0.1",
      "::1",
      "10.1.2.3",
      "172.31.0.1",
      "192.168.0.9",
      "::ffff:10.1.2.3",
      "fd00::1",
      "fe80::1%eth0",
    ])
      for (const _ of [1, 2]) expect([address, await register(address)]).toEqual([address, 201]);
    for (const address of ["198.51.100.7", "100.64.0.1", "2001:db8::1", "172.32.0.1", "unknown"])
      expect([address, await register(address), await register(address)]).toEqual([
        address,
        201,
        429,
      ]);
  });

  it("never exceed the limit when concurrent; rejected ones do not count, and rows do not contain the address", async () => {
    const stores = distantStore();
    const limit = { acme: { accountLimit: 4 } };
    const { a, acme, key } = await registering({ stores, ...limit });
    const b = authority({ stores, seed: 9, ...limit });
    const address = "192.0.2.77";
    const bad = { contact: [""] };
    expect((await acme.post("/new-account", key, bad, { address })).status).toBe(400);
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, n) =>
        directory(n % 2 ? a : b).post("/new-account", await clientKey(), {}, { address }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses.filter((status) => status === 201)).toHaveLength(4);
    expect(statuses.filter((status) => status === 429)).toHaveLength(6);
    const rows = await keysBelow(a, "acmeaddress/");
    expect(rows).toHaveLength(4);
    expect(JSON.stringify(rows)).not.toContain(address);
  });
});

describe("accounts without an order", () => {
  const day = 86_400;
  /** Registers an account from an address. */
  const registerFrom = async (acme: ClientDirectory, address?: string) =>
    acme.post("/new-account", await clientKey(), {}, address === undefined ? {} : { address });
  const idOf = (url: string) => url.slice(url.lastIndexOf("/") + 1);
  /**
   * Creates a mount with 1,000 accounts that were registered 59 seconds ago, one of them from
   * `address`.
   */
  async function full(address?: string) {
    const { a, acme, key } = await registering();
    const from = address === undefined ? {} : { address };
    const made = await acme.post("/new-account", key, { contact: ["mailto:a@example.com"] }, from);
    const kid = accountUrl(made);
    const other = accountUrl(await registerFrom(acme));
    const store = await storeOf(a);
    const [row] = await store.get([`account/${idOf(other)}`]);
    // the stored row
    const value = row?.value as { readonly network: string };
    const created = a.clock.now / 1000;
    expect(value).toMatchObject({
      unused: true,
      created,
      network: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const below = `acmeunused/${value.network}/${String(created).padStart(12, "0")}/`;
    await store.commit({
      put: Array.from({ length: 998 }, (_, n) => [
        [`account/other-${n}`, { ...value, thumbprint: `other-${n}` }] as const,
        [`${below}other-${n}`, {}] as const,
      ]).flat(),
    });
    a.clock.advance(59);
    return { a, acme, key, kid, path: kid.slice(acme.url("").length) };
  }
  const count = async (a: Authority) => (await keysBelow(a, "account/")).length;
  const listed = async (a: Authority) => (await keysBelow(a, "acmeunused/")).length;

  it("are limited to 1,000 per mount: the network with most gives way to others immediately, and to itself after a minute", async () => {
    const { a, acme } = await full();
    const refused = await registerFrom(acme);
    expect([refused.status, refused.problem]).toEqual([429, "rateLimited"]);
    expect(refused.headers.get("retry-after")).toBe("1");
    for (const address of ["192.0.2.1", "192.0.2.1", "2001:db8::1"])
      expect((await registerFrom(acme, address)).status).toBe(201);
    a.clock.advance(1);
    for (let n = 0; n < 3; n++) expect((await registerFrom(acme)).status).toBe(201);
    expect([await count(a), await listed(a)]).toEqual([1000, 1000]);
  });

  it("are removed from the network with most of them, even if accounts of other networks are older", async () => {
    const { a, acme, key, kid, path } = await full("192.0.2.1");
    a.clock.advance(day);
    // the 65,536 networks with 64-bit prefixes of one site count as one
    for (let n = 0; n < 30; n++)
      expect((await registerFrom(acme, `2001:db8:1:${n}::1`)).status).toBe(201);
    for (let n = 2; n < 40; n++)
      expect((await registerFrom(acme, `192.0.2.${n}`)).status).toBe(201);
    expect([await count(a), await listed(a)]).toEqual([1000, 1000]);
    const read = await acme.post(path, key, undefined, { kid });
    expect([read.status, read.json["status"]]).toEqual([200, "valid"]);
    const networks = new Set((await keysBelow(a, "acmeunused/")).map((at) => at.split("/")[1]));
    expect(networks.size).toBe(1 + 1 + 1 + 38);
  });

  it("exclude accounts with an order or a binding, which are neither counted nor removed", async () => {
    const { a, acme, key, kid, path } = await full();
    const next = await acme.post(path, key, { contact: [] }, { kid });
    expect(next.status).toBe(200);
    // updating the account does not count as using it
    expect((await registerFrom(acme)).status).toBe(429);
    const identifiers = [{ type: "dns", value: "a.test" }];
    expect((await acme.post("/new-order", key, { identifiers }, { kid })).status).toBe(201);
    expect((await registerFrom(acme)).status).toBe(201);
    expect([await count(a), await listed(a)]).toEqual([1001, 1000]);
    const bound = await clientKey();
    const eab = await newEab(a);
    const url = acme.url("/new-account");
    const externalAccountBinding = await binding(eab, bound.jwk, { url });
    const made = await acme.post("/new-account", bound, { externalAccountBinding });
    expect(made.status).toBe(201);
    a.clock.advance(day);
    for (let n = 0; n < 30; n++) expect((await registerFrom(acme)).status).toBe(201);
    expect([await count(a), await listed(a)]).toEqual([1002, 1000]);
    for (const [signer, url] of [
      [key, kid],
      [bound, accountUrl(made)],
    ] as const) {
      const read = await acme.post(url.slice(acme.url("").length), signer, undefined, { kid: url });
      expect([read.status, read.json["status"]]).toEqual([200, "valid"]);
    }
  });

  it("exclude accounts revoked by an administrator and accounts removed by tidy", async () => {
    const { a, acme, key } = await registering();
    const kid = accountUrl(await acme.post("/new-account", key, {}));
    await registerFrom(acme);
    expect(await listed(a)).toBe(2);
    await a.call("POST", `pki/acme/mgmt/account/keyid/${idOf(kid)}`, { status: "revoked" });
    expect([await count(a), await listed(a)]).toEqual([2, 1]);
    for (let n = 0; n < 2; n++) {
      a.clock.advance(60 * day);
      const tidy = { tidy_acme: true, acme_account_safety_buffer: "720h" };
      expect((await a.call("POST", "pki/tidy", tidy)).status).toBe(202);
      await a.ca.tick();
    }
    expect([await count(a), await listed(a)]).toEqual([0, 0]);
  });
});

describe("expiring rows", () => {
  it("a job removes expired nonces, orders, authorizations and registration counts without tidy, and no other rows", async () => {
    const { a, acme } = await registering({ acme: { accountLimit: 50 } });
    const store = await storeOf(a);
    const now = a.clock.now / 1000;
    await store.commit({
      put: [
        ["order/a", {}, { acme_end: now + hour }],
        ["order/b", {}, { acme_end: now + 24 * hour }],
        ["order/c", {}, {}],
        ["authz/a", {}, { acme_end: now + hour }],
      ],
    });
    const contact = { address: "192.0.2.1" };
    for (let n = 0; n < 3; n++) await acme.post("/new-account", await clientKey(), {}, contact);
    expect(await keysBelow(a, "nonce/")).toHaveLength(3);
    const run = async (seconds: number) => {
      a.clock.advance(seconds);
      return a.ca.tick();
    };
    await run(389);
    expect(await keysBelow(a, "nonce/")).toHaveLength(3);
    let next: number | undefined;
    for (let steps = 0; steps < 12; steps++) next = await run(300);
    expect(await keysBelow(a, "nonce/")).toEqual([]);
    expect(await keysBelow(a, "acmeaddress/")).toEqual([]);
    expect(await keysBelow(a, "order/")).toEqual(["order/b", "order/c"]);
    expect(await keysBelow(a, "authz/")).toEqual([]);
    // the job does not run every five minutes while nothing is due
    expect((next ?? 0) - a.clock.now).toBeGreaterThan(hour * 1000);
    for (let steps = 0; steps < 30; steps++) await run(hour);
    expect(await keysBelow(a, "order/")).toEqual(["order/c"]);
    const waiting = (await keysBelow(a, "job/")).filter((key) => key.includes("acme-expiry"));
    expect(waiting).toEqual([]);
  });

  it("a single job serves all requests and removes more than a thousand rows in steps", async () => {
    const { a, acme, key } = await registering();
    const kid = accountUrl(await acme.post("/new-account", key, {}));
    const path = kid.slice(acme.url("").length);
    const jobs = async () =>
      (await keysBelow(a, "job/")).filter((name) => name.includes("acme-expiry"));
    const [planned] = await jobs();
    const store = await storeOf(a);
    const revOf = async () => (await store.get([planned ?? ""]))[0]?.rev;
    const rev = await revOf();
    for (let n = 0; n < 5; n++) await acme.post(path, key, undefined, { kid });
    expect([await jobs(), await revOf()]).toEqual([[planned], rev]);
    const end = a.clock.now / 1000 + 60;
    await store.commit({
      put: Array.from({ length: 1200 }, (_, n) => [`nonce/${n}`, {}, { acme_end: end }] as const),
    });
    a.clock.advance(900);
    await a.ca.tick();
    expect(await keysBelow(a, "nonce/")).toEqual([]);
    // the next day
    a.clock.advance(24 * hour);
    await a.ca.tick();
    expect(await jobs()).toEqual([]);
    await acme.post(path, key, undefined, { kid });
    expect(await jobs()).toHaveLength(1);
  });

  it("a row that changes while the job removes it is checked again", async () => {
    const stores = distantStore();
    const { a, acme, key } = await registering({ stores });
    await acme.post("/new-account", key, {});
    const store = await storeOf(a);
    const end = a.clock.now / 1000 + 60;
    await store.commit({ put: [["order/a", {}, { acme_end: end }]] });
    a.clock.advance(600);
    const run = a.ca.tick();
    // a valid order does not expire
    await store.commit({ put: [["order/a", { status: "valid" }, {}]] });
    await run;
    expect(await keysBelow(a, "order/")).toEqual(["order/a"]);
  });
});
