import { describe, expect, it } from "vitest";
import { authOf, tokenWorld } from "./world.ts";

const denied = "1 error occurred:\n\t* permission denied\n\n";
const update = (path: string) => `path "${path}" { capabilities = ["update"] }\n`;

describe("a weak token", () => {
  it("gains nothing from a policy name that looks like two names", async () => {
    const { call, create, post } = tokenWorld();
    await post("sys/policies/acl/ops", { policy: 'path "sys/mounts" { capabilities = ["read"] }' });
    await post("sys/policies/acl/dev-x", { policy: update("auth/token/create/dev") });
    await post("auth/token/roles/dev", { allowed_policies_glob: "dev-*" });
    const weak = await create({ policies: ["dev-x"] });
    const odd = await create({ policies: ["dev-x\nops"] }, weak.client_token, "create/dev");
    const strong = await create({ policies: ["dev-x", "ops"] });
    const mounts = async (token: string) =>
      (await call("GET", "sys/mounts", undefined, { token, compat: true })).status;
    for (let again = 0; again < 2; again++) {
      expect(await mounts(strong.client_token)).toBe(200);
      expect(await mounts(odd.client_token)).toBe(403);
    }
  });
  it("may have policies with impossible names, which grant nothing", async () => {
    const { create, lives, post } = tokenWorld();
    for (const name of ["größe", "x".repeat(600), "a\u0000b"]) {
      const { client_token: token } = await create({ policies: [name] });
      expect([name, await lives(token)]).toEqual([name, true]);
      expect((await post("sys/rotate", {}, token)).errors).toEqual([denied]);
    }
  });
  it("passes its bound_cidrs to the tokens that it creates, including orphans", async () => {
    const { ca, create, post } = tokenWorld();
    await post("sys/policies/acl/mine", { policy: update("auth/token/create-orphan") });
    await post("auth/token/roles/near", {
      allowed_policies: "mine",
      token_bound_cidrs: "192.0.2.0/24",
    });
    const near = await create({}, "root", "create/near");
    const response = await ca.fetch(
      new Request("http://ca.test/v1/auth/token/create-orphan", {
        method: "POST",
        headers: { "x-vault-token": near.client_token },
      }),
      { peer: { address: "192.0.2.7" } },
    );
    // the reply of this endpoint has this member
    const { auth } = (await response.json()) as { readonly auth: { readonly accessor: string } };
    const { accessor } = auth;
    expect((await post("auth/token/lookup-accessor", { accessor })).data).toMatchObject({
      orphan: true,
      bound_cidrs: ["192.0.2.0/24"],
    });
  });
  it("cannot be a batch token, whose uses are not counted, if its role limits uses", async () => {
    const { create, post, rows } = tokenWorld();
    await post("auth/token/roles/once", { allowed_policies: "web", token_num_uses: 1 });
    expect((await create({}, "root", "create/once")).num_uses).toBe(1);
    const before = await rows();
    const answer = await post("auth/token/create/once", { type: "batch" });
    expect([answer.status, answer.errors]).toEqual([
      400,
      ['batch tokens cannot have "num_uses" set'],
    ]);
    expect(await rows()).toEqual(before);
  });
  it("is not renewed after its role is deleted, and otherwise only within the current limits of the role", async () => {
    const { call, create, post } = tokenWorld();
    await post("auth/token/roles/ci", { allowed_policies: "web", token_period: "1h" });
    const { client_token: token } = await create({}, "root", "create/ci");
    const renew = () => post("auth/token/renew", { token });
    expect(authOf(await renew()).lease_duration).toBe(3600);
    await post("auth/token/roles/ci", { token_period: "10m" });
    expect(authOf(await renew()).lease_duration).toBe(600);
    await post("auth/token/roles/ci", { token_explicit_max_ttl: "5m" });
    expect(authOf(await renew()).lease_duration).toBe(300);
    await call("DELETE", "auth/token/roles/ci");
    const gone = await renew();
    expect([gone.status, gone.errors]).toEqual([
      400,
      ['original token role "ci" could not be found, not renewing'],
    ]);
  });
  it("gets any policy except root and the disallowed ones from a role with only disallowed_policies", async () => {
    const { create, post } = tokenWorld();
    await post("auth/token/roles/most", { disallowed_policies: "web" });
    await post("sys/policies/acl/mine", { policy: update("auth/token/create/most") });
    const { client_token: token } = await create({ policies: ["mine"] });
    const made = (policy: string) =>
      post("auth/token/create/most", { policies: [policy], no_default_policy: true }, token);
    expect(authOf(await made("ops")).policies).toEqual(["ops"]);
    for (const policy of ["web", "root"]) expect((await made(policy)).status).toBe(400);
  });
  it("has no default policy if its role sets token_no_default_policy", async () => {
    const { create, post } = tokenWorld();
    const { client_token: parent } = await create({ policies: ["root"], ttl: "1h" });
    await post("auth/token/roles/bare", { token_no_default_policy: true });
    expect((await create({ policies: ["web"] }, parent, "create/bare")).policies).toEqual(["web"]);
  });
  it("has no default policy if the request sets no_default_policy, even if its parent has it", async () => {
    const { create, post } = tokenWorld();
    await post("sys/policies/acl/mine", { policy: update("auth/token/create*") });
    const { client_token: parent } = await create({ policies: ["mine"] });
    const bare = { no_default_policy: true };
    expect((await create(bare, parent)).policies).toEqual(["mine"]);
    expect((await create({ ...bare, policies: ["mine", "default"] }, parent)).policies).toEqual([
      "mine",
    ]);
    await post("auth/token/roles/ci", { allowed_policies: "default,web" });
    expect((await create(bare, parent, "create/ci")).policies).toEqual(["web"]);
  });
  it("is not created if it would be larger than a row may be", async () => {
    const { create, post, rows } = tokenWorld();
    await create();
    const before = await rows();
    for (const body of [
      { policies: ["a"], meta: { big: "x".repeat(100_000) } },
      { policies: Array.from({ length: 19_000 }, (_, i) => `policy-${i}`) },
    ]) {
      const answer = await post("auth/token/create", body);
      expect([answer.status, answer.errors]).toEqual([
        400,
        ["the token would be larger than 65536 bytes: use fewer policies or less metadata"],
      ]);
    }
    expect(await rows()).toEqual(before);
  });
});
