import { describe, expect, it } from "vitest";
import { memoryStore, type Batch, type Stores } from "../../src/index.ts";
import type { AuditEvent } from "../../src/engine/audit-records.ts";
import { authority, type Authority } from "../support/authority.ts";

/** Returns the events of a kind in a store, with their numbers. */
async function eventsIn(
  stores: Stores,
  store: string,
  kind: "change" | "refusal" = "change",
): Promise<readonly (readonly [number: string, event: AuditEvent])[]> {
  const prefix = `audit/${kind}/`;
  const rows = await stores(store).list(prefix);
  // rows below it are events
  return rows.map(([key, { value }]) => [key.slice(prefix.length), value as AuditEvent]);
}
const uuidOf = async (a: Authority, path = "pki"): Promise<string> =>
  (await a.sys.readMount({ path })).uuid;

/** Returns stores that record commits, and can reject some like a concurrent change would. */
function watched() {
  const inner = memoryStore();
  const commits: (readonly [store: string, batch: Batch, applied: boolean])[] = [];
  const lose = { next: (_batch: Batch): boolean => false };
  const stores: Stores = (name) => {
    const store = inner(name);
    return {
      ...store,
      commit: async (batch) => {
        const done = lose.next(batch) ? undefined : await store.commit(batch);
        commits.push([name, batch, done !== undefined]);
        return done;
      },
    };
  };
  return { stores: Object.assign(stores, { durable: false }), commits, lose };
}

const jsonRequest = (method: string, path: string, body: object | undefined): Request =>
  new Request(`http://ca.test/v1/${path}`, {
    method,
    headers: { "x-service-token": "root" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

describe("a request that changes something", () => {
  it("has its event in the batch and the store of its change", async () => {
    const { stores, commits } = watched();
    const a = authority({ stores });
    await a.root();
    await a.role("web");
    commits.length = 0;
    const answer = await a.call("POST", "pki/issue/web", { common_name: "a.example", ttl: "1h" });
    const serial = String(answer.data["serial_number"]).replaceAll(":", "");
    const told = commits.filter(([, { log }]) => log);
    expect(told).toHaveLength(1);
    const [[store, batch] = []] = told;
    expect(store).toBe(await uuidOf(a));
    expect(batch?.put?.some(([key]) => key.startsWith("cert/"))).toBe(true);
    const events = await eventsIn(stores, await uuidOf(a));
    const [number, event] = events.at(-1) ?? [];
    expect(Number(number)).toBe(events.length);
    expect(event).toMatchObject({
      time: a.clock.now,
      request: answer.json["request_id"],
      endpoint: "issue",
      method: "POST",
      mount: "pki",
      path: "/issue/:role",
      caller: "token root",
      fields: { role: "web", serial, ttl: 3600, common_name: expect.stringMatching(/^hmac-/) },
    });
    expect(JSON.stringify(event)).not.toContain("a.example");
    const { request_id: id } = answer.json;
    expect(a.events.find(({ request }) => request === id)).toMatchObject({ caller: "token root" });
  });

  it("has one event, regardless of how often its change is tried, and none if it fails", async () => {
    const { stores, commits, lose } = watched();
    const a = authority({ stores });
    await a.root();
    await a.role("web");
    const uuid = await uuidOf(a);
    const before = (await eventsIn(stores, uuid)).length;
    let left = Infinity;
    lose.next = ({ put = [] }) => put.some(([key]) => key.startsWith("cert/")) && left-- > 0;
    commits.length = 0;
    expect((await a.call("POST", "pki/issue/web", { common_name: "a.example" })).status).toBe(503);
    left = 0;
    expect(await eventsIn(stores, uuid)).toHaveLength(before);
    left = 3;
    expect((await a.call("POST", "pki/issue/web", { common_name: "b.example" })).status).toBe(200);
    expect(await eventsIn(stores, uuid)).toHaveLength(before + 1);
  });

  it("has one event if it changes several rows in several commits and stores", async () => {
    const { stores } = watched();
    const a = authority({ stores });
    await a.root();
    await a.role("web");
    const made = await a.call("POST", "pki/issue/web", { common_name: "a.example" });
    const before = (await eventsIn(stores, await uuidOf(a))).length;
    const revoked = await a.call("POST", "pki/revoke", {
      serial_number: made.data["serial_number"],
    });
    expect(revoked.status).toBe(200);
    const events = await eventsIn(stores, await uuidOf(a));
    expect(events).toHaveLength(before + 1);
    expect(events.at(-1)?.[1]).toMatchObject({
      endpoint: "revoke",
      fields: { serial_number: made.data["serial_number"] },
    });
    await a.call("POST", "sys/mounts/other", { type: "pki" });
    const [created] = (await eventsIn(stores, "sys")).slice(-1);
    expect(created?.[1]).toMatchObject({
      endpoint: "createMount",
      mount: "sys",
      path: "/mounts/:path+",
      fields: { path: "other", type: "pki" },
    });
    const other = await uuidOf(a, "other");
    await a.call("DELETE", "sys/mounts/other");
    const [gone] = (await eventsIn(stores, "sys")).slice(-1);
    expect(gone?.[1]).toMatchObject({ endpoint: "deleteMount", fields: { path: "other" } });
    expect(await eventsIn(stores, other)).toEqual([]);
  });

  it.for([
    ["POST", "sys/leases/revoke-prefix/pki/issue", "revokeLeases", {}],
    ["POST", "sys/leases/revoke-force/pki/issue", "forceRevokeLeases", {}],
    ["POST", "sys/leases/tidy", "tidyLeases", {}],
    ["POST", "auth/token/tidy", "tidyTokens", {}],
    ["POST", "auth/approle/tidy/secret-id", "tidySecretIds", {}],
    ["POST", "pki/tidy", "tidy", { tidy_cert_store: true }],
    ["GET", "pki/crl/rotate", "rotateCrl", undefined],
    ["GET", "pki/crl/rotate-delta", "rotateDeltaCrl", undefined],
    ["POST", "sys/remount", "remount", { from: "pki", to: "moved" }],
    ["DELETE", "sys/auth/approle", "disableMethod", undefined],
  ] as const)("has its event if jobs do the requested work: %s %s", async (row) => {
    const [method, path, endpoint, body] = row;
    const { stores, commits } = watched();
    const a = authority({ stores });
    await a.root();
    await a.call("POST", "sys/auth/approle", { type: "approle" });
    await a.call("POST", "pki/config/crl", { enable_delta: true, auto_rebuild: true });
    commits.length = 0;
    expect((await a.call(method, path, body)).status).toBeLessThan(300);
    const told = commits.flatMap(([, { log = [] }]) => log.map(([, event]) => event));
    expect(told).toMatchObject([{ endpoint }]);
  });

  it("records the accessor of a created token, and the entity of a login", async () => {
    const a = authority();
    await a.call("POST", "auth/token/create", { policies: ["x"] });
    await a.call("POST", "sys/auth/people", { type: "userpass" });
    await a.call("POST", "auth/people/users/bob", { password: "a password" });
    const { json } = await a.call(
      "POST",
      "auth/people/login/bob",
      { password: "a password" },
      { token: "" },
    );
    // the reply of every login
    const auth = json["auth"] as { readonly accessor: string; readonly entity_id: string };
    const events = (await eventsIn(a.stores, "sys")).map(([, event]) => event);
    expect(events.filter((event) => event.endpoint === "createToken")).toMatchObject([
      { fields: { made: expect.stringMatching(/^\w{24}$/), made_type: "service" } },
    ]);
    expect(events.at(-1)).toMatchObject({
      endpoint: "loginUser",
      fields: { username: "bob", accessor: auth.accessor, entity: auth.entity_id },
    });
  });

  it.for([
    ["POST", "pki/issue/free", "issue", { common_name: "a.b" }],
    ["POST", "pki/issuer/default/sign-revocation-list", "signRevocationList", { crl_number: 9 }],
    ["POST", "pki/intermediate/generate/existing", "generateIntermediateFromKey", { key_ref: "k" }],
    ["POST", "pki/intermediate/cross-sign", "generateIntermediateFromKey", { key_ref: "k" }],
    ["POST", "pki/tidy-cancel", "tidyCancel", {}],
    ["GET", "sys/storage/snapshot/pki", "backUp", undefined],
    ["GET", "sys/storage/stores/sys", "backUpStore", undefined],
    ["POST", "auth/token/create", "createToken", { type: "batch", policies: ["x"] }],
  ] as const)(
    "has its event before the reply if it uses a CA key or returns a secret, even if nothing is stored: %s %s",
    async ([method, path, endpoint, sent]) => {
      const { stores, lose } = watched();
      const a = authority({ stores });
      await a.root({ key_name: "k" });
      await a.role("free", { no_store: true });
      const body = sent && { ...sent, ...("crl_number" in sent ? { next_update: "8760h" } : {}) };
      const told = async () =>
        (await Promise.all(["sys", await uuidOf(a)].map((store) => eventsIn(stores, store))))
          .flat()
          .filter(([, event]) => event.endpoint === endpoint);
      // the response of a backup is not a single document
      const send = () => a.ca.fetch(jsonRequest(method, path, body));
      for (let n = 1; n <= 3; n++) {
        const before = (await told()).length;
        expect((await send()).status).toBeLessThan(300);
        expect(await told()).toHaveLength(before + 1);
      }
      const before = (await told()).length;
      lose.next = ({ log }) => {
        if (log) throw new Error("the disk is full");
        return false;
      };
      expect((await send()).status).toBeGreaterThanOrEqual(500);
      lose.next = () => false;
      expect(await told()).toHaveLength(before);
    },
  );

  it("has no event if it only reads, or if the deployment disables the audit log", async () => {
    const a = authority();
    await a.root();
    const before = (await eventsIn(a.stores, await uuidOf(a))).length;
    await a.call("GET", "pki/crl");
    await a.call("GET", "pki/roles/none");
    expect(await eventsIn(a.stores, await uuidOf(a))).toHaveLength(before);
    const quiet = authority({ audit: false });
    await quiet.root();
    await quiet.call("POST", "pki/roles/x", {}, { token: "reader" });
    await quiet.call("POST", "pki/roles/x", {}, { token: "nobody" });
    expect((await quiet.call("POST", "pki/tidy-cancel", {})).status).toBeLessThan(300);
    for (const store of ["sys", await uuidOf(quiet)])
      for (const prefix of ["audit", "logged", "strangers"])
        expect(await quiet.stores(store).list(prefix)).toEqual([]);
  });
});

describe("a refusal", () => {
  it("of a valid token is logged in sys, and one without a valid token is only counted", async () => {
    const a = authority();
    await a.root();
    const refused = await a.call("POST", "pki/roles/web", {}, { token: "reader" });
    expect(refused.status).toBe(403);
    expect((await eventsIn(a.stores, "sys", "refusal")).map(([, event]) => event)).toEqual([
      {
        time: a.clock.now,
        request: a.events.at(-1)?.request,
        endpoint: "writeRole",
        method: "POST",
        mount: "pki",
        path: "/roles/:name",
        caller: "token reader",
        status: 403,
        refusal: "forbidden",
      },
    ]);
    for (let n = 0; n < 5; n++) await a.call("POST", "pki/roles/web", {}, { token: "wrong" });
    a.clock.advance(60);
    await a.call("GET", "pki/roles/web", undefined, { token: "" });
    expect(await eventsIn(a.stores, "sys", "refusal")).toHaveLength(1);
    const [row] = await a.stores("sys").get(["strangers"]);
    expect(row?.value).toEqual({ hours: [[Math.floor(a.clock.now / 3.6e6) * 3.6e6, 6]] });
  });

  it("is stored for a few calls of one caller only, and the others are counted", async () => {
    const { stores, commits } = watched();
    const a = authority({ stores });
    await a.root();
    await a.call("POST", "pki/roles/x", {}, { token: "reader" });
    commits.length = 0;
    for (let n = 0; n < 500; n++) await a.call("POST", "pki/roles/x", {}, { token: "reader" });
    for (let n = 0; n < 500; n++) await a.call("POST", "pki/roles/x", {}, { token: `wrong ${n}` });
    expect(commits.length).toBeLessThan(35);
    a.clock.advance(600);
    await a.call("POST", "pki/roles/x", {}, { token: "reader" });
    const events = await eventsIn(stores, "sys", "refusal");
    expect(events).toHaveLength(31);
    expect(events.at(-1)?.[1].more).toBe(471);
  });

  it("is stored however often others are refused, and tokens of one user count as one caller", async () => {
    const a = authority();
    await a.root();
    await a.call("POST", "sys/auth/people", { type: "userpass" });
    await a.call("POST", "auth/people/users/bob", { password: "a password" });
    const tokenOf = async (path: string, body: object, token?: string) => {
      const { json } = await a.call("POST", path, body, token === undefined ? {} : { token });
      // the reply of every login
      return (json["auth"] as { readonly client_token: string }).client_token;
    };
    const stored = async () => (await eventsIn(a.stores, "sys", "refusal")).length;
    const refuse = async (token: string, times: number) => {
      for (let n = 0; n < times; n++)
        expect((await a.call("POST", "pki/roles/x", {}, { token })).status).toBe(403);
    };
    for (let login = 0; login < 16; login++) {
      const sent = { password: "a password" };
      await refuse(await tokenOf("auth/people/login/bob", sent, ""), 31);
    }
    expect(await stored()).toBe(30);
    const others = [];
    for (let n = 0; n < 20; n++)
      others.push(await tokenOf("auth/token/create", { policies: ["default"] }));
    for (const token of others) await refuse(token, 31);
    // bob had 25 of the common share, 11 others 25 each, and all of them 5 of their own
    expect(await stored()).toBe(300 + 21 * 5);
    await refuse("reader", 5);
    expect(await stored()).toBe(300 + 21 * 5 + 5);
  });

  it("of a created token is not hidden by those of its siblings, which share a limit", async () => {
    const a = authority();
    await a.root();
    const policy = 'path "auth/token/create" { capabilities = ["update"] }';
    await a.call("POST", "sys/policies/acl/maker", { policy });
    const tokenOf = async (token?: string) => {
      const sent = { policies: ["maker"] };
      const as = token === undefined ? {} : { token };
      const { json } = await a.call("POST", "auth/token/create", sent, as);
      // the reply of every creation
      return (json["auth"] as { readonly client_token: string }).client_token;
    };
    const maker = await tokenOf();
    const refuse = async (token: string, times: number) => {
      const before = (await eventsIn(a.stores, "sys", "refusal")).length;
      for (let n = 0; n < times; n++) await a.call("POST", "pki/roles/x", {}, { token });
      return (await eventsIn(a.stores, "sys", "refusal")).length - before;
    };
    expect(await refuse(await tokenOf(maker), 40)).toBe(30);
    expect(await refuse(await tokenOf(maker), 1)).toBe(1);
    for (let n = 0; n < 8; n++) expect(await refuse(await tokenOf(maker), 31)).toBe(30);
    expect(await refuse(await tokenOf(maker), 31)).toBe(300 - 9 * 30 - 1);
    expect(await refuse(await tokenOf(maker), 31)).toBe(0);
    expect(await refuse("reader", 5)).toBe(5);
  });

  it("of a user is stored however often tokens created by the user are refused", async () => {
    const a = authority();
    await a.root();
    const policy = 'path "auth/token/create" { capabilities = ["update"] }';
    await a.call("POST", "sys/policies/acl/maker", { policy });
    await a.call("POST", "sys/auth/people", { type: "userpass" });
    const user = { password: "a password", token_policies: "maker" };
    await a.call("POST", "auth/people/users/ann", user);
    const tokenFrom = async (path: string, body: object, token: string) => {
      const { json } = await a.call("POST", path, body, { token });
      // the reply of every login and creation
      return (json["auth"] as { readonly client_token: string }).client_token;
    };
    const ann = await tokenFrom("auth/people/login/ann", user, "");
    for (const type of ["service", "batch"]) {
      const made = await tokenFrom("auth/token/create", { type, policies: ["default"] }, ann);
      for (let n = 0; n < 31; n++) await a.call("POST", "pki/roles/x", {}, { token: made });
    }
    await a.call("POST", "pki/roles/x", {}, { token: ann });
    expect(await eventsIn(a.stores, "sys", "refusal")).toHaveLength(30 + 30 + 1);
  });

  it("is returned even if it cannot be logged", async () => {
    const { stores, lose } = watched();
    const a = authority({ stores });
    await a.root();
    lose.next = () => {
      throw new Error("the disk is full");
    };
    expect((await a.call("POST", "pki/roles/x", {}, { token: "reader" })).status).toBe(403);
    expect((await a.call("POST", "pki/roles/x", {}, { token: "wrong" })).status).toBe(403);
  });
});
