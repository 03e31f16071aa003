import { expect, it } from "vitest";
import { memoryStore } from "../../src/index.ts";
import { at, beginAcme, post } from "../conformance/acme-world.ts";
import { authority, type Authority } from "../support/authority.ts";

type Listed = Readonly<Record<string, { readonly endpoint: string; readonly kind: string }>>;
/** Counts the events of a log by endpoint. */
async function counted(a: Authority, log: string): Promise<Readonly<Record<string, number>>> {
  const { data, status } = await a.call(
    "GET",
    `sys/audit/events?list=true&limit=1000&kind=change&log=${log}`,
  );
  if (status === 404) return {};
  // the type that the endpoint declares
  const events = Object.values(data["key_info"] as Listed);
  expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(["change"]));
  const counts: Record<string, number> = {};
  for (const { endpoint } of events) counts[endpoint] = (counts[endpoint] ?? 0) + 1;
  return counts;
}
/** Creates a token in the token store. */
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

it("changes by callers without a credential are in a separate log", async () => {
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
    [
      "log must be one of change, frequent, overflow, own, acme, public, anonymous, refusal, acme_refusal",
    ],
  ]);
});

const policy = 'path "x" { capabilities = ["read"] }';
/** A policy that permits writing and deleting policies, and creating tokens. */
const admin = `path "sys/policies/acl/*" { capabilities = ["update", "delete"] }
path "auth/token/create*" { capabilities = ["update", "sudo"] }`;
/** Writes a policy repeatedly. */
async function write(a: Authority, token: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    const { status } = await a.call("POST", `sys/policies/acl/p${n % 9}`, { policy }, { token });
    expect(status).toBe(204);
  }
}

it("changes by a caller above its share of an endpoint are in a separate log, unlike those of other callers and endpoints", async () => {
  const a = authority();
  await a.call("POST", "sys/policies/acl/admin", { policy: admin });
  const plain = await tokenOf(a, { policies: ["admin"] });
  const other = await tokenOf(a, { policies: ["admin"] });
  await write(a, plain, 130);
  await write(a, other, 1);
  await a.call("DELETE", "sys/policies/acl/p0", undefined, { token: plain });
  const before = { createToken: 2, deletePolicy: 1 };
  expect(await counted(a, "change")).toEqual({ ...before, writePolicy: 1 + 100 + 1 });
  expect(await counted(a, "frequent")).toEqual({ writePolicy: 30 });
  a.clock.advance(600);
  await write(a, plain, 1);
  expect(await counted(a, "change")).toEqual({ ...before, writePolicy: 103 });
});

it("a caller can fill a tenth of the log of frequent changes, and further events go to the overflow log", async () => {
  const a = authority();
  await a.call("POST", "sys/policies/acl/admin", { policy: admin });
  const busy = await tokenOf(a, { policies: ["admin"] });
  const other = await tokenOf(a, { policies: ["admin"] });
  await write(a, busy, 1120);
  await write(a, other, 101);
  expect(await counted(a, "change")).toMatchObject({ writePolicy: 1 + 100 + 100 });
  expect(await counted(a, "overflow")).toEqual({ writePolicy: 20 });
  const { data } = await a.call("GET", "sys/audit/events?list=true&limit=1&log=frequent");
  // the type that the endpoint declares
  const [newest] = Object.values(data["key_info"] as Readonly<Record<string, object>>);
  expect(newest).toMatchObject({ number: 1001 });
});

it("tokens that a caller creates, orphans too, share one quota and do not use up the caller's", async () => {
  const a = authority();
  await a.call("POST", "sys/policies/acl/admin", { policy: admin });
  const maker = await tokenOf(a, { policies: ["admin"] });
  const child = await tokenOf(a, { policies: ["admin"] }, maker);
  const grandchild = await tokenOf(a, { policies: ["admin"], no_parent: true }, child);
  for (const token of [child, grandchild]) await write(a, token, 60);
  expect(await counted(a, "change")).toMatchObject({ writePolicy: 1 + 100 });
  expect(await counted(a, "frequent")).toEqual({ writePolicy: 20 });
  await write(a, child, 1000);
  expect(await counted(a, "overflow")).toEqual({ writePolicy: 20 });
  await write(a, maker, 101);
  expect(await counted(a, "change")).toMatchObject({ writePolicy: 1 + 100 + 100 });
  expect(await counted(a, "overflow")).toEqual({ writePolicy: 20 });
});

it("a token that a user creates does not use up the user's share", async () => {
  const a = authority();
  await a.call("POST", "sys/policies/acl/admin", { policy: admin });
  await a.call("POST", "sys/auth/people", { type: "userpass" });
  const user = { password: "a password", token_policies: "admin" };
  await a.call("POST", "auth/people/users/ann", user);
  const login = await a.call("POST", "auth/people/login/ann", user, { token: "" });
  // the reply of every login
  const { client_token: ann } = login.json["auth"] as { readonly client_token: string };
  await write(a, await tokenOf(a, { policies: ["admin"] }, ann), 101);
  await write(a, ann, 1);
  expect(await counted(a, "change")).toMatchObject({ writePolicy: 1 + 100 + 1 });
});

it("each login of a user is logged as a change", async () => {
  const a = authority();
  await a.call("POST", "sys/auth/people", { type: "userpass" });
  await a.call("POST", "auth/people/users/bob", { password: "a password" });
  const login = () =>
    a.call("POST", "auth/people/login/bob", { password: "a password" }, { token: "" });
  for (let n = 0; n < 3; n++) expect((await login()).status).toBe(200);
  expect(await counted(a, "change")).toMatchObject({ loginUser: 3 });
  expect(await counted(a, "anonymous")).toEqual({});
});

it("calls permitted by the policy default are in a separate log from the first call on, wrapped or not", async () => {
  const a = authority();
  await a.root();
  await a.call("POST", "sys/policies/acl/nothing", { policy });
  await a.call("POST", "sys/auth/people", { type: "userpass" });
  const user = { password: "a password", token_policies: "nothing" };
  await a.call("POST", "auth/people/users/bob", user);
  const login = await a.call("POST", "auth/people/login/bob", user, { token: "" });
  // the reply of every login
  const auth = login.json["auth"] as Readonly<Record<"client_token" | "entity_id", string>>;
  const token = auth.client_token;
  const before = await counted(a, "change");
  for (const header of [{}, { "x-vault-wrap-ttl": "60" }]) {
    const as = { token, header };
    for (const [method, path, body] of [
      ["GET", "auth/token/lookup-self"],
      ["POST", "auth/token/renew-self", {}],
      ["POST", "sys/capabilities-self", { paths: "x" }],
      ["GET", `identity/entity/id/${auth.entity_id}`],
      ["GET", "sys/internal/ui/resultant-acl"],
      ["POST", "cubbyhole/x", { value: "x" }],
      ["GET", "cubbyhole/x"],
      ["LIST", "cubbyhole/"],
      ["DELETE", "cubbyhole/x"],
      ["POST", "sys/wrapping/wrap", { value: "x" }],
      ["POST", "sys/tools/hash", { input: "eA==" }],
      ["POST", "sys/renew", { lease_id: "pki/issue/x/y" }],
      ["POST", "sys/leases/renew", { lease_id: "pki/issue/x/y" }],
      ["POST", "sys/leases/lookup", { lease_id: "pki/issue/x/y" }],
    ] as const) {
      const { status } = await a.call(method, path, body, as);
      expect([path, status === 403]).toEqual([path, false]);
    }
  }
  expect(await counted(a, "change")).toEqual(before);
  expect(Object.keys(await counted(a, "own")).toSorted()).toEqual([
    "capabilitiesSelf",
    "deleteCubbyhole",
    "listCubbyhole",
    "readCubbyhole",
    "readEntity",
    "renewSelf",
    "resultantAcl",
    "wrapData",
    "writeCubbyhole",
  ]);
  await a.call("POST", "auth/token/revoke-self", {}, { token });
  expect(await counted(a, "change")).toEqual({ ...before, revokeSelf: 1 });
});

it("revoking a wrapped reply of another caller is logged like other changes", async () => {
  const a = authority();
  const wrap = async () => {
    const made = await a.call(
      "POST",
      "sys/wrapping/wrap",
      { x: 1 },
      { header: { "x-vault-wrap-ttl": "60" } },
    );
    return made.json["wrap_info"] as Readonly<Record<"token" | "accessor", string>>;
  };
  await a.call("POST", "auth/token/revoke", { token: (await wrap()).token });
  await a.call("POST", "auth/token/revoke-accessor", { accessor: (await wrap()).accessor });
  expect(await counted(a, "change")).toEqual({ revokeToken: 1, revokeAccessor: 1 });
});
