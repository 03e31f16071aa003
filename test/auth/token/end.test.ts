import { describe, expect, it } from "vitest";
import { memoryStore } from "../../../src/index.ts";
import { clockAt } from "../../support/authority.ts";
import { tokenWorld, type TokenWorld } from "./world.ts";

/** Creates a root token of the store, which may have children. */
const parentIn = ({ create }: TokenWorld) =>
  create({ policies: ["root"], ttl: "1h" }).then((auth) => auth.client_token);
const tokenRows = async ({ rows }: TokenWorld) =>
  (await rows()).map(([key]) => key).filter((key) => /^(?:token|accessor|tokentree)\//.test(key));

describe("auth/token/revoke (revokeToken)", () => {
  it("also deletes the reply behind a wrapping token", async () => {
    const { post, create } = tokenWorld();
    const wrap = async () => {
      const answer = await post("sys/wrapping/wrap", { a: 1 }, "root", {
        header: { "x-service-wrap-ttl": "60" },
      });
      return (answer.json["wrap_info"] as { token: string }).token;
    };
    const [token, other] = [await wrap(), await wrap()];
    const { client_token: low } = await create({ policies: ["default"], ttl: "1h" });
    expect((await post("auth/token/revoke", { token }, low)).status).toBe(403);
    for (let i = 0; i < 2; i++)
      expect((await post("auth/token/revoke", { token })).status).toBe(204);
    expect((await post("sys/wrapping/unwrap", { token })).errors).toEqual([
      "wrapping token is not valid or does not exist",
    ]);
    expect((await post("sys/wrapping/unwrap", { token: other })).data).toEqual({ a: 1 });
  });
  it("revokes a token and its descendants at once, except orphans (createOrphanToken)", async () => {
    const world = tokenWorld();
    const { create, post, lives } = world;
    const parent = await parentIn(world);
    const child = (await create({ ttl: "1h" }, parent)).client_token;
    const grandchild = (await create({ ttl: "1h" }, child)).client_token;
    const batch = (await create({ type: "batch", policies: ["a"] }, child)).client_token;
    const orphan = (await create({ ttl: "1h" }, child, "create-orphan")).client_token;
    for (const token of [parent, child, grandchild, batch, orphan])
      expect(await lives(token)).toBe(true);
    expect((await post("auth/token/revoke", { token: parent })).status).toBe(204);
    for (const token of [parent, child, grandchild, batch]) expect(await lives(token)).toBe(false);
    expect(await lives(orphan)).toBe(true);
    expect((await tokenRows(world)).length).toBe(2);
    expect((await post("auth/token/revoke", { token: parent })).status).toBe(204);
    expect((await post("auth/token/revoke")).errors).toEqual(["missing token ID"]);
    expect((await post("auth/token/revoke", { token: "root" })).status).toBe(400);
  });
  it("leaves no valid child that is created concurrently", async () => {
    for (let round = 0; round < 20; round++) {
      const world = tokenWorld({ seed: round });
      const { create, post, lives } = world;
      const parent = await parentIn(world);
      const child = (await create({ ttl: "1h" }, parent)).client_token;
      const creations = Array.from({ length: 8 }, async (_, i) => {
        // each starts at a different point of the revocation
        for (let wait = 0; wait < (round % 5) * 3 + i * 2; wait++) await Promise.resolve();
        const answer = await post("auth/token/create", { ttl: "1h" }, i % 2 ? parent : child);
        return answer.status === 200
          ? (answer.json["auth"] as { readonly client_token: string }).client_token
          : undefined;
      });
      const [revoked, ...made] = await Promise.all([
        post("auth/token/revoke", { token: parent }),
        ...creations,
      ]);
      expect(revoked.status).toBe(204);
      for (const token of [parent, child, ...made])
        if (token !== undefined) expect(await lives(token)).toBe(false);
      expect(await tokenRows(world)).toEqual([]);
    }
  });
  it("rejects the creation of a child that had read its parent before the revocation", async () => {
    const inner = memoryStore();
    // runs between the creation of a token and its commit
    let between: (() => Promise<unknown>) | undefined;
    const world = tokenWorld({
      stores: (name) => {
        const store = inner(name);
        return {
          get: (keys) => store.get(keys),
          list: (prefix, page) => store.list(prefix, page),
          commit: async (batch) => {
            const act = batch.put?.some(([key]) => key.startsWith("accessor/")) && between;
            if (act) {
              between = undefined;
              await act();
            }
            return store.commit(batch);
          },
        };
      },
    });
    const { post, create } = world;
    // neither expires: only the parent's row distinguishes the two
    const parent = (await create()).client_token;
    between = () => post("auth/token/revoke", { token: parent });
    const answer = await post("auth/token/create", {}, parent);
    expect([answer.status, await tokenRows(world)]).toEqual([403, []]);
  });
  it("also works for the caller's own token (revokeSelf) and by accessor (revokeAccessor)", async () => {
    const world = tokenWorld();
    const { create, post, lives } = world;
    const [one, other] = [await parentIn(world), await create({ ttl: "1h" })];
    expect((await post("auth/token/revoke-self", {}, one)).status).toBe(204);
    expect(await lives(one)).toBe(false);
    const { accessor } = other;
    expect((await post("auth/token/revoke-accessor", { accessor })).status).toBe(204);
    expect(await lives(other.client_token)).toBe(false);
    const again = await post("auth/token/revoke-accessor", { accessor });
    expect([again.status, again.json["warnings"]]).toEqual([
      200,
      ["No token found with this accessor"],
    ]);
  });
  it("is rejected for a batch token, which is not stored (revokeSelf)", async () => {
    const { create, post } = tokenWorld();
    const { client_token: batch } = await create({ type: "batch", policies: ["default"] });
    const answer = await post("auth/token/revoke-self", {}, batch);
    expect([answer.status, answer.errors]).toEqual([400, ["batch tokens cannot be revoked"]]);
  });
  it("keeps the children as orphans on request (revokeOrphan)", async () => {
    const world = tokenWorld();
    const { create, post, lives, self } = world;
    const parent = await parentIn(world);
    const child = (await create({ ttl: "2h" }, parent)).client_token;
    expect((await self(child)).data["orphan"]).toBe(false);
    expect((await post("auth/token/revoke-orphan", { token: parent })).status).toBe(204);
    expect([await lives(parent), await lives(child)]).toEqual([false, true]);
    expect((await self(child)).data["orphan"]).toBe(true);
  });
});

describe("a token", () => {
  it("is deleted by a job after it has expired, and so are the tokens that it created", async () => {
    const world = tokenWorld();
    const { create, clock, lives, ca, wakes } = world;
    const short = (await create({ policies: ["root"], ttl: "10m" })).client_token;
    const child = (await create({ policies: ["web"], ttl: "1h" }, short)).client_token;
    const other = (await create({ ttl: "2h" })).client_token;
    expect(Math.min(...wakes)).toBeLessThanOrEqual(clock.now + 600_000);
    clock.advance(600);
    expect([await lives(short), await lives(child)]).toEqual([false, true]);
    const next = await ca.tick();
    expect([await lives(child), await lives(other)]).toEqual([false, true]);
    expect((await tokenRows(world)).length).toBe(2);
    expect(next).toBeLessThanOrEqual(clock.now + 6600_000);
    clock.advance(6600);
    await ca.tick();
    expect(await tokenRows(world)).toEqual([]);
  });
  it("with the policy root does not expire: its accessor is listed (listAccessors), and it survives a tidy (tidyTokens)", async () => {
    const { create, call, clock, lives, post, ca } = tokenWorld();
    const { client_token, accessor, lease_duration } = await create();
    expect(lease_duration).toBe(0);
    clock.advance(10 * 365 * 86_400);
    expect(await lives(client_token)).toBe(true);
    const listed = await call("LIST", "auth/token/accessors", undefined, { token: "root" });
    expect(listed.data).toEqual({ keys: [accessor] });
    expect((await post("auth/token/tidy")).status).toBe(202);
    await ca.tick();
    expect(await lives(client_token)).toBe(true);
  });
  it("is described in a detailed list of accessors, in pages, if the caller may look up tokens", async () => {
    const { create, call, clock, post } = tokenWorld();
    const list = async (query: string, token = "root") =>
      (await call("LIST", `auth/token/accessors?${query}`, undefined, { token })).data;
    const made = [];
    for (const ttl of ["1h", "2h", "3h"])
      made.push(await create({ policies: ["default"], ttl, display_name: ttl }));
    const all = made.map(({ accessor }) => accessor).toSorted();
    const looked = async (accessor: string) =>
      (await post("auth/token/lookup-accessor", { accessor })).data;
    const [first = "", second = "", third = ""] = all;
    expect(await list(`detailed=true&after=${first}&limit=1`)).toEqual({
      keys: [second],
      key_info: { [second]: await looked(second) },
    });
    expect(await list(`after=${second}`)).toEqual({ keys: [third] });
    await post("sys/policies/acl/lists", {
      policy: 'path "auth/token/accessors" { capabilities = ["list", "sudo"] }',
    });
    const { client_token } = await create({ policies: ["lists"], type: "batch" });
    expect(await list("detailed=true", client_token)).toEqual({ keys: all });
    clock.advance(3 * 3600 - 60);
    const { accessor } = made.at(-1) ?? { accessor: "" };
    expect((await list("detailed=true"))["key_info"]).toEqual({
      [accessor]: await looked(accessor),
    });
  });
  it("is described in a detailed list of accessors only if the parameter rules of the policy permit its accessor", async () => {
    const { create, call, post } = tokenWorld();
    const made = [await create({ ttl: "1h" }), await create({ ttl: "1h" })];
    const [first = "", second = ""] = made.map(({ accessor }) => accessor);
    const rules = {
      allowed: `allowed_parameters = { accessor = ["${first}"] }`,
      denied: `denied_parameters = { accessor = ["${second}"] }`,
      wrapped: 'min_wrapping_ttl = "1m"',
    };
    const shown: Record<string, readonly string[]> = {};
    for (const [name, rule] of Object.entries(rules)) {
      await post(`sys/policies/acl/${name}`, {
        policy: `path "auth/token/accessors" { capabilities = ["list", "sudo"] }
path "auth/token/lookup-accessor" {
  capabilities = ["update"]
  ${rule}
}`,
      });
      const { client_token: token } = await create({ policies: [name], type: "batch" });
      const at = "auth/token/accessors?detailed=true";
      const { key_info: info } = (await call("LIST", at, undefined, { token })).data;
      shown[name] = Object.keys(info as object);
    }
    expect(shown).toEqual({ allowed: [first], denied: [first], wrapped: [] });
  });
  it("can be used exactly num_uses times by several engines at once", async () => {
    const stores = memoryStore();
    const clock = clockAt();
    const worlds = [1, 2, 3].map((seed) => tokenWorld({ stores, clock, seed }));
    const [first] = worlds;
    if (!first) throw new TypeError("no engine");
    for (const uses of [1, 2, 7]) {
      const { client_token } = await first.create({
        policies: ["root"],
        ttl: "1h",
        num_uses: uses,
      });
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (worlds[i % 3] ?? first).self(client_token)),
      );
      expect(answers.filter((answer) => answer.status === 200).length).toBe(uses);
      for (const world of worlds) expect(await world.lives(client_token)).toBe(false);
    }
    clock.advance(61);
    await first.ca.tick();
    expect(await tokenRows(first)).toEqual([]);
  });
  it("is rejected after its revocation, at once by the engine that revoked it and within a second by others", async () => {
    const stores = memoryStore();
    const clock = clockAt();
    const [here, there] = [tokenWorld({ stores, clock }), tokenWorld({ stores, clock, seed: 2 })];
    const { client_token: token } = await here.create({ policies: ["root"], ttl: "1h" });
    // a token created by another engine is found at once, since its absence was not cached
    expect([await here.lives(token), await there.lives(token)]).toEqual([true, true]);
    await here.post("auth/token/revoke", { token });
    expect(await here.lives(token)).toBe(false);
    clock.now += 1000;
    expect(await there.lives(token)).toBe(false);
  });
  it("is rejected with the same error after one query of the store, whether unknown, malformed, used up or expired", async () => {
    const inner = memoryStore();
    let reads = 0;
    const world = tokenWorld({
      stores: (name) => {
        const store = inner(name);
        return {
          ...store,
          list: (prefix, page) => store.list(prefix, page),
          commit: (batch) => store.commit(batch),
          get: (keys) => {
            if (keys.some((key) => key.startsWith("token/"))) reads++;
            return store.get(keys);
          },
        };
      },
    });
    const { create, clock, self } = world;
    const short = (await create({ ttl: "10s" })).client_token;
    const used = (await create({ ttl: "1h", num_uses: 1 })).client_token;
    const batch = (await create({ type: "batch", policies: ["a"], ttl: "10s" })).client_token;
    expect((await self(used)).status).toBe(200);
    clock.advance(10);
    const bad = [short, used, batch, "stranger", "s.x", "b.x", "x".repeat(8192), `${batch}x`];
    for (const token of [...bad, ...bad]) {
      reads = 0;
      const answer = await self(token);
      expect([token.slice(0, 9), answer.status, answer.errors, reads]).toEqual([
        token.slice(0, 9),
        403,
        ["2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n"],
        1,
      ]);
    }
    expect((await self("x".repeat(8193))).status).toBe(431);
  });
  it("appears in no row, event or error (security row 47)", async () => {
    const world = tokenWorld();
    const { create, post, rows, events } = world;
    const tokens = [
      await parentIn(world),
      (await create({ id: "chosen-by-me-123" })).client_token,
      (await create({ type: "batch", policies: ["a"] })).client_token,
    ];
    const refusals = await Promise.all(
      tokens.map((token) => post("sys/mounts/x", { type: "nothing" }, token)),
    );
    const all = JSON.stringify([await rows(), events, refusals.map(({ text }) => text)]);
    for (const token of tokens) expect(all).not.toContain(token.slice(2, 16));
  });
});
