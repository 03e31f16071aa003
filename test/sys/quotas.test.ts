import { describe, expect, it } from "vitest";
import { createRateCounter } from "../../src/base/rate-counter.ts";
import type { Deployment } from "../../src/engine/deployment.ts";
import { mountOf } from "../../src/quota/mount-of.ts";
import { authority, type Authority } from "../support/authority.ts";

interface How {
  readonly address?: string;
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
}
/** Sends a request from an address. */
async function ask(
  a: Authority,
  path: string,
  { address = "192.0.2.1", method = "GET", token = "root", body }: How = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly errors: unknown }> {
  const response = await a.ca.fetch(
    new Request(`http://ca.test/v1/${path}`, {
      method,
      headers: token === "" ? {} : { "x-service-token": token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
    { peer: { address } },
  );
  const text = await response.text();
  const errors = text.startsWith('{"errors"')
    ? (JSON.parse(text) as { errors: unknown }).errors
    : undefined;
  return { status: response.status, headers: response.headers, errors };
}
/** Returns how many of `count` requests are not rate limited. */
async function granted(a: Authority, count: number, path: string, how: How = {}) {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += (await ask(a, path, how)).status === 429 ? 0 : 1;
  return sum;
}
const limit = (a: Authority, name: string, body: object) =>
  a.call("POST", `sys/quotas/rate-limit/${name}`, body);

describe("a rate limit", () => {
  it("is read and listed as it was written, and deleted", async () => {
    const a = authority();
    expect((await a.call("LIST", "sys/quotas/rate-limit")).status).toBe(404);
    const given = {
      path: "pki/",
      rate: 2.5,
      interval: "1m",
      block_interval: 90,
      inheritable: true,
    };
    expect((await limit(a, "one", { ...given, type: "rate-limit" })).status).toBe(204);
    const { data } = await a.call("GET", "sys/quotas/rate-limit/one");
    expect(data).toEqual({ type: "rate-limit", name: "one", role: "", ...given, interval: 60 });
    await limit(a, "global", { rate: 1000 });
    expect((await a.call("GET", "sys/quotas/rate-limit?list=true")).data["keys"]).toEqual([
      "global",
      "one",
    ]);
    expect((await a.call("GET", "sys/quotas/rate-limit/global")).data).toMatchObject({
      path: "",
      interval: 1,
      block_interval: 0,
    });
    for (let i = 0; i < 2; i++)
      expect((await a.call("DELETE", "sys/quotas/rate-limit/one")).status).toBe(204);
    expect((await a.call("GET", "sys/quotas/rate-limit/one")).status).toBe(404);
    expect(a.events.map(({ endpoint }) => endpoint)).toEqual(
      expect.arrayContaining(["listQuotas", "readQuota", "writeQuota", "deleteQuota"]),
    );
  });

  it("is rejected and not stored if it is invalid", async () => {
    const a = authority();
    await limit(a, "one", { path: "pki", rate: 1000 });
    for (const [name, body, text] of [
      ["two", {}, "'rate' is invalid: it must be greater than 0 and at most 1000000000"],
      ["two", { rate: -1 }, "'rate' is invalid: it must be greater than 0 and at most 1000000000"],
      ["two", { rate: "x" }, expect.stringContaining('error converting input for field "rate"')],
      ["two", { rate: 1, path: "nothing" }, 'invalid mount path "nothing"'],
      ["two", { rate: 1, path: "pki/*/x" }, "invalid path: `*` is allowed only at the end"],
      [
        "two",
        { rate: 1, path: "/pki/" },
        'quota rule with similar properties exists under the name "one"',
      ],
      ["two", { rate: 1, path: "pki", role: "x" }, "role requires a path that is a login method"],
      ["two", { rate: 1, interval: "-1s" }, expect.anything()],
      ["two", { rate: 1, block_interval: 1e9 }, "'block_interval' is invalid"],
      [
        "a b",
        { rate: 1 },
        "invalid name of a rate limit; use 1 to 128 letters, digits, underscores, dots and hyphens",
      ],
      [
        "x".repeat(200),
        { rate: 1 },
        "invalid name of a rate limit; use 1 to 128 letters, digits, underscores, dots and hyphens",
      ],
    ] as const) {
      const { status, errors } = await limit(a, encodeURIComponent(name), body);
      expect([body, status, errors]).toEqual([body, 400, [text]]);
    }
    expect((await a.call("LIST", "sys/quotas/rate-limit")).data["keys"]).toEqual(["one"]);
  });

  it("rejects one address with 429 and Retry-After, but not another address", async () => {
    const a = authority();
    await limit(a, "global", { rate: 3, interval: "10s" });
    expect(await granted(a, 5, "pki/ca")).toBe(3);
    const refused = await ask(a, "pki/roles");
    expect([refused.status, refused.headers.get("retry-after"), refused.errors]).toEqual([
      429,
      "10",
      ['request path "pki/roles": rate limit quota exceeded'],
    ]);
    expect(await granted(a, 5, "pki/ca", { address: "192.0.2.2" })).toBe(3);
    // an IPv6 network counts as one caller
    expect(await granted(a, 3, "pki/ca", { address: "2001:db8::1" })).toBe(3);
    expect(await granted(a, 3, "pki/ca", { address: "2001:db8::2" })).toBe(0);
    a.clock.advance(4);
    expect((await ask(a, "pki/ca")).headers.get("retry-after")).toBe("6");
    a.clock.advance(6);
    expect(await granted(a, 5, "pki/ca")).toBe(3);
  });

  it("counts every request, known or not, but neither health checks nor calls of the process itself", async () => {
    const a = authority();
    await limit(a, "global", { rate: 4 });
    expect(await granted(a, 2, "nothing/here")).toBe(2);
    expect(await granted(a, 2, "pki/roles", { token: "" })).toBe(2);
    expect(await granted(a, 1, "pki/roles", { token: "wrong" })).toBe(0);
    // the operator of the server is never limited, nor is the process itself
    for (const path of ["sys/health", "sys/seal-status"]) expect(await granted(a, 9, path)).toBe(9);
    for (let i = 0; i < 9; i++) await a.sys.readMount({ path: "pki" });
  });

  it("security row 60: blocks a caller until the block ends, which further requests do not prolong", async () => {
    const a = authority();
    await limit(a, "global", { rate: 2, interval: 1, block_interval: "1m" });
    expect(await granted(a, 3, "pki/ca")).toBe(2);
    for (let second = 0; second < 59; second++) {
      a.clock.advance(1);
      expect(await granted(a, 2, "pki/ca")).toBe(0);
      expect(await granted(a, 2, "pki/ca", { address: "192.0.2.9" })).toBe(2);
    }
    expect((await ask(a, "pki/ca")).headers.get("retry-after")).toBe("1");
    a.clock.advance(1);
    expect(await granted(a, 2, "pki/ca")).toBe(2);
  });

  it("for a path takes precedence over one for a prefix, for the mount and for everything", async () => {
    const a = authority();
    await a.call("POST", "sys/mounts/team/a", { type: "pki" });
    await limit(a, "mount", { path: "pki", rate: 2 });
    await limit(a, "begin", { path: "pki/issue/*", rate: 3 });
    await limit(a, "longer", { path: "pki/issue/web*", rate: 4 });
    await limit(a, "path", { path: "pki/issue/web1", rate: 5 });
    await limit(a, "nested", { path: "team/a/", rate: 6 });
    await limit(a, "global", { rate: 1 });
    const post = { method: "POST", body: {} };
    expect([
      await granted(a, 9, "team/a/roles"),
      await granted(a, 9, "pki/issue/web1", post),
      await granted(a, 9, "pki/issue/web2", post),
      await granted(a, 9, "pki/issue/x", post),
      await granted(a, 9, "pki/ca"),
      await granted(a, 9, "auth/token/lookup-self"),
    ]).toEqual([6, 5, 4, 3, 2, 1]);
    // every spelling of the same path counts
    a.clock.advance(1);
    expect(
      (await granted(a, 3, "pki/issue/we%62%31", post)) +
        (await granted(a, 9, "pki/issue/web1", { ...post, method: "PUT" })),
    ).toBe(5);
  });

  it("applies to cached CRLs without reading the store", async () => {
    const a = authority();
    await a.root();
    for (let i = 0; i < 3; i++) expect((await ask(a, "pki/crl")).status).toBe(200);
    await limit(a, "mount", { path: "pki", rate: 2 });
    expect(await granted(a, 9, "pki/crl")).toBe(2);
  });

  it("applies on other isolates within a second, and each isolate counts for itself", async () => {
    const a = authority();
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    expect(await granted(b, 9, "pki/ca")).toBe(9);
    await limit(a, "global", { rate: 2 });
    expect(await granted(a, 9, "pki/ca")).toBe(2);
    a.clock.advance(1);
    expect(await granted(b, 9, "pki/ca")).toBe(2);
    await a
      .call("DELETE", "sys/quotas/rate-limit/global", undefined, { token: "root" })
      .then(({ status }) => expect(status).toBe(204));
    expect(await granted(a, 9, "pki/ca")).toBe(9);
    // a changed rate limit starts a new count, an unchanged one continues
    await limit(a, "global", { rate: 2, interval: "1h" });
    expect(await granted(a, 9, "pki/ca")).toBe(2);
    a.clock.advance(2);
    expect(await granted(a, 9, "pki/ca")).toBe(0);
  });

  it("for a role applies to the logins that name the role, before any other", async () => {
    const a = authority();
    await a.call("POST", "sys/auth/kubernetes", { type: "kubernetes" });
    await limit(a, "method", { path: "auth/kubernetes", rate: 4 });
    expect(
      (await limit(a, "role", { path: "auth/kubernetes/", role: "slow", rate: 1 })).status,
    ).toBe(204);
    const login = (role: string) =>
      granted(a, 9, "auth/kubernetes/login", {
        method: "POST",
        token: "",
        body: { role, jwt: "x" },
      });
    expect([await login("slow"), await login("quick"), await login("slow")]).toEqual([1, 4, 0]);
    expect(await granted(a, 9, "auth/kubernetes/role?list=true")).toBe(0);
    expect((await limit(a, "none", { path: "auth/none", rate: 1 })).status).toBe(400);
  });

  it("for a role ignores its case, and logins without a valid role have the limit of the method", async () => {
    const a = authority();
    await a.call("POST", "sys/auth/kubernetes", { type: "kubernetes" });
    await limit(a, "method", { path: "auth/kubernetes", rate: 4 });
    await limit(a, "role", { path: "auth/kubernetes/", role: "slow", rate: 1 });
    const from = (address: string, body: unknown) =>
      ({ method: "POST", token: "", address, body }) as const;
    const login = "auth/kubernetes/login";
    expect(await granted(a, 9, login, from("192.0.2.1", { jwt: "x" }))).toBe(4);
    expect(await granted(a, 9, login, from("192.0.2.2", ["no", "object"]))).toBe(4);
    expect(await granted(a, 9, `${login}ing`, from("192.0.2.3", {}))).toBe(4);
    const spelled = from("192.0.2.4", { role: "SLOW", jwt: "x" });
    expect(await granted(a, 9, login, spelled)).toBe(1);
  });
  it("for the login path of a user counts every spelling of the name", async () => {
    const a = authority();
    await a.call("POST", "sys/auth/userpass", { type: "userpass" });
    await limit(a, "bob", { path: "auth/userpass/login/bob", rate: 2 });
    const login = (name: string) =>
      granted(a, 3, `auth/userpass/login/${name}`, { method: "POST", token: "", body: {} });
    expect([await login("bob"), await login("Bob"), await login("ann")]).toEqual([2, 0, 3]);
  });

  it("counts every spelling of a case-insensitive name, however the limit is written", async () => {
    const a = authority();
    const { issuer_id: id, key_id: key } = await a.root();
    await a.role("any");
    for (const path of ["userpass", "Userpass"])
      await a.call("POST", `sys/auth/${path}`, { type: "userpass" });
    const paths = {
      "auth/userpass/login/Boss": ["auth/userpass/login/boss", "auth/userpass/login/BOSS"],
      "auth/userpass/users/Bo*": ["auth/userpass/users/boss", "auth/userpass/users/BOB"],
      "identity/entity/name/Ann": ["identity/entity/name/ann"],
      "sys/policies/acl/Web": ["sys/policies/acl/web"],
      "pki/issuer/DEFAULT/issue/any": ["pki/issuer/default/issue/any"],
      "pki/issuer/default/sign/any": ["pki/issuer/Default/sign/any"],
      [`pki/issuer/${id.toUpperCase()}/*`]: [`pki/issuer/${id}/sign/any`],
      [`pki/key/${key}`]: [`pki/key/${key.toUpperCase()}`],
    };
    for (const [i, path] of Object.keys(paths).entries())
      expect((await limit(a, `l${i}`, { path, rate: 1 })).status).toBe(204);
    for (const [path, spelled] of Object.entries(paths))
      for (const one of spelled)
        expect([path, one, await granted(a, 2, one, { address: "192.0.2.7" })]).toEqual([
          path,
          one,
          one === spelled[0] ? 1 : 0,
        ]);
    // names are case-sensitive: these are other names
    for (const other of ["auth/Userpass/login/boss", "pki/issue/ANY"])
      expect(await granted(a, 3, other, { method: "POST", body: {} })).toBe(3);
  });

  it("can be shown in headers, and paths can be exempted", async () => {
    const a = authority();
    await limit(a, "global", { rate: 2 });
    expect((await ask(a, "pki/ca")).headers.get("x-ratelimit-limit")).toBeNull();
    expect(
      (
        await a.call("POST", "sys/quotas/config", {
          enable_rate_limit_response_headers: true,
          rate_limit_exempt_paths: "/pki/crl,sys/internal/*",
        })
      ).status,
    ).toBe(204);
    expect((await a.call("GET", "sys/quotas/config")).data).toEqual({
      enable_rate_limit_audit_logging: false,
      enable_rate_limit_response_headers: true,
      rate_limit_exempt_paths: ["/pki/crl", "sys/internal/*"],
    });
    const { headers } = await ask(a, "pki/ca", { address: "192.0.2.3" });
    expect(
      ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`)),
    ).toEqual(["2", "1", "1"]);
    expect(await granted(a, 9, "pki/crl")).toBe(9);
    expect(await granted(a, 9, "sys/internal/specs/openapi")).toBe(9);
    expect(a.events.map(({ endpoint }) => endpoint)).toEqual(
      expect.arrayContaining(["readQuotaConfig", "writeQuotaConfig"]),
    );
  });
});

describe("rate limit counters", () => {
  it("find the mount of a path with many slashes without trying each slash", async () => {
    let looks = 0;
    class Counting extends Map<string, never> {
      override has(): boolean {
        looks++;
        return false;
      }
      override get(): undefined {
        looks++;
        return undefined;
      }
    }
    const mounts = new Counting();
    mounts.set("pki/web", undefined as never);
    // the part of the deployment that is used
    const ca = { mounts: async () => mounts } as unknown as Deployment;
    expect(await mountOf(ca, "a/".repeat(30_000))).toBe("");
    expect(looks).toBeLessThan(10);
  });
  it("are limited in number, and the oldest caller is dropped first", () => {
    const count = createRateCounter({ limit: 1, window: 60_000 });
    for (let i = 0; i < 10_000; i++) expect(count(`caller ${i}`, 0).granted).toBe(true);
    expect(count("caller 0", 1).granted).toBe(false);
    expect(count("another", 1).granted).toBe(true);
    expect(count("caller 9999", 1).granted).toBe(false);
    expect(count("caller 0", 1).granted).toBe(true);
  });
  it("expire with their window even if the clock is set back", () => {
    const count = createRateCounter({ limit: 1, window: 1000, block: 5000 });
    expect([count("a", 10_000).granted, count("a", 10_001).granted]).toEqual([true, false]);
    expect(count("a", 0).granted).toBe(true);
  });
});
