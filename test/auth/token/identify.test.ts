import { describe, expect, it } from "vitest";
import { identify } from "../../../src/auth/token/identify.ts";
import { makeToken, type TokenSpec } from "../../../src/auth/token/make.ts";
import { Mounts } from "../../../src/engine/mounts.ts";
import type { Call } from "../../../src/wire/call.ts";
import { library } from "../../../src/wire/dialect.ts";
import { memoryStore, sealedVault } from "../../../src/index.ts";
import { clockAt, seeded } from "../../support/authority.ts";

const clock = clockAt();
const deployment = new Mounts(
  {
    stores: memoryStore(),
    now: () => clock.now,
    random: seeded(5),
    vault: sealedVault({ key: new Uint8Array(32).fill(7) }),
    authenticate: async (token) => (token === "root" ? { id: "root", can: () => true } : undefined),
  },
  { types: [], jobs: [] },
);
const sent = (token: string | undefined, address?: string): Call => ({
  method: "GET",
  path: "/v1/sys/mounts",
  query: new URLSearchParams(),
  headers: { get: () => null },
  body: new Uint8Array(0),
  token,
  dialect: library,
  ...(address === undefined ? {} : { peer: { address } }),
});
const spec: TokenSpec = {
  type: "service",
  policies: ["web", "default"],
  path: "auth/token/create",
  display_name: "token",
};
async function made(more: Partial<TokenSpec> = {}): Promise<string> {
  const { auth, batch } = await makeToken(deployment, { ...spec, ...more });
  expect(await deployment.sys.commit(batch)).toBeDefined();
  return auth.client_token;
}

describe("a call", () => {
  it("has the identity of its token, as stored", async () => {
    const token = await made({ meta: { team: "web" } });
    expect(token).toMatch(/^s\.[0-9A-Za-z]{32}$/);
    const who = await identify(deployment, sent(token));
    expect(who?.policies).toEqual(["default", "web"]);
    expect(who?.accessor).toMatch(/^[0-9A-Za-z]{24}$/);
    expect(who?.token).toMatchObject({ type: "service", meta: { team: "web" }, ttl: 768 * 3600 });
    expect(who?.can("read", "sys/mounts")).toBe(false);
  });
  it("has every capability with the policy root", async () => {
    const who = await identify(deployment, sent(await made({ policies: ["root"] })));
    expect([who?.can("sudo", "sys/rotate"), who?.expires]).toEqual([true, undefined]);
  });
  it("requires a token that exists and has not expired", async () => {
    const short = await made({ ttl: 10 });
    for (const token of [undefined, "", "stranger", "s.x", "b.x", "b.AAAA", "x".repeat(8192)])
      expect([token, await identify(deployment, sent(token))]).toEqual([token, undefined]);
    expect(await identify(deployment, sent(short))).toBeDefined();
    clock.advance(10);
    expect(await identify(deployment, sent(short))).toBeUndefined();
    await expect(identify(deployment, sent("x".repeat(8193)))).rejects.toMatchObject({
      code: "header_too_large",
    });
  });
  it("has the identity of a batch token, which is not stored", async () => {
    const before = await deployment.sys.store.list("");
    const token = await made({ type: "batch", ttl: 60 });
    expect(await deployment.sys.store.list("")).toEqual(before);
    expect(token).toMatch(/^b\.[\w-]+$/);
    const who = await identify(deployment, sent(token));
    expect([who?.policies, who?.accessor]).toEqual([["default", "web"], undefined]);
    clock.advance(60);
    expect(await identify(deployment, sent(token))).toBeUndefined();
  });
  it("uses its token once, and concurrent calls never exceed num_uses", async () => {
    const token = await made({ num_uses: 3 });
    const all = await Promise.all(
      Array.from({ length: 10 }, () => identify(deployment, sent(token))),
    );
    expect(all.filter(Boolean).length).toBe(3);
    expect(await identify(deployment, sent(token))).toBeUndefined();
  });
  it("requires a client address within the bound_cidrs of its token", async () => {
    const token = await made({ bound_cidrs: ["192.0.2.0/24", "2001:db8::/32"], num_uses: 3 });
    for (const address of [undefined, "198.51.100.1", "::1", "2001:db9::1"])
      expect(await identify(deployment, sent(token, address))).toBeUndefined();
    for (const address of ["192.0.2.7", "::ffff:192.0.2.9", "2001:db8::5"])
      expect(await identify(deployment, sent(token, address))).toBeDefined();
  });
});
