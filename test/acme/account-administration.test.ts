import { expect, it } from "vitest";
import { accountUrl, binding, newEab, registering } from "./registering.ts";

const at = "pki/acme/mgmt/account/keyid";
async function registered() {
  const { a, acme, key } = await registering();
  const eab = await newEab(a);
  const externalAccountBinding = await binding(eab, key.jwk, { url: acme.url("/new-account") });
  const contact = ["mailto:a@example.com"];
  const made = await acme.post("/new-account", key, { contact, externalAccountBinding });
  const kid = accountUrl(made);
  const path = kid.slice(acme.url("").length);
  return { a, acme, key, eab, kid, path, id: path.slice("/account/".length) };
}
const none = "00000000-0000-4000-8000-000000000000";

it("B 5.13 LIST acme/mgmt/account/keyid: lists the ids of the accounts of all directories, even while ACME is disabled", async () => {
  const { a, id } = await registered();
  await a.pki.writeAcmeConfig({ enabled: false });
  expect((await a.call("LIST", at)).data["keys"]).toEqual([id]);
  expect((await a.pki.listAcmeAccounts({ limit: 1 })).keys).toEqual([id]);
  expect((await a.call("GET", `${at}?list=true&after=${id}`)).status).toBe(404);
  expect((await a.call("LIST", at, undefined, { token: "" })).status).toBe(403);
});

it("a detailed listing of accounts (listAcmeAccounts) returns the fields of a read for each account that the caller may read", async () => {
  const { a, id } = await registered();
  const reply = await a.call("LIST", `${at}?detailed=true`);
  const { orders: _, ...account } = (await a.call("GET", `${at}/${id}`)).data;
  expect(reply.data).toEqual({ keys: [id], key_info: { [id]: account } });
  const policy = `path "${at}" { capabilities = ["list"] }`;
  await a.call("POST", "sys/policies/acl/lists", { policy });
  const { json } = await a.call("POST", "auth/token/create", { policies: ["lists"] });
  const { client_token: token } = (json as { auth: { client_token: string } }).auth;
  const limited = await a.call("LIST", `${at}?detailed=true`, undefined, { token });
  expect(limited.data).toEqual({ keys: [id], key_info: {} });
});

it("a detailed listing of accounts (listAcmeAccounts) omits accounts that the caller may read only with a wrapped response", async () => {
  const { a, id } = await registered();
  const policy = `path "${at}" { capabilities = ["list"] }
path "${at}/*" {
  capabilities = ["read"]
  min_wrapping_ttl = "1m"
}`;
  await a.call("POST", "sys/policies/acl/wrapped", { policy });
  const { json } = await a.call("POST", "auth/token/create", { policies: ["wrapped"] });
  const { client_token: token } = (json as { auth: { client_token: string } }).auth;
  expect((await a.call("GET", `${at}/${id}`, undefined, { token })).status).toBe(403);
  const limited = await a.call("LIST", `${at}?detailed=true`, undefined, { token });
  expect(limited.data).toEqual({ keys: [id], key_info: {} });
});

it("a detailed listing of accounts (listAcmeAccounts) omits accounts that a policy denies in another spelling", async () => {
  const { a, id } = await registered();
  const policy = `path "${at}" { capabilities = ["list"] }
path "${at}/*" { capabilities = ["read"] }
path "${at}/${id.toUpperCase()}" { capabilities = ["deny"] }`;
  await a.call("POST", "sys/policies/acl/denied", { policy });
  const { json } = await a.call("POST", "auth/token/create", { policies: ["denied"] });
  const { client_token: token } = (json as { auth: { client_token: string } }).auth;
  expect((await a.call("GET", `${at}/${id}`, undefined, { token })).status).toBe(403);
  const limited = await a.call("LIST", `${at}?detailed=true`, undefined, { token });
  expect(limited.data).toEqual({ keys: [id], key_info: {} });
});

it("B 5.13 POST acme/mgmt/account/keyid/:key_id, B 5.7 status values: revokes an account, which blocks all its requests, and restores it to valid", async () => {
  const { a, acme, key, eab, kid, path, id } = await registered();
  const shown = {
    key_id: id,
    contacts: ["mailto:a@example.com"],
    created_time: "2030-01-02T03:04:05Z",
    directory: "acme/",
    eab: {
      eab_id: eab.id,
      key_type: "hs",
      directory: "acme/",
      created_time: "2030-01-02T03:04:05Z",
    },
  };
  a.clock.advance(5);
  const revoked = { ...shown, status: "revoked", revoked_time: "2030-01-02T03:04:10Z" };
  expect((await a.call("POST", `${at}/${id}`, { status: "revoked" })).data).toEqual(revoked);
  a.clock.advance(5);
  // repeating it changes nothing
  expect(await a.pki.writeAcmeAccount({ key_id: id, status: "revoked" })).toEqual(revoked);
  const refused = await acme.post(path, key, undefined, { kid });
  expect([refused.status, refused.problem]).toEqual([401, "unauthorized"]);
  expect((await acme.post("/new-account", key, {})).problem).toBe("unauthorized");
  const valid = { ...shown, status: "valid", revoked_time: "" };
  expect((await a.call("POST", `${at}/${id}`, { status: "valid" })).data).toEqual(valid);
  expect((await acme.post(path, key, undefined, { kid })).status).toBe(200);
});

it("B 5.13 POST acme/mgmt/account/keyid/:key_id, B 5.7 deactivated: rejects other statuses, and any change of an account that its client has deactivated", async () => {
  const { a, acme, key, kid, path, id } = await registered();
  for (const status of ["deactivated", "x", ""])
    expect((await a.call("POST", `${at}/${id}`, { status })).status).toBe(400);
  expect((await a.call("POST", `${at}/${id}`, {})).status).toBe(400);
  await acme.post(path, key, { status: "deactivated" }, { kid });
  for (const status of ["valid", "revoked"]) {
    const refused = await a.call("POST", `${at}/${id}`, { status });
    expect([refused.status, refused.errors]).toEqual([
      400,
      ["the account cannot be changed: its client has deactivated it permanently"],
    ]);
  }
});

it("B 5.13 POST acme/mgmt/account/keyid/:key_id: returns 404 for an unknown account and 403 without the update capability", async () => {
  const { a, id } = await registered();
  expect((await a.call("POST", `${at}/${none}`, { status: "valid" })).status).toBe(404);
  expect((await a.call("POST", `${at}/none`, { status: "valid" })).status).toBe(404);
  for (const token of ["", "reader"])
    expect((await a.call("POST", `${at}/${id}`, { status: "revoked" }, { token })).status).toBe(
      403,
    );
});
