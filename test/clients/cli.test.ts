import { beforeEach, describe, expect, it } from "vitest";
import type { Identity } from "../../src/index.ts";
import { authority, type Answer, type Authority } from "../support/authority.ts";

/**
 * The requests of the command line of this API family, and the members of the responses that it
 * prints or uses (P 9.8).
 */
let at: Authority;
const root: Identity = { id: "root", policies: ["root"], can: () => true };
beforeEach(() => {
  at = authority({ authenticate: async (token) => (token === "root" ? root : undefined) });
});
const marks = { "X-Vault-Request": "true" };
const cli = (method: string, path: string, body?: unknown, token = "root"): Promise<Answer> =>
  at.call(method, path, body, { token, compat: true, header: marks });
const done = async (method: string, path: string, body?: unknown, token?: string) => {
  const answer = await cli(method, path, body, token);
  expect([200, 202, 204], `${method} ${path}: ${answer.text}`).toContain(answer.status);
  return answer;
};
const authOf = ({ json }: Answer) => json["auth"] as Readonly<Record<string, unknown>>;

describe("the command line of this API family", () => {
  it("`status` reports an unsealed authority without high availability", async () => {
    const seal = await done("GET", "sys/seal-status", undefined, "");
    expect(seal.json).toMatchObject({
      initialized: true,
      sealed: false,
      storage_type: expect.any(String),
    });
    expect(seal.json["version"]).toMatch(/^\d+\.\d+\.\d+/);
    const leader = await done("GET", "sys/leader", undefined, "");
    expect(leader.json).toMatchObject({ ha_enabled: false });
  });

  it("`login` with a token or a password looks up the token", async () => {
    expect((await done("GET", "auth/token/lookup-self")).data).toMatchObject({
      policies: ["root"],
    });
    await done("POST", "sys/auth/userpass", { type: "userpass", description: "", config: {} });
    await done("PUT", "auth/userpass/users/ann", { password: "the password of ann" });
    const login = await done(
      "PUT",
      "auth/userpass/login/ann",
      { password: "the password of ann" },
      "",
    );
    const token = String(authOf(login)["client_token"]);
    const self = await done("GET", "auth/token/lookup-self", undefined, token);
    expect(self.data).toMatchObject({
      display_name: "userpass-ann",
      path: "auth/userpass/login/ann",
    });
    const wrong = await cli("PUT", "auth/userpass/login/ann", { password: "another" }, "");
    expect([wrong.status, wrong.errors]).toEqual([400, ["invalid username or password"]]);
  });

  it("`secrets` enables, lists, tunes, moves and disables a mount", async () => {
    await done("POST", "sys/mounts/cli", {
      type: "pki",
      description: "",
      config: { options: null },
      options: null,
      local: false,
      seal_wrap: false,
      external_entropy_access: false,
    });
    const { data } = await done("GET", "sys/mounts");
    expect(data["cli/"]).toMatchObject({ type: "pki", accessor: expect.stringMatching(/^pki_/) });
    await done("POST", "sys/mounts/cli/tune", {
      default_lease_ttl: "1h",
      max_lease_ttl: "",
      options: null,
    });
    expect((await done("GET", "sys/mounts/cli/tune")).data).toMatchObject({
      default_lease_ttl: 3600,
    });
    const { data: moving } = await done("POST", "sys/remount", { from: "cli", to: "moved" });
    const status = await done("GET", `sys/remount/status/${String(moving["migration_id"])}`);
    expect(status.data).toMatchObject({ migration_info: { status: "success" } });
    await done("DELETE", "sys/mounts/moved");
    expect((await done("GET", "sys/mounts")).data).not.toHaveProperty("moved/");
  });

  it("`policy` writes, lists, reads and deletes a policy", async () => {
    const policy = 'path "pki/issue/*" { capabilities = ["update"] }\n';
    await done("PUT", "sys/policies/acl/cli", { policy });
    expect((await done("GET", "sys/policies/acl?list=true")).data["keys"]).toContain("cli");
    expect((await done("GET", "sys/policies/acl/cli")).data).toMatchObject({ name: "cli", policy });
    await done("DELETE", "sys/policies/acl/cli");
    expect((await cli("GET", "sys/policies/acl/cli")).status).toBe(404);
  });

  it("`token` creates, looks up, renews and revokes a token, and reads its capabilities", async () => {
    const made = await done("POST", "auth/token/create", {
      policies: ["default"],
      ttl: "1h",
      display_name: "cli",
      renewable: true,
      explicit_max_ttl: "0",
      num_uses: 0,
      type: "service",
      period: "0",
      no_parent: false,
      no_default_policy: false,
      entity_alias: "",
    });
    const { client_token: token, accessor } = authOf(made);
    expect((await done("POST", "auth/token/lookup", { token })).data).toMatchObject({ accessor });
    expect((await done("POST", "auth/token/lookup-accessor", { accessor })).data).toMatchObject({
      id: "",
    });
    expect(authOf(await done("PUT", "auth/token/renew", { token, increment: 1800 }))).toMatchObject(
      { lease_duration: 1800 },
    );
    const capabilities = await done("POST", "sys/capabilities", { token, path: "pki/roles/web" });
    expect(capabilities.json).toMatchObject({ capabilities: ["deny"] });
    await done("PUT", "auth/token/revoke", { token });
    expect((await cli("POST", "auth/token/lookup", { token })).status).toBe(403);
  });

  it("`lease` looks up and revokes a lease, and is refused a renewal", async () => {
    await at.root();
    await at.role("web", { generate_lease: true });
    const issued = await done("PUT", "pki/issue/web", { common_name: "a.test" });
    const lease_id = String(issued.json["lease_id"]);
    expect((await done("PUT", "sys/leases/lookup", { lease_id })).data).toMatchObject({
      id: lease_id,
      renewable: false,
    });
    const renewed = await cli("PUT", "sys/leases/renew", { lease_id, increment: 60 });
    expect([renewed.status, renewed.errors]).toEqual([400, ["lease is not renewable"]]);
    await done("PUT", "sys/leases/revoke", { lease_id, sync: true });
    const { serial_number } = issued.data;
    expect(
      (await done("GET", `pki/cert/${String(serial_number)}`)).data["revocation_time"],
    ).not.toBe(0);
    await done("PUT", "sys/leases/revoke-prefix/pki/issue/web", {});
  });

  it("`pki health-check` and `pki list-intermediates` can read their inputs", async () => {
    const made = await at.root();
    await at.role("web");
    const id = made.issuer_id;
    const { keys = [] } = (await done("GET", "pki/issuers?list=true")).data as { keys?: string[] };
    expect(keys).toEqual([id]);
    for (const path of [
      "sys/mounts/pki/tune",
      `pki/issuer/${id}`,
      `pki/issuer/${id}/crl`,
      `pki/issuer/${id}/crl/delta`,
      "pki/certs?list=true",
      "pki/roles?list=true",
      "pki/roles/web",
      "pki/config/acme",
      "pki/config/auto-tidy",
      "pki/config/cluster",
      "pki/config/crl",
      "pki/tidy-status",
      "sys/mounts/",
    ])
      await done("GET", path);
  });

  it("`auth`, `audit`, `plugin`, `path-help` and `unwrap` get a successful response", async () => {
    await done("POST", "sys/auth/machines", { type: "approle", config: {} });
    await done("POST", "sys/auth/machines/tune", { default_lease_ttl: "1h", max_lease_ttl: "" });
    expect((await done("GET", "sys/auth")).data).toMatchObject({
      "machines/": { type: "approle" },
      "token/": { type: "token" },
    });
    await done("DELETE", "sys/auth/machines");
    await done("GET", "sys/audit");
    await done("GET", "sys/plugins/catalog");
    expect((await done("GET", "pki/roles/web?help=1")).json["help"]).toEqual(expect.any(String));
    const wrapped = await at.call(
      "PUT",
      "sys/wrapping/wrap",
      { a: "b" },
      { token: "root", compat: true, header: { ...marks, "X-Vault-Wrap-TTL": "60" } },
    );
    const { token } = wrapped.json["wrap_info"] as { token: string };
    expect((await done("PUT", "sys/wrapping/unwrap", undefined, token)).data).toEqual({ a: "b" });
  });
});
