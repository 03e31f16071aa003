import { generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { authority, type Authority } from "../support/authority.ts";

let at: Authority;
beforeAll(async () => {
  at = authority();
  for (const type of ["approle", "userpass", "jwt", "kubernetes", "cert"])
    await at.sys.enableMethod({ path: type, type });
  await at.call("POST", "auth/approle/role/there", {});
});

describe("a missing resource", () => {
  it.each([
    ["GET", "auth/approle/role/none"],
    ["GET", "auth/approle/role/none/role-id"],
    ["GET", "auth/approle/role/none/token-ttl"],
    ["GET", "auth/cert/certs/none"],
    ["GET", "auth/jwt/config"],
    ["GET", "auth/jwt/role/none"],
    ["GET", "auth/kubernetes/config"],
    ["GET", "auth/kubernetes/role/none"],
    ["GET", "auth/userpass/users/none"],
    ["GET", "identity/entity/id/none"],
    ["LIST", "identity/entity/id"],
    ["LIST", "identity/entity/name"],
    ["GET", "identity/entity-alias/id/none"],
    ["LIST", "identity/entity-alias/id"],
    ["GET", "identity/group/id/none"],
    ["LIST", "identity/group/id"],
    ["LIST", "identity/group/name"],
    ["GET", "identity/group-alias/id/none"],
    ["GET", "sys/audit/sink"],
  ])(
    "returns 404 without an error text, and is logged as not_found (%s %s)",
    async (method, path) => {
      const { status, errors } = await at.call(method, path);
      expect([status, errors]).toEqual([404, []]);
      expect(at.events.at(-1)).toMatchObject({ status: 404, refusal: "not_found" });
    },
  );
});

describe("an invalid value", () => {
  it.each([
    ["auth/approle/role/new", { token_ttl: "soon" }],
    ["auth/approle/role/there/token-ttl", { token_ttl: "soon" }],
    ["auth/approle/role/there/secret-id", { ttl: "soon" }],
    ["auth/cert/certs/new", { token_ttl: "soon" }],
    ["auth/jwt/role/new", { token_ttl: "soon" }],
    ["auth/kubernetes/role/new", { token_ttl: "soon" }],
    ["auth/userpass/users/new", { token_ttl: "soon", password: "a password" }],
    ["auth/userpass/users/new", { token_num_uses: "some", password: "a password" }],
  ])("is rejected as invalid_field (%s %o)", async (path, body) => {
    const { status, errors } = await at.call("POST", path, body);
    expect(status).toBe(400);
    expect(errors[0]).toMatch(/Field validation failed|invalid|duration/);
    expect(at.events.at(-1)).toMatchObject({ refusal: "invalid_field" });
  });

  it.each([
    ["jwt", "jwt_validation_pubkeys"],
    ["kubernetes", "pem_keys"],
  ])("is rejected as bad_key if it is a key-agreement key (%s)", async (method, field) => {
    const { publicKey } = generateKeyPairSync("x25519");
    const pem = publicKey.export({ type: "spki", format: "pem" });
    const { status } = await at.call("POST", `auth/${method}/config`, { [field]: [pem] });
    expect(status).toBe(400);
    expect(at.events.at(-1)).toMatchObject({ refusal: "bad_key" });
    expect((await at.call("GET", `auth/${method}/config`)).status).toBe(404);
  });
});

it("a backup is not restored over its original mount", async () => {
  const url = "http://ca.test/v1/sys/storage/snapshot/pki";
  const headers = { "X-Service-Token": "root" };
  const text = await (await at.ca.fetch(new Request(url, { headers }))).text();
  const { status, errors } = await at.call("POST", "sys/storage/snapshot/pki", text);
  expect([status, errors]).toEqual([400, [expect.stringContaining("pki/")]]);
  expect(at.events.at(-1)).toMatchObject({ refusal: "already_exists" });
});
