import { describe, expect, it } from "vitest";
import { tokenWorld, type TokenWorld } from "../auth/token/world.ts";

/** Creates a token whose only policy has this rule for a path. */
async function ruled({ post, create }: TokenWorld, path: string, rule: string): Promise<string> {
  const policy = `path "${path}" { capabilities = ["create", "update", "sudo"] ${rule} }`;
  expect((await post("sys/policies/acl/mine", { policy })).status).toBe(204);
  return (await create({ policies: ["mine"], no_default_policy: true })).client_token;
}
const denying = 'denied_parameters = { "*" = [], ';
const spelled = [
  "admin",
  "Admin",
  "ADMIN",
  " Admin ",
  "web, Admin",
  ["ADMIN"],
  ["web", " aDmin "],
] as const;

describe("a policy that denies a parameter value", () => {
  const paths = [
    ["auth/up/users/x", "token_policies", { password: "long enough" }],
    ["auth/up/users/x", "policies", { password: "long enough" }],
    ["auth/ar/role/x", "token_policies", {}],
    ["auth/ar/role/x/policies", "token_policies", {}],
    ["auth/jw/role/x", "token_policies", { role_type: "jwt", user_claim: "sub" }],
    ["auth/ku/role/x", "token_policies", { bound_service_account_names: "*" }],
    ["identity/entity/name/x", "policies", {}],
    ["identity/group/name/x", "policies", {}],
    ["auth/token/roles/x", "allowed_policies", {}],
    ["auth/token/create", "policies", {}],
  ] as const;
  it.each(paths)("rejects every form of a policy name: %s %s", async (...row) => {
    const [path, name, more] = row;
    const world = tokenWorld();
    for (const [at, type] of [
      ["up", "userpass"],
      ["ar", "approle"],
      ["jw", "jwt"],
      ["ku", "kubernetes"],
    ])
      await world.post(`sys/auth/${at}`, { type });
    const rule = denying.replace('"*" = [], ', "");
    const token = await ruled(world, path, `${rule}"${name}" = ["admin"] }`);
    for (const value of spelled)
      expect([value, (await world.post(path, { ...more, [name]: value }, token)).status]).toEqual([
        value,
        403,
      ]);
    const form = new URLSearchParams({ ...more, [name]: "Admin" }).toString();
    const header = { "content-type": "application/x-www-form-urlencoded" };
    expect((await world.post(path, form, token, { header })).status).toBe(403);
    const test = { token, path, parameters: { [name]: "Admin" } };
    expect((await world.post("sys/policies/test", test)).data).toMatchObject({ granted: false });
    const written = world.post(path, { ...more, [name]: "web" }, token);
    expect((await written).status).not.toBe(403);
  });
});

describe("parameter rules for certificate names", () => {
  const issue = async (rule: string, body: object) => {
    const world = tokenWorld();
    await world.root();
    await world.role("web", { allow_any_name: true, enforce_hostnames: false });
    const token = await ruled(world, "pki/issue/web", rule);
    return (await world.post("pki/issue/web", { common_name: "a.example", ...body }, token)).status;
  };
  const names = 'denied_parameters = { "alt_names" = ["evil.example", "*.evil.example"] }';
  const ips = 'denied_parameters = { "ip_sans" = ["10.0.0.1"] }';
  it.each([
    [names, { alt_names: "EVIL.example" }, 403],
    [names, { alt_names: "evil.example." }, 403],
    [names, { alt_names: "good.example, A.Evil.Example." }, 403],
    [names, { alt_names: "good.example" }, 200],
    [ips, { ip_sans: "::ffff:10.0.0.1" }, 403],
    [ips, { ip_sans: ["10.0.0.2", "::ffff:a00:1"] }, 403],
    [ips, { ip_sans: "0:0:0:0:0:ffff:10.0.0.1" }, 403],
    [ips, { ip_sans: "10.0.0.2" }, 200],
    ['allowed_parameters = { "common_name" = [], "ttl" = ["1h"] }', { ttl: "60m" }, 200],
    ['allowed_parameters = { "common_name" = [], "ttl" = ["1h"] }', { ttl: "61m" }, 403],
    ['allowed_parameters = { "common_name" = ["*.EXAMPLE"] }', { common_name: "b.other" }, 403],
    ['allowed_parameters = { "common_name" = ["*.EXAMPLE"] }', { common_name: "B.Example." }, 200],
  ] as const)("with %s: %j returns %i", async (rule, body, status) => {
    expect(await issue(rule, body)).toBe(status);
  });
});
