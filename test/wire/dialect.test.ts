import { expect, it } from "vitest";
import { authority } from "../support/authority.ts";

it("X-Vault-Request: errors have the status codes of the compat dialect, with and without a token", async () => {
  const a = authority();
  await a.root();
  const statusOf = async (token: string, header: Readonly<Record<string, string>>) =>
    (await a.call("GET", "pki/issuer/nosuch/pem", undefined, { token, header })).status;
  const [sdk, compat] = [{ "x-vault-request": "true" }, { "x-vault-token": "root" }];
  expect(await statusOf("", sdk)).toBe(500);
  expect(await statusOf("", { ...sdk, ...compat })).toBe(500);
  expect(await statusOf("", compat)).toBe(500);
  expect(await statusOf("", {})).toBe(404);
  // the documented dialect takes precedence over an X-Vault-Token, and X-Vault-Request over both
  expect(await statusOf("root", compat)).toBe(404);
  expect(await statusOf("root", sdk)).toBe(500);
  expect(await statusOf("root", { ...sdk, ...compat })).toBe(500);
});

it("D 1: X-Vault-Request selects the compat dialect for a request authenticated with X-Service-Token", async () => {
  const a = authority();
  await a.root();
  await a.role("web", { ttl: "90s" });
  const read = (header: Readonly<Record<string, string>>) =>
    a.call("GET", "pki/roles/web", undefined, { token: "", header });
  const service = { "x-service-token": "root" };
  expect((await read(service)).data["ttl"]).toBe("90s");
  const sdk = { ...service, "x-vault-request": "true", "x-vault-token": "stranger" };
  const reply = await read(sdk);
  expect([reply.status, reply.data["ttl"], reply.json["warnings"]]).toEqual([200, 90, null]);
});

it("envelope: mount_type is the type of the mount or method that responded", async () => {
  const a = authority();
  await a.root();
  await a.call("POST", "sys/auth/people", { type: "userpass" });
  await a.call("POST", "auth/people/users/bob", { password: "a password" });
  await a.call("POST", "identity/entity", { name: "e" });
  const paths = {
    "pki/config/urls": "pki",
    "sys/policies/acl/default": "system",
    "auth/token/roles/none": undefined,
    "auth/people/users/bob": "userpass",
    "identity/entity/name/e": "identity",
  };
  for (const [path, type] of Object.entries(paths))
    expect([path, (await a.call("GET", path)).json["mount_type"]]).toEqual([path, type]);
  const made = await a.call("POST", "auth/token/create", { policies: ["default"] });
  expect(made.json["mount_type"]).toBe("token");
});
