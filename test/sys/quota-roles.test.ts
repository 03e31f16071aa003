import { describe, expect, it } from "vitest";
import { authority, type Authority } from "../support/authority.ts";
import { tokenSigner } from "../auth/jwt/signer.ts";

/** Returns how many of `count` anonymous logins are not rate limited. */
async function granted(a: Authority, path: string, body: object, count = 5): Promise<number> {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const asked = new Request(`http://ca.test/v1/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    const { status } = await a.ca.fetch(asked, { peer: { address: "192.0.2.1" } });
    if (status !== 429) sum++;
  }
  return sum;
}
const limit = async (a: Authority, path: string, role: string) =>
  expect((await a.call("POST", "sys/quotas/rate-limit/role", { path, role, rate: 2 })).status).toBe(
    204,
  );

describe("a rate limit for a role", () => {
  it("counts AppRole logins, which send the role ID instead of the name", async () => {
    const a = authority();
    await a.call("POST", "sys/auth/machines", { type: "approle" });
    for (const role of ["slow", "quick"]) {
      await a.call("POST", `auth/machines/role/${role}`, {});
      await a.call("POST", `auth/machines/role/${role}/role-id`, { role_id: `id of ${role}` });
    }
    await limit(a, "auth/machines", "slow");
    const login = (role_id: unknown) => granted(a, "auth/machines/login", { role_id });
    expect(await login("id of slow")).toBe(2);
    for (const other of ["id of quick", "nobody's", "slow", "", 5, ["id of slow"]])
      expect([other, await login(other)]).toEqual([other, 5]);
  });
  it("counts JWT logins without a role if the role is the default one", async () => {
    const a = authority();
    const { pem } = await tokenSigner();
    await a.call("POST", "sys/auth/jwt", { type: "jwt" });
    await limit(a, "auth/jwt", "slow");
    const login = (role?: string) =>
      granted(a, "auth/jwt/login", { jwt: "x", ...(role === undefined ? {} : { role }) });
    expect(await login()).toBe(5);
    const config = { jwt_validation_pubkeys: pem, default_role: "Slow" };
    expect((await a.call("POST", "auth/jwt/config", config)).status).toBe(204);
    expect([await login("quick"), await login(), await login(""), await login("slow")]).toEqual([
      5, 2, 0, 0,
    ]);
  });
  it("counts browser logins at an OpenID provider when they begin", async () => {
    const a = authority();
    await a.call("POST", "sys/auth/oidc", { type: "oidc" });
    await limit(a, "auth/oidc", "slow");
    const begin = (role: string) => granted(a, "auth/oidc/oidc/auth_url", { role });
    expect([await begin("quick"), await begin("Slow"), await begin("slow")]).toEqual([5, 2, 0]);
  });
});
