import { describe, expect, it } from "vitest";
import {
  allowedForm,
  includesEntry,
  isAllowed,
  readAllowed,
} from "../../src/acme/order/allowed-identifiers.ts";
import { memoryStore } from "../../src/index.ts";
import type { Batch, Stores } from "../../src/engine/ports.ts";
import { authority } from "../support/authority.ts";
import { readCertificate } from "../pki/reading.ts";
import {
  acmeAuthority,
  acmeClient,
  binding,
  type AcmeAuthority,
  type AcmeClient,
} from "./client.ts";
import { newKey } from "./key.ts";
import {
  certificateIdOf,
  chainIn,
  csrOf,
  finalize,
  issue,
  newOrder,
  orderIn,
  prove,
} from "./ordering.ts";

describe("allowed_identifiers of a binding", () => {
  it.each([
    ["*.Corp.Example.", "*.corp.example"],
    ["Bücher.example", "xn--bcher-kva.example"],
    ["web-*.corp.example", "web-*.corp.example"],
    ["*", "*"],
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["192.0.2.7", "192.0.2.7/32"],
    ["2001:DB8::/32", "2001:db8::/32"],
  ])("normalizes %s to %s", (text, entry) => {
    expect(readAllowed([text])).toEqual([entry]);
    expect(allowedForm(entry)).toBe(entry);
  });

  it.each([
    [""],
    ["a..example"],
    ["10.0.*"],
    ["10.0.0.0/33"],
    ["a b.example"],
    ["é*.example"],
    ["_x.example"],
    [`${"a".repeat(64)}.example`],
  ])("rejects %j", (text) => {
    expect(() => readAllowed([text])).toThrow(/^allowed_identifiers: /);
  });

  it.each([
    ["*.corp.example", "dns a.corp.example", true],
    ["*.corp.example", "dns a.b.corp.example", true],
    ["*.corp.example", "dns *.corp.example", true],
    ["*.corp.example", "dns *.b.corp.example", true],
    ["*.corp.example", "dns corp.example", false],
    ["*.corp.example", "dns xcorp.example", false],
    ["*.corp.example", "dns a.corp.example.evil.test", false],
    ["a*.corp.example", "dns *.corp.example", false],
    ["*b.corp.example", "dns *.corp.example", false],
    ["a.corp.example", "dns *.corp.example", false],
    ["*", "dns any.example", true],
    ["*", "ip 192.0.2.1", false],
    ["192.0.2.0/24", "ip 192.0.2.1", true],
    ["192.0.2.0/24", "ip 192.0.3.1", false],
    ["192.0.2.0/24", "dns 192.0.2.1", false],
    ["::/0", "ip 192.0.2.1", false],
    ["2001:db8::/32", "ip 2001:db8::1", true],
  ])("%s allows %s: %j", (entry, identifier, allowed) => {
    const [type = "", value = ""] = identifier.split(" ");
    expect(isAllowed([entry], { type, value })).toBe(allowed);
  });

  it.each([
    ["*.a.test", "*.b.a.test", true],
    ["*.a.test", "x*.a.test", true],
    ["x*.a.test", "*.a.test", false],
    ["a.test", "*", false],
    ["*", "10.0.0.0/8", false],
    ["10.0.0.0/8", "10.1.0.0/16", true],
    ["10.0.0.0/16", "10.0.0.0/8", false],
    ["0.0.0.0/0", "2001:db8::/32", false],
  ])("%s includes %s: %j", (entry, other, included) => {
    expect(includesEntry([entry], other)).toBe(included);
  });
});

type Fields = Readonly<Record<string, unknown>>;
const preauthorized = {
  allowed_identifiers: ["*.corp.example", "192.0.2.0/24"],
  preauthorized: true,
};
/** Creates a binding. Returns its id and a function that registers a client with it. */
async function bindingOf(a: AcmeAuthority, fields: Fields, at = "acme") {
  const made = await a.call("POST", `pki/${at}/new-eab`, fields);
  expect(made.status, made.text).toBe(200);
  const { id, key } = made.data;
  return {
    id: String(id),
    register: async (of: AcmeAuthority["client"] = a.client) => {
      const client = of({ at });
      const url = await client.url("newAccount");
      const externalAccountBinding = binding(client.key, {
        kid: String(id),
        mac: String(key),
        url,
      });
      return { client, reply: await client.register({ externalAccountBinding }) };
    },
  };
}
async function boundClient(a: AcmeAuthority, fields: Fields, at?: string) {
  const made = await bindingOf(a, fields, at);
  const { client, reply } = await made.register();
  expect(reply.status, reply.text).toBe(201);
  return { ...made, client };
}
const tighten = (a: AcmeAuthority, id: string, fields: Fields) =>
  a.call("POST", `pki/eab/${id}`, fields);
const outcome = ({ status, problem }: { readonly status: number; readonly problem: string }) =>
  `${status} ${problem}`;

describe("a preauthorized binding", () => {
  it("makes orders ready without a challenge, and records its metadata", async () => {
    const a = await acmeAuthority();
    const metadata = { team: "web", ticket: "42" };
    const { client, id } = await boundClient(a, { ...preauthorized, metadata });
    const names = ["a.corp.example", "*.corp.example", "192.0.2.7"];
    const order = await newOrder(client, names);
    expect([order.status, order.json["status"]]).toEqual([201, "ready"]);
    for (const url of orderIn(order).authorizations) {
      const { json } = await client.post(url);
      expect([json["status"], json["challenges"], json["expires"]]).toEqual([
        "valid",
        [],
        order.json["expires"],
      ]);
    }
    const done = await finalize(client, order.location, { names });
    expect(done.json["status"], done.text).toBe("valid");
    const [serial = ""] = (await a.call("LIST", "pki/cert-metadata")).data["keys"] as string[];
    const stored = await a.call("GET", `pki/cert-metadata/${serial}`);
    const text = Buffer.from(String(stored.data["cert_metadata"]), "base64").toString();
    expect(JSON.parse(text)).toEqual(metadata);
    expect(a.events.findLast((event) => event.endpoint === "acmeFinalize")).toMatchObject({
      fields: { binding: id, binding_metadata: JSON.stringify(metadata) },
    });
    expect((await a.call("GET", `pki/eab/${id}`)).data).toEqual({
      key_type: "hs",
      acme_directory: "acme/directory",
      created_on: "2030-01-02T03:04:05Z",
      status: "valid",
      allowed_identifiers: preauthorized.allowed_identifiers,
      preauthorized: true,
      max_uses: 1,
      metadata,
      accounts: [client.kid.slice(client.kid.lastIndexOf("/") + 1)],
    });
  });

  it.each([
    ["another name", ["corp.example"], "400 rejectedIdentifier"],
    ["a wildcard of another name", ["*.example"], "400 rejectedIdentifier"],
    ["one of several", ["a.corp.example", "b.example"], "400 rejectedIdentifier"],
    ["another address", ["192.0.3.1"], "400 rejectedIdentifier"],
    ["an address that others parse as an allowed one", ["192.0.2.07"], "400 malformed"],
    ["a name in Unicode", ["é.corp.example"], "400 malformed"],
    ["an allowed name in capitals", ["A.Corp.Example"], "201 "],
    ["an allowed mapped address", ["::ffff:192.0.2.1"], "201 "],
  ])("checks an order for %s against allowed_identifiers", async (_, names, expected) => {
    const { client } = await shared();
    expect(outcome(await newOrder(client, names))).toBe(expected);
  });

  it.each([
    ["an address of type dns", [{ type: "dns", value: "192.0.2.1" }], "400 malformed"],
    ["a name of type ip", [{ type: "ip", value: "a.corp.example" }], "400 malformed"],
    ["a glob", [{ type: "dns", value: "a*.corp.example" }], "400 malformed"],
  ])("rejects an order for %s", async (_, identifiers, expected) => {
    const { client } = await shared();
    const url = await client.url("newOrder");
    expect(outcome(await client.post(url, { identifiers }))).toBe(expected);
  });

  it("does not sign a CSR with names that are not in the order", async () => {
    const { client } = await shared();
    const { location } = await newOrder(client, ["a.corp.example"]);
    for (const names of [["a.corp.example", "b.corp.example"], ["evil.test"]])
      expect(outcome(await finalize(client, location, { names }))).toBe("400 badCSR");
    expect(
      outcome(await finalize(client, location, { names: ["a.corp.example"], cn: "evil.test" })),
    ).toBe("400 badCSR");
  });

  it("does not authorize the revocation of other accounts' certificates", async () => {
    const { a, client } = await shared();
    const names = ["theirs.corp.example"];
    const other = await a.registered();
    const { chain } = await issue(a, other, names);
    expect((await newOrder(client, names)).json["status"]).toBe("ready");
    const certificate = Buffer.from(
      String(chain[0]).replace(/-----[^-]+-----|\s/g, ""),
      "base64",
    ).toString("base64url");
    const refused = await client.post(await client.url("revokeCert"), { certificate });
    expect(outcome(refused)).toBe("403 unauthorized");
  });

  it("keeps its limits after a change of the account key, also in a renewal", async () => {
    const a = await acmeAuthority();
    const { client } = await boundClient(a, preauthorized);
    const names = ["renewed.corp.example"];
    const first = await newOrder(client, names);
    const done = await finalize(client, first.location, { names });
    const leaf = chainIn(await client.post(orderIn(done).certificate));
    const next = newKey();
    const url = await client.url("keyChange");
    const inner = client.jws(
      { alg: next.alg, jwk: next.jwk, url },
      { account: client.kid, oldKey: client.key.jwk },
      next,
    );
    expect((await client.post(url, inner)).status).toBe(200);
    const renewed = a.client({ key: next });
    renewed.kid = client.kid;
    const replaces = certificateIdOf(readCertificate(leaf[0]));
    const wider = await newOrder(renewed, [...names, "evil.test"], { replaces });
    expect(outcome(wider)).toBe("400 rejectedIdentifier");
    const same = await newOrder(renewed, names, { replaces });
    expect([same.status, same.json["status"]]).toEqual([201, "ready"]);
  });
});

/** The authority and client shared by the tests that do not change limits. */
let known: Promise<{ readonly a: AcmeAuthority; readonly client: AcmeClient }> | undefined;
const shared = () =>
  (known ??= (async () => {
    const a = await acmeAuthority();
    const { client } = await boundClient(a, preauthorized);
    return { a, client };
  })());

/** Returns stores, and a function that sets a callback to run once before their next commit. */
function interceptedStores() {
  let before: ((batch: Batch) => Promise<void>) | undefined;
  const inner = memoryStore();
  const stores: Stores = (name) => {
    const store = inner(name);
    return {
      get: (keys) => store.get(keys),
      list: (prefix, page) => store.list(prefix, page),
      commit: async (batch) => {
        const run = before;
        before = undefined;
        await run?.(batch);
        return store.commit(batch);
      },
    };
  };
  const beforeCommit = (run: typeof before): void => void (before = run);
  return { stores, beforeCommit };
}

describe("a ready order whose binding changes", () => {
  it.each<[string, (a: AcmeAuthority, id: string) => Promise<unknown>, string]>([
    [
      "is narrowed",
      (a, id) => tighten(a, id, { allowed_identifiers: ["b.corp.example"] }),
      "403 unauthorized",
    ],
    [
      "authorizes no more",
      (a, id) => tighten(a, id, { preauthorized: false }),
      "403 orderNotReady",
    ],
    ["gets a role", (a, id) => tighten(a, id, { role: "web" }), "403 unauthorized"],
    ["is revoked", (a, id) => a.call("DELETE", `pki/eab/${id}`), "403 unauthorized"],
    [
      "expires",
      async (a, id) => {
        await tighten(a, id, { expires: "2030-01-02T04:00:00Z" });
        a.clock.advance(3600);
      },
      "403 unauthorized",
    ],
    [
      "is lost",
      async (a, id) => a.stores(await a.uuid()).commit({ del: [`binding/${id}`] }),
      "403 unauthorized",
    ],
  ])("cannot be finalized after it %s", async (what, change, expected) => {
    const a = await acmeAuthority();
    await a.role("web");
    const { client, id } = await boundClient(a, preauthorized);
    const names = ["a.corp.example"];
    const { location, json } = await newOrder(client, names);
    await change(a, id);
    // an earlier nonce may have expired
    await client.nonce();
    expect(outcome(await finalize(client, location, { names }))).toBe(expected);
    const [url = ""] = json["authorizations"] as string[];
    const status = what === "gets a role" ? "valid" : "revoked";
    expect((await client.post(url)).json["status"]).toBe(status);
    expect((await client.post(location)).json["status"]).toBe(
      status === "valid" ? "ready" : "invalid",
    );
    const { keys, key_info: info } = await a.pki.listAcmeOrders({});
    expect(keys.map((key) => info[key]?.status)).toEqual([
      status === "valid" ? "ready" : "invalid",
    ]);
    expect(keys.map((key) => info[key]?.authorizations[0]?.status)).toEqual([status]);
    expect((await a.call("LIST", "pki/certs")).data["keys"]).toHaveLength(1);
    const again = outcome(await newOrder(client, names));
    expect(again).toBe(
      what === "is narrowed"
        ? "400 rejectedIdentifier"
        : /role|no more/.test(what)
          ? "201 "
          : "403 unauthorized",
    );
  });

  it("is not finalized if the binding is revoked between its checks and its commit", async () => {
    const { stores, beforeCommit } = interceptedStores();
    const a = await acmeAuthority({ stores });
    const { client, id } = await boundClient(a, preauthorized);
    const names = ["a.corp.example"];
    const { location } = await newOrder(client, names);
    const csr = await csrOf({ names });
    await client.nonce();
    beforeCommit(async (batch) => {
      expect(batch.put?.some(([key]) => key.startsWith("cert/"))).toBe(true);
      await a.call("DELETE", `pki/eab/${id}`);
    });
    expect(outcome(await finalize(client, location, csr))).toBe("403 unauthorized");
    expect((await a.call("LIST", "pki/certs")).data["keys"]).toHaveLength(1);
  });
});

describe("max_uses", () => {
  it("is never exceeded by concurrent registrations, and the key is void after its last use", async () => {
    const stores = memoryStore();
    const a = await acmeAuthority({ stores });
    const b = authority({ stores, seed: 77 });
    const { id, register } = await bindingOf(a, { max_uses: 3, expires: "2031-01-01T00:00:00Z" });
    const other: AcmeAuthority["client"] = () =>
      acmeClient({
        fetch: (request) => b.ca.fetch(request),
        directory: "http://ca.test/v1/pki/acme/directory",
      });
    const replies = await Promise.all(
      [0, 1, 2, 3, 4, 5, 6].map((n) => register(n % 2 === 0 ? a.client : other)),
    );
    const statuses = replies.map(({ reply }) => reply.status).toSorted();
    expect(statuses).toEqual([201, 201, 201, 401, 401, 401, 401]);
    const { data } = await a.call("GET", `pki/eab/${id}`);
    expect(data["accounts"]).toHaveLength(3);
    const [late] = [await register()];
    expect(late.reply.detail).toBe("failed to verify eab");
  });

  it("is not exceeded by concurrent registrations after it was lowered", async () => {
    const { stores, beforeCommit } = interceptedStores();
    const a = await acmeAuthority({ stores });
    const { id, register } = await bindingOf(a, { max_uses: 40 });
    for (let n = 0; n < 8; n++) expect((await register()).reply.status).toBe(201);
    await tighten(a, id, { max_uses: 10 });
    const statuses: number[] = [];
    // each reads the uses before any of them commits
    const registerAll = async (count: number): Promise<void> => {
      if (count === 0) return;
      beforeCommit(async () => registerAll(count - 1));
      statuses.push((await register()).reply.status);
    };
    await registerAll(6);
    expect(statuses.toSorted()).toEqual([201, 201, 401, 401, 401, 401]);
    expect((await a.call("GET", `pki/eab/${id}`)).data["accounts"]).toHaveLength(10);
  });

  it.each<[string, (a: AcmeAuthority, id: string) => Promise<unknown>]>([
    ["was revoked", (a, id) => a.call("DELETE", `pki/eab/${id}`)],
    ["is lowered to the uses", (a, id) => tighten(a, id, { max_uses: 1 })],
    [
      "has expired",
      async (a, id) => {
        await tighten(a, id, { expires: "2030-01-02T04:00:00Z" });
        a.clock.advance(3600);
      },
    ],
  ])("prevents registrations once it %s, with the error of an unknown key", async (_, change) => {
    const a = await acmeAuthority();
    const { id, register } = await bindingOf(a, { max_uses: 2 });
    expect((await register()).reply.status).toBe(201);
    await change(a, id);
    const { reply } = await register();
    expect([outcome(reply), reply.detail]).toEqual(["401 unauthorized", "failed to verify eab"]);
  });
});

describe("the role of a binding", () => {
  it("applies to every order of its accounts, which are rejected once the role is deleted", async () => {
    const a = await acmeAuthority();
    const domains = { allowed_domains: ["a.test"], allow_bare_domains: true };
    await a.role("web", { allow_any_name: false, ...domains });
    await a.role("other");
    const { client } = await boundClient(a, { role: "web" });
    expect(outcome(await newOrder(client, ["b.test"]))).toBe("400 rejectedIdentifier");
    expect(outcome(await newOrder(client, ["a.test"], { profile: "other" }))).toBe(
      "400 invalidProfile",
    );
    const order = await newOrder(client, ["a.test"]);
    expect([order.json["status"], order.json["profile"]]).toEqual(["pending", "web"]);
    await prove(a, orderIn(order).authorizations);
    await a.call("POST", "pki/config/acme", { allowed_roles: ["other"] });
    expect(outcome(await newOrder(client, ["a.test"]))).toBe("400 invalidProfile");
    await a.call("POST", "pki/config/acme", { allowed_roles: ["*"] });
    await a.call("DELETE", "pki/roles/web");
    expect(outcome(await finalize(client, order.location, { names: ["a.test"] }))).toBe(
      "400 invalidProfile",
    );
    expect(outcome(await newOrder(client, ["a.test"]))).toBe("400 invalidProfile");
  });

  it("cannot be set in a directory whose path names a role", async () => {
    const a = await acmeAuthority();
    await a.role("web", { allow_any_name: false, allowed_domains: ["a.test"] });
    const made = await a.call("POST", "pki/roles/web/acme/new-eab", { role: "other", max_uses: 2 });
    expect(made.json["warnings"]).toMatch(/replaced the value of these parameters/);
    const { role } = await a.pki.readEab({ key_id: String(made.data["id"]) });
    expect(role).toBeUndefined();
  });
});

describe("POST new-eab with limits", () => {
  it.each<[string, Fields, RegExp]>([
    ["an unknown role", { role: "none" }, /there is no profile none/],
    ["preauthorization of everything", { preauthorized: true }, /requires allowed_identifiers/],
    ["no identifiers", { allowed_identifiers: [] }, /must have 1 to 100 entries/],
    [
      "101 identifiers",
      { allowed_identifiers: Array.from({ length: 101 }, (_, n) => `a${n}`) },
      /got 101/,
    ],
    ["no uses", { max_uses: 0 }, /1 to 10000, got 0/],
    ["too many uses", { max_uses: 10_001 }, /got 10001/],
    ["an expiry in the past", { expires: "2029-01-01T00:00:00Z" }, /is in the past/],
    ["an expiry that is no time", { expires: "tomorrow" }, /^expires: /],
    ["metadata that is no text", { metadata: { a: 1 } }, /a must be a string/],
    ["too much metadata", { metadata: { a: "x".repeat(1024) } }, /1024 characters/],
  ])("rejects %s", async (_, fields, why) => {
    const { a } = await shared();
    const { status, errors } = await a.call("POST", "pki/acme/new-eab", fields);
    expect([status, errors]).toEqual([400, [expect.stringMatching(why)]]);
  });

  it("requires the sudo capability for preauthorized", async () => {
    const a = authority();
    await a.call("POST", "sys/policies/acl/portal", {
      policy: 'path "pki/acme/new-eab" { capabilities = ["update"] }',
    });
    const made = await a.call("POST", "auth/token/create", { policies: ["portal"] });
    const token = String((made.json["auth"] as Fields | undefined)?.["client_token"]);
    const ask = (fields: Fields) => a.call("POST", "pki/acme/new-eab", fields, { token });
    expect((await ask({ allowed_identifiers: ["a.test"] })).status).toBe(200);
    const refused = await ask({ allowed_identifiers: ["a.test"], preauthorized: true });
    expect([refused.status, refused.errors]).toEqual([
      403,
      ["preauthorized requires the sudo capability on pki/acme/new-eab"],
    ]);
  });

  it("requires sudo for every alias of an issuer to which a policy applies", async () => {
    const a = authority();
    const { data } = await a.call("POST", "pki/root/generate/internal", {
      common_name: "Root",
      issuer_name: "plant",
    });
    const id = String(data["issuer_id"]);
    const rule = (path: string, capabilities: string) =>
      `path "${path}" { capabilities = [${capabilities}] }`;
    await a.call("POST", "sys/policies/acl/portal", {
      policy: [
        rule("pki/issuer/+/acme/new-eab", '"update", "sudo"'),
        ...["default", id].map((name) => rule(`pki/issuer/${name}/acme/new-eab`, '"update"')),
      ].join("\n"),
    });
    const made = await a.call("POST", "auth/token/create", { policies: ["portal"] });
    const token = String((made.json["auth"] as Fields | undefined)?.["client_token"]);
    const statusOf = async (name: string) =>
      (await a.call("POST", `pki/issuer/${name}/acme/new-eab`, preauthorized, { token })).status;
    for (const name of ["default", "DEFAULT", "%44efault", id, id.toUpperCase()])
      expect(await statusOf(name), name).toBe(403);
    expect(await statusOf("plant")).toBe(200);
  });

  it("stores a binding without limits in the same form as earlier versions", async () => {
    const a = await acmeAuthority();
    const { id } = await bindingOf(a, { preauthorized: false });
    const store = a.stores(await a.uuid());
    const [row] = await store.get([`eab/${id}`]);
    expect(row?.value).toEqual({
      directory: "acme",
      created: a.clock.now / 1000,
      owner: expect.anything(),
    });
    expect(await store.list("binding")).toEqual([]);
    expect((await a.call("GET", `pki/eab/${id}`)).data).toEqual({
      key_type: "hs",
      acme_directory: "acme/directory",
      created_on: "2030-01-02T03:04:05Z",
      accounts: [],
    });
    expect((await tighten(a, id, { max_uses: 1 })).status).toBe(404);
    expect((await a.call("GET", "pki/eab/none")).status).toBe(404);
  });
});

describe("POST eab/:key_id", () => {
  it.each<[string, Fields, RegExp]>([
    [
      "another identifier",
      { allowed_identifiers: ["a.corp.example", "evil.test"] },
      /evil\.test is new/,
    ],
    ["all names", { allowed_identifiers: ["*"] }, /\* is new/],
    ["more uses", { max_uses: 3 }, /lowered, and it is 2/],
    ["a later expiry", { expires: "2032-01-01T00:00:00Z" }, /earlier than 2031-01-01T00:00:00Z/],
    ["preauthorization", { preauthorized: true }, /switched off/],
    ["another role", { role: "other" }, /set once, and it is web/],
  ])("never allows %s", async (_, fields, why) => {
    const a = await acmeAuthority();
    await a.role("web");
    const { id } = await bindingOf(a, {
      role: "web",
      allowed_identifiers: ["*.corp.example"],
      max_uses: 2,
      expires: "2031-01-01T00:00:00Z",
    });
    const { status, errors } = await tighten(a, id, fields);
    expect([status, errors]).toEqual([400, [expect.stringMatching(why)]]);
    const narrow = { allowed_identifiers: ["a.corp.example"], max_uses: 1 };
    expect(await a.pki.tightenEab({ key_id: id, ...narrow })).toMatchObject(narrow);
  });

  it("never allows devices if the binding has no identifiers, which allows only names", async () => {
    const a = await acmeAuthority();
    const { id } = await bindingOf(a, { max_uses: 2 });
    const fields = { allowed_identifiers: ["a.corp.example", "permanent-identifier:*"] };
    const { status, errors } = await tighten(a, id, fields);
    expect([status, errors]).toEqual([
      400,
      [expect.stringMatching(/permanent-identifier:\* is new/)],
    ]);
    const names = { allowed_identifiers: ["a.corp.example", "192.0.2.0/24"] };
    expect(await a.pki.tightenEab({ key_id: id, ...names })).toMatchObject(names);
  });

  it("accepts only roles that orders can use, and the current role even after its deletion", async () => {
    const a = await acmeAuthority();
    for (const name of ["web", "hidden"]) await a.role(name);
    const config = { allowed_roles: ["web", "unstored"] };
    await a.role("unstored");
    expect((await a.call("POST", "pki/config/acme", config)).status).toBe(200);
    await a.role("unstored", { no_store: true });
    const { id } = await bindingOf(a, { max_uses: 2 });
    for (const role of ["none", "hidden", "unstored"]) {
      const { status, errors } = await tighten(a, id, { role });
      expect([status, errors]).toEqual([400, [`there is no profile ${role}`]]);
    }
    expect(await a.pki.tightenEab({ key_id: id, role: "web" })).toMatchObject({ role: "web" });
    await a.call("DELETE", "pki/roles/web");
    expect((await tighten(a, id, { role: "web", max_uses: 1 })).status).toBe(200);
  });

  it.each([
    ["roles/web/acme", /^role must be absent: the path of this directory contains the role web$/],
    ["external-policy/acme", /^role must be absent: an external policy decides in this directory$/],
  ])("rejects a role in %s", async (at, why) => {
    const a = await acmeAuthority();
    await a.role("web");
    const { id } = await bindingOf(a, { max_uses: 2 }, at);
    const { status, errors } = await tighten(a, id, { role: "web" });
    expect([status, errors]).toEqual([400, [expect.stringMatching(why)]]);
    expect((await a.call("GET", `pki/eab/${id}`)).data["role"]).toBeUndefined();
  });
});

it("LIST eab: bindings with limits are listed with unused bindings, by id in pages", async () => {
  const a = await acmeAuthority();
  const ids: string[] = [];
  for (const fields of [{}, { max_uses: 2 }, { role: "" }, preauthorized])
    ids.push((await bindingOf(a, fields)).id);
  ids.sort();
  const { data } = await a.call("LIST", "pki/eab");
  expect(data["keys"]).toEqual(ids);
  const page = await a.call("GET", `pki/eab?list=true&limit=2&after=${ids[0] ?? ""}`);
  expect(page.data["keys"]).toEqual(ids.slice(1, 3));
  const info = Object.values(data["key_info"] as Record<string, Fields>);
  expect(info.map((one) => one["status"]).filter(Boolean)).toEqual(["valid", "valid"]);
});
