import { expect, it } from "vitest";
import { partsIn } from "../../../src/sys/backup/part.ts";
import { restoreKey } from "../../../src/sys/backup/store-kinds.ts";
import { varsApi } from "../../../src/vars/index.ts";
import type { Store } from "../../../src/engine/ports.ts";
import { memoryStore } from "../../../src/index.ts";
import { authority, type Authority, type AuthorityOptions } from "../../support/authority.ts";
import { fresh, gathered, inParts, issued, used, uuidOf } from "./kept.ts";

const apis = [varsApi];
const vars = { token: "first-user" };
const target = (options: AuthorityOptions = {}): Authority => fresh({ apis, vars, ...options });

/** Returns the parts of a store's backup. */
async function storeParts(a: Authority, store: string): Promise<Uint8Array[]> {
  const response = await a.ca.fetch(
    new Request(`http://ca.test/v1/sys/storage/stores/${store}`, {
      headers: { "x-service-token": "root" },
    }),
  );
  expect(response.status).toBe(200);
  return gathered(partsIn([new Uint8Array(await response.arrayBuffer())]));
}
const send = (a: Authority, store: string, part: Uint8Array | undefined, query = "") =>
  a.call("POST", `sys/storage/${store}${query}`, part ?? new Uint8Array());
async function restoreStore(a: Authority, store: string, parts: readonly Uint8Array[]) {
  for (const part of parts) {
    const { status, errors } = await send(a, `stores/${store}`, part);
    expect([status, errors ?? []]).toEqual([200, []]);
  }
}
const rowsOf = async (a: Authority, store: string) =>
  (await a.stores(store).list("")).filter(([key]) => !/^(?:audit|logged)\//.test(key));
/** Creates an authority with a policy, a token, a login, a quota, and a wrapped reply. */
async function rich() {
  const a = await used({ apis, vars });
  await a.call("PUT", "sys/policies/acl/reader", {
    policy: 'path "pki/roles/*" { capabilities = ["read", "list"] }',
  });
  const { json } = await a.call("POST", "auth/token/create", { policies: ["reader"] });
  const token = (json["auth"] as { readonly client_token: string }).client_token;
  await a.call("POST", "sys/auth/userpass", { type: "userpass" });
  await a.call("POST", "auth/userpass/users/bob", { password: "pass-word-1", policies: "reader" });
  await a.call("POST", "sys/quotas/rate-limit/all", { rate: 1000 });
  await a.call("POST", "sys/wrapping/wrap", { a: 1 }, { header: { "x-service-wrap-ttl": "1h" } });
  return { a, token };
}
const role = (a: Authority, token: string) => a.call("GET", "pki/roles/web", undefined, { token });

it("a restored sys store has tokens, policies, logins and mounts, whose calls fail until the mounts are restored too", async () => {
  const { a, token } = await rich();
  const serial = await issued(a);
  const [sys, mount] = [await storeParts(a, "sys"), await inParts(a)];
  const b = target();
  await b.sys.listMounts({});
  const first = await uuidOf(b);
  await restoreStore(b, "sys", sys);
  expect((await role(b, token)).status).toBe(503);
  expect(await b.stores(first).list("", { values: false })).toEqual(
    // only the epoch shows that the store was used
    [expect.arrayContaining(["epoch"])],
  );
  await b.ca.restore("pki", mount);
  expect((await role(b, token)).status).toBe(200);
  expect((await b.pki.readCert({ serial })).certificate).toContain("BEGIN");
  await issued(b, "more.test");
  const login = await b.call("POST", "auth/userpass/login/bob", { password: "pass-word-1" });
  expect(login.status).toBe(200);
  expect((await b.call("GET", "sys/quotas/rate-limit/all")).data["rate"]).toBe(1000);
  const keys = (await rowsOf(b, "sys")).map(([key]) => key);
  expect(keys.filter((key) => /^(?:wrapped|restored)\//.test(key))).toEqual([]);
  // the audit log continues far beyond the numbers of the backup
  const last = (await b.stores("sys").list("audit/change/")).at(-1)?.[0] ?? "";
  expect(Number(last.slice(-12))).toBeGreaterThan(2 ** 20);
});

it("a part of sys that is sent again after the end changes nothing, and is reported as repeated", async () => {
  const { a } = await rich();
  const parts = await storeParts(a, "sys");
  const b = target();
  await restoreStore(b, "sys", parts);
  const before = await rowsOf(b, "sys");
  for (const part of parts)
    expect((await send(b, "stores/sys", part)).data).toMatchObject({ repeated: true });
  expect((await send(b, "snapshot-check", parts[0])).status).toBe(200);
  expect(await rowsOf(b, "sys")).toEqual(before);
});

const flipped = (part: Uint8Array): Uint8Array =>
  part.map((byte, i) => (i === 900 ? byte ^ 1 : byte));
it.for<
  readonly [
    what: string,
    options: AuthorityOptions,
    use: (b: Authority) => Promise<unknown>,
    change: (part: Uint8Array) => Uint8Array,
    why: RegExp,
  ]
>([
  ["with a flipped bit", {}, (b) => b.sys.listMounts({}), flipped, /altered/],
  [
    "of another sealing key",
    { sealingKey: new Uint8Array(32).fill(8) },
    (b) => b.sys.listMounts({}),
    (part) => part,
    /^wrong sealing key/,
  ],
  ["into a mount with a root", {}, (b) => b.root(), (part) => part, /^the mount pki\/ is in use/],
  [
    "into a deployment with a policy",
    {},
    (b) => b.call("PUT", "sys/policies/acl/x", { policy: 'path "x" { capabilities = ["read"] }' }),
    (part) => part,
    /^the policy x/,
  ],
  [
    "into a deployment with a token",
    {},
    (b) => b.call("POST", "auth/token/create", {}),
    (part) => part,
    /^the store sys has (?:token|accessor) rows/,
  ],
] as const)(
  "a backup of sys %s is rejected by check and restore, and nothing changes",
  async ([, options, use, change, why]) => {
    const { a } = await rich();
    const [part = new Uint8Array()] = await storeParts(a, "sys");
    const b = target(options);
    await use(b);
    const before = await rowsOf(b, "sys");
    for (const path of ["snapshot-check", "stores/sys"]) {
      const { status, errors } = await send(b, path, change(part));
      expect([status, String(errors[0])]).toEqual([400, expect.stringMatching(why)]);
    }
    expect(await rowsOf(b, "sys")).toEqual(before);
  },
);

it("variables, users and tokens of the variables API are restored over initial rows, and not over a store in use", async () => {
  const a = await used({ apis, vars });
  const api = async (
    at: Authority,
    method: string,
    path: string,
    body?: unknown,
    token = vars.token,
  ) => {
    const response = await at.ca.fetch(
      new Request(`http://ca.test/api/v2/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body ? { "content-type": "application/vnd.api+json" } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    );
    return { status: response.status, json: (await response.json()) as { data: { id: string }[] } };
  };
  const space = { data: { type: "workspaces", attributes: { name: "w" } } };
  expect((await api(a, "POST", "organizations/default/workspaces", space)).status).toBe(201);
  const listed = (at: Authority) => api(at, "GET", "organizations/default/workspaces");
  const [sys, parts] = [await storeParts(a, "sys"), await storeParts(a, "vars")];
  const b = target();
  expect((await listed(b)).json.data).toEqual([]);
  await restoreStore(b, "sys", sys);
  await restoreStore(b, "vars", parts);
  expect((await listed(b)).json).toEqual((await listed(a)).json);
  expect(
    await rowsOf(b, "vars").then((rows) => rows.some(([key]) => key.startsWith("user/"))),
  ).toBe(true);
  expect((await api(b, "GET", "account/details")).json).toEqual(
    (await api(a, "GET", "account/details")).json,
  );
  const c = target();
  await api(c, "POST", "organizations/default/workspaces", space);
  expect((await send(c, "stores/vars", parts[0])).errors).toEqual([
    "the store vars is in use: restore into an unused installation",
  ]);
});

it("an unknown store, a backup of another store or mount, and a caller without sudo are rejected", async () => {
  const { a, token } = await rich();
  const [[sys], [mount]] = [await storeParts(a, "sys"), await inParts(a)];
  const b = target();
  expect((await b.call("GET", "sys/storage/stores/none")).errors).toEqual([
    "no store none: expected one of sys, vars",
  ]);
  expect((await send(b, "stores/vars", sys)).errors).toEqual([
    "this is a backup of sys, not of the store vars",
  ]);
  expect((await send(b, "stores/sys", mount)).errors).toEqual([
    "this is a backup of pki, not of the store sys",
  ]);
  expect((await send(b, "snapshot/pki", sys)).errors).toEqual([
    "this is a backup of the store sys, not of a mount",
  ]);
  for (const method of ["GET", "POST"])
    expect(
      (
        await a.call(method, "sys/storage/stores/sys", method === "GET" ? undefined : "{}", {
          token,
        })
      ).status,
    ).toBe(403);
});

it("a restore of sys that is restarted concurrently is rejected with 409, and the other continues", async () => {
  const { a } = await rich();
  const [first, ...rest] = await storeParts(a, "sys");
  const plain = memoryStore();
  let begun = false;
  let meanwhile: (() => Promise<unknown>) | undefined;
  const stores = (name: string): Store => {
    const store = plain(name);
    if (name !== "sys") return store;
    return {
      ...store,
      commit: async (batch) => {
        if (!batch.put?.some(([key]) => key === restoreKey)) return store.commit(batch);
        // after the restore has begun, before its rows exist
        const now = begun ? meanwhile : undefined;
        if (now) meanwhile = undefined;
        begun = true;
        await now?.();
        return store.commit(batch);
      },
    };
  };
  const b = target({ stores });
  await b.sys.listMounts({});
  meanwhile = () => send(b, "stores/sys", first);
  const { status, errors } = await send(b, "stores/sys", first);
  expect([status, errors]).toEqual([409, ["the restore was restarted or deleted concurrently"]]);
  for (const part of rest) expect((await send(b, "stores/sys", part)).status).toBe(200);
});

it("a store that cannot be exported consistently has no backup", async () => {
  const plain = memoryStore();
  const stores = (name: string): Store => {
    const { export: _, ...store } = plain(name);
    return store;
  };
  const a = authority({ stores });
  const { status, errors } = await a.call("GET", "sys/storage/stores/sys");
  expect([status, errors]).toEqual([503, [expect.stringContaining("cannot be backed up")]]);
});
