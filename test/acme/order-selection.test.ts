import { describe, expect, it } from "vitest";
import { readCertificate } from "../pki/reading.ts";
import { acmeAuthority, type AcmeAuthority } from "./client.ts";
import { issue, newOrder, orderIn } from "./ordering.ts";

const directory = async (a: AcmeAuthority, at: string) => {
  const { status, json } = await a.call("GET", `pki/${at}/directory`, undefined, { token: "" });
  return [status, String(json["type"]).replace("urn:ietf:params:acme:error:", "")];
};
const profiles = async (a: AcmeAuthority, at = "acme") => {
  const { json } = await a.call("GET", `pki/${at}/directory`);
  return (json["meta"] as Readonly<Record<string, unknown>>)["profiles"];
};
const serverAuth = "1.3.6.1.5.5.7.3.1";
const clientAuth = "1.3.6.1.5.5.7.3.2";

describe("role and issuer of a directory (B 5.4)", () => {
  it("B 5.4 rule 1: a role in the path must exist, store certificates and be allowed", async () => {
    const a = await acmeAuthority();
    await a.role("web");
    await a.role("other");
    expect(await directory(a, "roles/none/acme")).toEqual([400, "malformed"]);
    expect(await directory(a, "roles/web/acme")).toEqual([200, "undefined"]);
    await a.call("POST", "pki/config/acme", { allowed_roles: ["other"] });
    expect(await directory(a, "roles/web/acme")).toEqual([403, "unauthorized"]);
    expect(await directory(a, "roles/other/acme")).toEqual([200, "undefined"]);
    await a.call("POST", "pki/config/acme", { allowed_roles: ["*"] });
    await a.role("web", { no_store: true });
    expect(await directory(a, "roles/web/acme")).toEqual([403, "unauthorized"]);
  });

  it("B 5.4 rule 2: without a role in the path, the policy decides: forbid, a role, or any name", async () => {
    const a = await acmeAuthority({ config: { max_ttl: "8760h" } });
    await a.role("web", {
      allow_any_name: false,
      allowed_domains: ["a.test"],
      allow_subdomains: true,
    });
    const client = await a.registered();
    const { leaf } = await issue(a, client, ["localhost", "*.x.y", "203.0.113.9"]);
    expect(leaf.notAfter - leaf.notBefore).toBe(8760 * 3600 + 30);
    await a.call("POST", "pki/config/acme", { default_directory_policy: "role:web" });
    expect((await newOrder(client, ["x.test"])).problem).toBe("rejectedIdentifier");
    const { keys } = await a.pki.listCerts({});
    const { leaf: ruled } = await issue(a, client, ["www.a.test"]);
    expect(ruled.text.subject).toBe("CN=www.a.test");
    expect((await a.pki.listCerts({})).keys).toHaveLength(keys.length + 1);
    await a.call("POST", "pki/config/acme", { default_directory_policy: "forbid" });
    expect(await directory(a, "acme")).toEqual([403, "unauthorized"]);
    const ordered = await newOrder(client, ["www.a.test"]);
    expect([ordered.status, ordered.problem]).toEqual([403, "unauthorized"]);
    const nonce = await a.ca.fetch(new Request(await client.url("newNonce"), { method: "HEAD" }));
    expect([nonce.status, nonce.headers.get("replay-nonce")?.length]).toEqual([403, 43]);
    expect(await directory(a, "issuer/root/acme")).toEqual([403, "unauthorized"]);
    expect(await directory(a, "roles/web/acme")).toEqual([200, "undefined"]);
  });

  it("B 5.4 rule 3: the issuer is that of the path, of the role, or the default, in this order; allowed_issuers applies to paths only", async () => {
    const a = await acmeAuthority();
    const { id } = await a.intermediate();
    await a.call("POST", `pki/issuer/${id}`, { issuer_name: "between" });
    await a.role("web", { issuer_ref: "between" });
    const issuerOf = async (at: string) =>
      (await issue(a, await a.registered({ at }), ["a.test"])).leaf.text.issuer;
    const between = readCertificate((await a.pki.readIssuer({ issuer_ref: id })).certificate).text
      .subject;
    const root = readCertificate((await a.pki.readIssuer({ issuer_ref: "root" })).certificate).text
      .subject;
    expect(await issuerOf("acme")).toBe(root);
    expect(await issuerOf("roles/web/acme")).toBe(between);
    expect(await issuerOf("issuer/between/acme")).toBe(between);
    expect(await issuerOf("issuer/root/roles/web/acme")).toBe(root);
    await a.call("POST", "pki/config/acme", { allowed_issuers: ["root"] });
    expect(await directory(a, "issuer/between/acme")).toEqual([403, "unauthorized"]);
    expect(await directory(a, `issuer/${id}/acme`)).toEqual([403, "unauthorized"]);
    expect(await directory(a, "roles/web/acme")).toEqual([200, "undefined"]);
    expect(await directory(a, "issuer/root/acme")).toEqual([200, "undefined"]);
    expect(await directory(a, "issuer/none/acme")).toEqual([400, "malformed"]);
    await a.call("POST", "pki/issuer/root", { usage: "crl-signing,read-only" });
    // an issuer in the path that cannot sign is the client's error; one that the mount chose is a
    // server error
    expect(await directory(a, "issuer/default/acme")).toEqual([403, "unauthorized"]);
    expect(await directory(a, "acme")).toEqual([500, "serverInternal"]);
  });

  it("B 5.4 rule 4: certificates are for server authentication only, unless the configuration lets the role decide", async () => {
    const a = await acmeAuthority();
    await a.role("web", { client_flag: true, code_signing_flag: true });
    const at = "roles/web/acme";
    const client = await a.registered({ at });
    expect((await issue(a, client, ["a.test"])).leaf.purposes).toEqual([serverAuth]);
    await a.call("POST", "pki/config/acme", { allow_role_ext_key_usage: true });
    const { leaf } = await issue(a, client, ["a.test"]);
    expect(leaf.purposes).toEqual([serverAuth, clientAuth, "1.3.6.1.5.5.7.3.3"]);
    // without a role: only the default purposes
    expect((await issue(a, await a.registered(), ["a.test"])).leaf.purposes).toEqual([serverAuth]);
  });
});

describe("profiles (D 5)", () => {
  it("are the roles usable with ACME, listed by directories without a role and accepted in their orders", async () => {
    const a = await acmeAuthority();
    await a.role("web", { organization: ["Web"] });
    await a.role("unstored", { no_store: true });
    await a.role("lost", { issuer_ref: "gone" });
    expect(await profiles(a)).toEqual({
      web: "Certificates issued under the rules of the role web.",
    });
    expect(await profiles(a, "roles/web/acme")).toBeUndefined();
    const client = await a.registered();
    const { leaf, order } = await issue(a, client, ["a.test"], { more: { profile: "web" } });
    expect(leaf.text.subject).toContain("O=Web");
    expect((await client.post(order)).json["profile"]).toBe("web");
    await a.role("more");
    expect(Object.keys((await profiles(a)) as object)).toEqual(["more", "web"]);
  });

  it("security row 33: an unknown or disallowed profile, and any profile in a directory with a role, is invalidProfile", async () => {
    const a = await acmeAuthority({});
    for (const name of ["web", "other"]) await a.role(name);
    await a.role("unstored", { no_store: true });
    await a.call("POST", "pki/config/acme", { allowed_roles: ["web"] });
    expect(Object.keys((await profiles(a)) as object)).toEqual(["web"]);
    const client = await a.registered();
    for (const profile of ["none", "other", "unstored", "../web"]) {
      const { status, problem } = await newOrder(client, ["a.test"], { profile });
      expect([profile, status, problem]).toEqual([profile, 400, "invalidProfile"]);
    }
    const fixed = await a.registered({ at: "roles/web/acme" });
    expect((await newOrder(fixed, ["a.test"], { profile: "web" })).problem).toBe("invalidProfile");
    const made = await newOrder(client, ["a.test"], { profile: "web" });
    expect(made.status).toBe(201);
    expect(orderIn(made).authorizations).toHaveLength(1);
  });

  it("are advertised up to a limit of 100", async () => {
    const a = await acmeAuthority();
    for (let i = 0; i < 110; i++) await a.role(`r${String(i).padStart(3, "0")}`);
    expect(Object.keys((await profiles(a)) as object)).toHaveLength(100);
    const made = await newOrder(await a.registered(), ["a.test"], { profile: "r109" });
    expect(made.status).toBe(201);
  });
});
