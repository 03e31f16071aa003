import { expect, it } from "vitest";
import { memoryStore } from "../../src/index.ts";
import { at, beginAcme, post } from "../conformance/acme-world.ts";
import { authority, type Authority } from "../support/authority.ts";

type Listed = Readonly<Record<string, { readonly endpoint: string; readonly kind: string }>>;
/** Counts the events of a log by their endpoints. */
async function counted(a: Authority, log: string): Promise<Readonly<Record<string, number>>> {
  const { data, status } = await a.call(
    "GET",
    `sys/audit/events?list=true&limit=1000&kind=change&log=${log}`,
  );
  if (status === 404) return {};
  // what the endpoint declares
  const events = Object.values(data["key_info"] as Listed);
  expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(["change"]));
  const counts: Record<string, number> = {};
  for (const { endpoint } of events) counts[endpoint] = (counts[endpoint] ?? 0) + 1;
  return counts;
}
/** A token of the token store. */
async function tokenOf(a: Authority, body: object, by?: string): Promise<string> {
  const made = await a.call(
    "POST",
    "auth/token/create",
    body,
    by === undefined ? undefined : { token: by },
  );
  expect(made.status).toBe(200);
  return (made.json["auth"] as { readonly client_token: string }).client_token;
}

it("changes by callers without a credential are in a log of their own", async () => {
  const world = await beginAcme(memoryStore());
  const [a] = world.engines;
  const [holder] = world.holders;
  if (!a || !holder) throw new Error("a world has engines and accounts");
  const before = await counted(a, "change");
  const identifiers = [{ type: "dns", value: "o.a.test" }];
  for (let n = 0; n < 3; n++) await post(a, holder, at("/new-order"), { identifiers });
  expect(await counted(a, "change")).toEqual(before);
  expect(await counted(a, "anonymous")).toMatchObject({ acmeNewAccount: 2, acmeNewOrder: 3 });
  const missing = await a.call("GET", "sys/audit/events?list=true&log=x");
  expect([missing.status, missing.errors]).toEqual([
    400,
    ["log must be one of change, frequent, own, acme, anonymous, refusal"],
  ]);
});

it("changes of a caller above its share of an endpoint are in a log of their own, those of other callers and endpoints are not", async () => {
  const a = authority();
  await a.call("POST", "sys/policies/acl/admin", {
    policy: 'path "sys/policies/acl/*" { capabilities = ["update"] }',
  });
  const plain = await tokenOf(a, { policies: ["default", "admin"] });
  const other = await tokenOf(a, { policies: ["default"] });
  const write = (token: string, n: number) =>
    a.call("POST", "cubbyhole/x", { value: `${n}` }, { token });
  for (let n = 0; n < 130; n++) expect((await write(plain, n)).status).toBe(204);
  await write(other, 0);
  const policy = 'path "x" { capabilities = ["read"] }';
  await a.call("POST", "sys/policies/acl/mine", { policy }, { token: plain });
  expect(await counted(a, "change")).toEqual({
    createToken: 2,
    writePolicy: 2,
    writeCubbyhole: 101,
  });
  expect(await counted(a, "own")).toEqual({ writeCubbyhole: 30 });
  a.clock.advance(600);
  await write(plain, -1);
  expect(await counted(a, "change")).toMatchObject({ writeCubbyhole: 102 });
});

it("tokens that a token makes have their share together, orphans too", async () => {
  const a = authority();
  await a.call("POST", "sys/policies/acl/maker", {
    policy:
      'path "auth/token/create*" { capabilities = ["update", "sudo"] }\npath "cubbyhole/*" { capabilities = ["update"] }',
  });
  const maker = await tokenOf(a, { policies: ["maker"] });
  const child = await tokenOf(a, { policies: ["maker"] }, maker);
  const grandchild = await tokenOf(a, { policies: ["maker"], no_parent: true }, child);
  for (const token of [maker, child, grandchild])
    for (let n = 0; n < 40; n++) await a.call("POST", "cubbyhole/x", { value: `${n}` }, { token });
  expect(await counted(a, "change")).toMatchObject({ writeCubbyhole: 100 });
  expect(await counted(a, "own")).toEqual({ writeCubbyhole: 20 });
});

it("logins of one user have a share, and each is told of", async () => {
  const a = authority();
  await a.call("POST", "sys/auth/people", { type: "userpass" });
  await a.call("POST", "auth/people/users/bob", { password: "a password" });
  const login = () =>
    a.call("POST", "auth/people/login/bob", { password: "a password" }, { token: "" });
  for (let n = 0; n < 3; n++) expect((await login()).status).toBe(200);
  expect(await counted(a, "change")).toMatchObject({ loginUser: 3 });
  expect(await counted(a, "anonymous")).toEqual({});
});

it("what any token may change for itself pushes no other event out, above the share too", async () => {
  const a = authority();
  const plain = await tokenOf(a, { policies: ["default"] });
  const as = { token: plain };
  for (let n = 0; n < 102; n++) {
    const policy = 'path "x" { capabilities = ["read"] }';
    await a.call("POST", `sys/policies/acl/p${n}`, { policy });
    await a.call("POST", "auth/token/renew-self", {}, as);
    await a.call("POST", "cubbyhole/x", { value: `${n}` }, as);
    await a.call("DELETE", "cubbyhole/x", undefined, as);
    const wrapped = { ...as, header: { "x-vault-wrap-ttl": "60" } };
    await a.call("POST", "sys/wrapping/wrap", { value: `${n}` }, wrapped);
    await a.call("POST", "sys/capabilities-self", { paths: "x" }, wrapped);
  }
  expect(await counted(a, "frequent")).toEqual({ writePolicy: 2 });
  expect(await counted(a, "own")).toEqual({
    renewSelf: 2,
    writeCubbyhole: 2,
    deleteCubbyhole: 2,
    wrapData: 2,
    capabilitiesSelf: 2,
  });
});
