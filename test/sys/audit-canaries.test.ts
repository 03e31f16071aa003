import { expect, it } from "vitest";
import { varsApi } from "../../src/vars/index.ts";
import { acmeAuthority, binding, newKey } from "../acme/client.ts";
import { tokenSigner } from "../auth/jwt/signer.ts";
import { varsDocument } from "../vars/service.ts";
import { fresh, gathered } from "./backup/kept.ts";

const varsToken = "canary-vars-token-5f1c";
/** Creates an authority and collects its output: its log, and the events of all stores. */
async function watched() {
  const a = await acmeAuthority({ apis: [varsApi], vars: { token: varsToken } });
  const told = async (): Promise<string> => {
    const names = ["sys", "vars", await a.uuid()];
    const rows = await Promise.all(names.map((name) => a.stores(name).list("audit/")));
    const log = a.events.map(({ cause, ...event }) => [event, String(cause)]);
    return JSON.stringify([rows, log]);
  };
  return { a, told };
}
/** Asserts that a text contains none of these secrets. */
function expectNone(text: string, secrets: Readonly<Record<string, string>>): void {
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, name).toBeGreaterThan(7);
    expect([name, text.includes(secret)]).toEqual([name, false]);
  }
}

it("security row 58: log and audit contain no value of a variable, sensitive or not, and no token of the user", async () => {
  const { a, told } = await watched();
  const ask = async (method: string, path: string, body: unknown, token = varsToken) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/vnd.api+json",
    };
    const answer = await a.ca.fetch(
      new Request(`http://ca.test/api/v2${path}`, { method, headers, body: JSON.stringify(body) }),
    );
    // every document here has `data`
    const { data } = (await answer.json()) as { readonly data?: { readonly id: string } };
    return { status: answer.status, id: data?.id ?? "" };
  };
  const attributes = { name: "acme", email: "a@example.com" };
  await ask("POST", "/organizations", { data: { type: "organizations", attributes } });
  const workspace = await ask("POST", "/organizations/acme/workspaces", {
    data: { type: "workspaces", attributes: { name: "demo" } },
  });
  const at = `/workspaces/${workspace.id}/vars`;
  const secrets = {
    plain: "canary-plain-value",
    sensitive: "canary-sensitive-value",
    changed: "canary-changed-value",
    stranger: "canary-of-a-stranger",
    token: varsToken,
  };
  for (const [key, value, sensitive] of [
    ["a", secrets.plain, false],
    ["b", secrets.sensitive, true],
  ] as const) {
    const made = await ask("POST", at, varsDocument({ key, value, category: "env", sensitive }));
    expect(made.status).toBe(201);
    const { changed } = secrets;
    const patch = varsDocument({ value: changed }, { id: made.id });
    expect((await ask("PATCH", `${at}/${made.id}`, patch)).status).toBe(200);
    expect((await ask("POST", at, varsDocument({ key: "", value, category: value }))).status).toBe(
      422,
    );
    await ask("POST", at, varsDocument({ key: "c", value, category: "env" }), secrets.stranger);
  }
  const text = await told();
  expect(text).toContain("createWorkspaceVar");
  expectNone(text, secrets);
});

it("log and audit contain no key of an external account binding, no signed ACME request and no account key", async () => {
  const { a, told } = await watched();
  const made = await a.call("POST", "pki/acme/new-eab");
  const [mac, kid] = [String(made.data["key"]), String(made.data["id"])];
  const client = a.client({ key: newKey() });
  const externalAccountBinding = binding(client.key, {
    kid,
    mac,
    url: await client.url("newAccount"),
  });
  const signatures: string[] = [];
  const jws = (right: { readonly signature: string }) => (signatures.push(right.signature), right);
  const breaks = { jws };
  const contact = ["mailto:canary-contact@example.com"];
  const payload = { termsOfServiceAgreed: true, contact, externalAccountBinding };
  expect((await client.register(payload, breaks)).status).toBe(201);
  const identifiers = [{ type: "dns", value: "canary-name.example" }];
  const order = await client.post(await client.url("newOrder"), { identifiers }, breaks);
  expect(order.status).toBe(201);
  const text = await told();
  expect(text).toContain("acmeNewAccount");
  expect(signatures).toHaveLength(2);
  expectNone(text, {
    mac,
    binding: externalAccountBinding.signature,
    contact: "canary-contact",
    name: "canary-name",
    x: String(client.key.jwk["x"]),
    first: signatures[0] ?? "",
    second: signatures[1] ?? "",
  });
});

it("log and audit contain no password, secret ID, JWT or token of a login", async () => {
  const { a, told } = await watched();
  const post = async (path: string, body: unknown, token = "root") => {
    const answer = await a.call("POST", path, body, { token });
    // replies with a token have this member
    const auth = answer.json["auth"] as { readonly client_token?: string } | undefined;
    return { ...answer, token: auth?.client_token ?? "" };
  };
  for (const type of ["userpass", "approle", "jwt"]) await post(`sys/auth/${type}`, { type });
  const password = "canary-password";
  await post("auth/userpass/users/bob", { password });
  const byPassword = await post("auth/userpass/login/bob", { password }, "");
  const wrong = "canary-wrong-password";
  expect((await post("auth/userpass/login/bob", { password: wrong }, "")).status).toBe(400);
  await post("auth/approle/role/web", {});
  const role = await a.call("GET", "auth/approle/role/web/role-id");
  const { data } = await post("auth/approle/role/web/secret-id", {});
  const secret_id = String(data["secret_id"]);
  const { role_id } = role.data;
  const bySecret = await post("auth/approle/login", { role_id, secret_id }, "");
  const signer = await tokenSigner();
  await post("auth/jwt/config", { jwt_validation_pubkeys: [signer.pem] });
  const iat = a.clock.now / 1000;
  const claims = { sub: "canary-subject", aud: "ca", iat, exp: iat + 600 };
  const jwt = await signer.token(claims);
  await post("auth/jwt/role/web", {
    role_type: "jwt",
    user_claim: "sub",
    bound_audiences: "ca",
  });
  const byJwt = await post("auth/jwt/login", { role: "web", jwt }, "");
  const id = "canary-chosen-token";
  const chosen = await post("auth/token/create", { id, policies: ["x"] });
  const child = await post("auth/token/create", { policies: ["x"] });
  await post("auth/token/renew", { token: child.token });
  await post("auth/token/revoke", { token: child.token });
  expect((await post("pki/roles/web", {}, chosen.token)).status).toBe(403);
  await post("pki/roles/web", {}, "canary-unknown-token");
  const text = await told();
  for (const endpoint of ["loginUser", "loginAppRole", "loginJwt", "createToken"])
    expect(text).toContain(endpoint);
  expectNone(text, {
    password,
    wrong,
    secret_id,
    jwt,
    signature: jwt.split(".")[2] ?? "",
    id,
    byPassword: byPassword.token,
    bySecret: bySecret.token,
    byJwt: byJwt.token,
    child: child.token,
    unknown: "canary-unknown-token",
  });
});

it("log and audit contain nothing from the rows of a restored or rejected backup", async () => {
  const { a } = await watched();
  await a.role("canary-role", { allowed_domains: ["canary-domain.example"] });
  const parts = await gathered(a.ca.backup("pki"));
  const b = fresh();
  const [part = new Uint8Array()] = parts;
  const send = (body: Uint8Array) => b.call("POST", "sys/storage/snapshot/pki", body);
  const altered = part.map((byte, i) => (i === part.length - 9 ? byte ^ 1 : byte));
  expect((await send(altered)).status).toBe(400);
  expect((await send(part)).status).toBeLessThan(300);
  const { uuid } = await b.sys.readMount({ path: "pki" });
  // the events of the backup are restored with the rest
  const before = new Set(
    (await a.stores(uuid).list("audit/")).map(([, { value }]) => JSON.stringify(value)),
  );
  const rows = (await Promise.all(["sys", uuid].map((name) => b.stores(name).list("audit/"))))
    .flat()
    .filter(([, { value }]) => !before.has(JSON.stringify(value)));
  const text = JSON.stringify([rows, b.events.map(({ cause, ...one }) => [one, String(cause)])]);
  expect(rows.length).toBeGreaterThan(0);
  const sealed = /^\["key\/.*$/m.exec(new TextDecoder().decode(part))?.[0] ?? "";
  expectNone(text, { role: "canary-role", domain: "canary-domain", key: sealed.slice(-60, -20) });
});
