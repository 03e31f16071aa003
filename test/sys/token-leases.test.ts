import { describe, expect, it } from "vitest";
import { memoryStore, type Batch, type Identity, type Stores } from "../../src/index.ts";
import { tokensEnded } from "../../src/engine/lease-jobs.ts";
import { belowEndedTokens } from "../../src/engine/lease-records.ts";
import { authority, type Authority, type AuthorityOptions } from "../support/authority.ts";

/** Identifies tokens that are their own accessors. */
const authenticate = async (token: string): Promise<Identity | undefined> =>
  token === "root"
    ? { id: "root", can: () => true }
    : { id: `token ${token}`, accessor: token, can: () => true };
async function prepared(options: AuthorityOptions = {}) {
  const a = authority({ authenticate, ...options });
  await a.root();
  await a.role("web", { generate_lease: true });
  return a;
}
async function issued(a: Authority, token: string, mount = "pki"): Promise<string> {
  const { data } = await a.call(
    "POST",
    `${mount}/issue/web`,
    { common_name: "a.test", ttl: "10h" },
    { token },
  );
  return String(data["serial_number"]);
}
const isRevoked = async (a: Authority, serial: string, mount = "pki") =>
  (await a.call("GET", `${mount}/cert/${serial}`)).data["revocation_time"] !== 0;
/** Marks tokens as ended, like a revocation. */
const end = (a: Authority, ...accessors: string[]) =>
  a.stores("sys").commit({ put: tokensEnded(accessors, a.clock.now) });
/** Runs due jobs until `seconds` later. */
async function pass(a: Authority, seconds: number): Promise<void> {
  const until = a.clock.now + seconds * 1000;
  for (let next = await a.ca.tick(); next !== undefined && next <= until;) {
    a.clock.now = Math.max(a.clock.now, next);
    next = await a.ca.tick();
  }
  a.clock.now = until;
}
const left = async (a: Authority) =>
  (await a.stores("sys").list(belowEndedTokens)).map(([key]) => key);

describe("a token that ends", () => {
  it("revokes the certificates of its leases on every mount, and no others", async () => {
    const a = await prepared();
    await a.call("POST", "sys/mounts/other", { type: "pki" });
    await a.call("POST", "other/root/generate/internal", { common_name: "R", key_type: "ec" });
    await a.call("POST", "other/roles/web", {
      allow_any_name: true,
      key_type: "ec",
      generate_lease: true,
    });
    const [one, two] = [await issued(a, "one"), await issued(a, "two")];
    const [roots, elsewhere] = [await issued(a, "root"), await issued(a, "one", "other")];
    await end(a, "one");
    await pass(a, 1);
    expect([
      await isRevoked(a, one),
      await isRevoked(a, elsewhere, "other"),
      await isRevoked(a, two),
      await isRevoked(a, roots),
    ]).toEqual([true, true, false, false]);
    await pass(a, 600);
    expect(await left(a)).toEqual([]);
  });

  it("also revokes certificates from an isolate that considered it valid a moment longer", async () => {
    const a = await prepared();
    const b = authority({ authenticate, stores: a.stores, clock: a.clock, seed: 2 });
    await end(a, "one");
    await pass(a, 0.5);
    const late = await issued(b, "one");
    await pass(a, 0.5);
    expect(await isRevoked(a, late)).toBe(false);
    await pass(a, 2);
    expect(await isRevoked(a, late)).toBe(true);
    // a slow call that was authorized before
    const slow = await issued(b, "one");
    await pass(a, 301);
    expect(await isRevoked(a, slow)).toBe(true);
    expect(await left(a)).toEqual([]);
  });

  it("leaves nothing behind if a host crashes in between", async () => {
    for (let after = 0; after < 6; after++) {
      const inner = memoryStore();
      let broken = Infinity;
      const stores: Stores = (name) => {
        const store = inner(name);
        const commit = async (batch: Batch) => {
          if (broken-- <= 0) throw new Error("the host ended");
          return store.commit(batch);
        };
        return {
          get: (keys) => store.get(keys),
          list: (prefix, page) => store.list(prefix, page),
          commit,
        };
      };
      const a = await prepared({ stores, seed: after + 1 });
      const serials = [await issued(a, "one"), await issued(a, "two")];
      await end(a, "one", "two");
      broken = after;
      await a.ca.tick();
      broken = Infinity;
      const b = authority({ authenticate, stores, clock: a.clock, seed: after + 100 });
      await pass(b, 3600);
      for (const serial of serials)
        expect([after, await isRevoked(b, serial)]).toEqual([after, true]);
      expect(await left(b)).toEqual([]);
    }
  });

  it("does not wait for a mount whose store fails, and handles that mount later", async () => {
    const inner = memoryStore();
    let failing = "";
    const stores: Stores = (name) => {
      const store = inner(name);
      return {
        get: (keys) => store.get(keys),
        list: (prefix, page) =>
          name === failing ? Promise.reject(new Error("no disk")) : store.list(prefix, page),
        commit: (batch) => store.commit(batch),
      };
    };
    const a = await prepared({ stores });
    await a.call("POST", "sys/mounts/a-first", { type: "pki" });
    const { uuid } = await a.sys.readMount({ path: "pki" });
    await a.call("POST", "sys/mounts/other", { type: "pki" });
    await a.call("POST", "other/root/generate/internal", { common_name: "R", key_type: "ec" });
    const role = { allow_any_name: true, key_type: "ec", generate_lease: true };
    await a.call("POST", "other/roles/web", role);
    const serial = await issued(a, "one");
    const elsewhere = await issued(a, "one", "other");
    await end(a, "one", "two");
    failing = uuid;
    await pass(a, 400);
    expect(await isRevoked(a, elsewhere, "other")).toBe(true);
    expect(await left(a)).toEqual(["endedtoken/one", "endedtoken/two"]);
    failing = "";
    await pass(a, 400);
    expect(await isRevoked(a, serial)).toBe(true);
    expect(await left(a)).toEqual([]);
  });

  it("is processed together with a thousand others", async () => {
    const a = await prepared();
    const serial = await issued(a, "token0999");
    await end(a, ...Array.from({ length: 1000 }, (_, i) => `token${String(i).padStart(4, "0")}`));
    await pass(a, 10);
    expect(await isRevoked(a, serial)).toBe(true);
    await pass(a, 600);
    expect(await left(a)).toEqual([]);
  });
});

describe("a token of the store", () => {
  const policy =
    'path "pki/issue/*" { capabilities = ["update"] }\npath "auth/token/create" { capabilities = ["update"] }';
  async function stored(a: Authority, body: object = {}, token = "root"): Promise<string> {
    const { json, errors } = await a.call(
      "POST",
      "auth/token/create",
      { policies: ["issuer"], ...body },
      { token },
    );
    expect(errors).toEqual([]);
    return (json["auth"] as { readonly client_token: string }).client_token;
  }
  async function withPolicy() {
    // tokens other than the deployment's own are looked up in the store
    const a = authority({
      authenticate: async (token) =>
        token === "root" ? { id: "root", policies: ["root"], can: () => true } : undefined,
    });
    await a.root();
    await a.role("web", { generate_lease: true });
    await a.call("POST", "sys/policies/acl/issuer", { policy });
    return a;
  }

  it("that is revoked revokes the certificates of its whole tree", async () => {
    const a = await withPolicy();
    const parent = await stored(a);
    const child = await stored(a, {}, parent);
    const grandchild = await stored(a, {}, child);
    const other = await stored(a);
    const serials: string[] = [];
    for (const token of [parent, child, grandchild, other]) serials.push(await issued(a, token));
    await a.call("POST", "auth/token/revoke", { token: parent });
    await pass(a, 5);
    const revoked = await Promise.all(serials.map((serial) => isRevoked(a, serial)));
    expect(revoked).toEqual([true, true, true, false]);
  });

  it("that expires revokes the certificates of its leases", async () => {
    const a = await withPolicy();
    const serial = await issued(a, await stored(a, { ttl: "1h" }));
    await pass(a, 3500);
    expect(await isRevoked(a, serial)).toBe(false);
    await pass(a, 200);
    expect(await isRevoked(a, serial)).toBe(true);
  });

  it("also revokes what an isolate issued that had not yet noticed its revocation", async () => {
    const a = await withPolicy();
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    const token = await stored(a);
    const early = await issued(b, token);
    await a.call("POST", "auth/token/revoke", { token });
    await a.ca.tick();
    const late = await issued(b, token);
    expect(late).toMatch(/^[\da-f:]+$/);
    a.clock.advance(1);
    expect((await b.call("POST", "pki/issue/web", {}, { token })).status).toBe(403);
    await pass(a, 5);
    expect([await isRevoked(a, early), await isRevoked(a, late)]).toEqual([true, true]);
  });

  it("may look up its lease by ID, but list or revoke none", async () => {
    const a = await withPolicy();
    const token = await stored(a);
    const { json } = await a.call("POST", "pki/issue/web", { common_name: "a.test" }, { token });
    const lease_id = String(json["lease_id"]);
    const asked = async (method: string, path: string, body?: object) =>
      (await a.call(method, `sys/leases/${path}`, body, { token })).status;
    expect(await asked("POST", "lookup", { lease_id })).toBe(200);
    expect(await asked("POST", "renew", { lease_id })).toBe(400);
    expect(await asked("POST", `lookup/${lease_id}`, {})).toBe(403);
    expect(await asked("LIST", "lookup/pki/issue/web")).toBe(403);
    expect(await asked("POST", "revoke", { lease_id })).toBe(403);
    expect(await asked("POST", "revoke-prefix/pki", {})).toBe(403);
    expect(await asked("GET", "count")).toBe(403);
  });
});
