import { describe, expect, it } from "vitest";
import { certificate } from "../net/tls-fixture.ts";
import { hashCheaply } from "../support/cheap-passwords.ts";
import {
  alice,
  ask,
  bodyOf,
  certificatesIn,
  enrolled,
  enrolling,
  world,
  type Asking,
  type World,
} from "./world.ts";

hashCheaply();

const path = "/.well-known/est/simpleenroll";
const enroll = async ({ a }: World, asking: Asking) =>
  ask(a, path, { body: await bodyOf(), ...asking });
const statusOf = async (w: World, asking: Asking): Promise<number> =>
  (await enroll(w, asking)).status;
/** Returns the number of rows left by logins, and of certificates. */
async function left({ a }: World) {
  const sys = a.stores("sys");
  const keys = (await sys.list("")).map(([key]) => key);
  return {
    tokens: keys.filter((key) => /^(?:token|accessor)\//.test(key)).length,
    entities: keys.filter((key) => key.startsWith("entity/")).length,
    certificates: (await a.pki.listCerts({})).keys.length,
  };
}
const nothing = { tokens: 0, entities: 0, certificates: 1 };

describe("the client of an EST enrollment", () => {
  it("may be a user with a password, without getting a token", async () => {
    const w = await world();
    expect(certificatesIn(await enroll(w, { basic: alice }))).toHaveLength(1);
    expect(await left(w)).toEqual({ tokens: 0, entities: 1, certificates: 2 });
    expect(await statusOf(w, { basic: alice.replace("alice", "ALICE") })).toBe(200);
    expect((await left(w)).entities).toBe(1);
  });

  it("may be an AppRole with a secret ID, whose uses are counted", async () => {
    const w = await world();
    const secret = await w.secretId({ num_uses: 2 });
    const basic = `${w.roleId}:${secret}`;
    expect([await statusOf(w, { basic }), await statusOf(w, { basic })]).toEqual([200, 200]);
    expect(await statusOf(w, { basic })).toBe(401);
    expect((await left(w)).tokens).toBe(0);
  });

  it("may be a TLS client certificate that a role of the cert method accepts", async () => {
    const w = await world();
    const { der } = await enrolled(w);
    expect(await statusOf(w, { tlsChain: [der] })).toBe(200);
    const stranger = await certificate({ name: "device.example" });
    expect(await statusOf(w, { tlsChain: [stranger.der] })).toBe(401);
    await w.a.call("POST", "auth/cert/certs/device", { allowed_common_names: "other" });
    expect(await statusOf(w, { tlsChain: [der] })).toBe(401);
  });

  it("is authenticated with HTTP Basic even if it has sent a certificate too", async () => {
    const w = await world();
    const { der } = await enrolled(w);
    const before = await left(w);
    const refused = await enroll(w, { tlsChain: [der], basic: "alice:wrong" });
    expect([refused.status, refused.text]).toEqual([401, "invalid username or password\n"]);
    expect(await left(w)).toEqual(before);
    await enroll(w, { tlsChain: [der], basic: alice });
    const event = w.a.events.findLast(({ endpoint }) => endpoint === "estEnroll");
    expect(event?.caller).toBe("userpass-alice");
  });

  it.each<[string, Asking]>([
    ["a bearer token", { headers: { authorization: "Bearer root" } }],
    ["a wrong password", { basic: "alice:wrong" }],
    ["no password", { basic: "alice:" }],
    ["an unknown user", { basic: "bob:correct horse battery" }],
    ["a name that no user can have", { basic: "../alice:correct horse battery" }],
    ["a name of a row", { basic: "alice/x:correct horse battery" }],
    ["a very long name", { basic: `${"a".repeat(5000)}:x` }],
    ["no colon", { basic: "alice" }],
    ["Basic that is no base64", { headers: { authorization: "Basic %%%" } }],
    ["Basic that is nothing", { headers: { authorization: "Basic" } }],
    ["Basic that is no UTF-8", { headers: { authorization: "Basic /zr/" } }],
    ["Basic with control characters", { basic: "alice\u0000:correct horse battery" }],
    ["bytes in the place of a certificate", { tlsChain: [Uint8Array.of(0x30, 0)] }],
  ])("that sends %s gets a 401 that requests Basic, and nothing is stored", async (_, asking) => {
    const w = await world();
    const answer = await enroll(w, asking);
    expect([
      answer.status,
      answer.headers.get("www-authenticate"),
      answer.headers.get("content-type"),
    ]).toEqual([401, 'Basic realm="EST", charset="UTF-8"', "text/plain; charset=utf-8"]);
    expect(await left(w)).toEqual(nothing);
  });

  it.each([
    ["no credentials", {}],
    ["a token", { headers: { "x-vault-token": "root" } }],
    ["an empty chain", { tlsChain: [] }],
  ])("that sends %s gets a 401 without a body", async (_, asking) => {
    const w = await world();
    const { status, headers, text } = await enroll(w, asking);
    expect([status, text, await left(w)]).toEqual([401, "", nothing]);
    expect(headers.get("www-authenticate")).toBe('Basic realm="EST", charset="UTF-8"');
    expect(headers.get("content-length")).toBe("0");
    expect(headers.has("content-type")).toBe(false);
  });

  it("is never read from a header (security row 53)", async () => {
    const w = await world();
    const { der } = await enrolled(w);
    const base64 = Buffer.from(der).toString("base64");
    const headers = {
      "x-ssl-client-cert": encodeURIComponent(base64),
      "x-ssl-client-verify": "SUCCESS",
      "x-forwarded-client-cert": `Cert="${base64}"`,
      "client-cert": `:${base64}:`,
      "cf-client-cert-der-base64": base64,
      "x-forwarded-for": "192.0.2.1",
      "cf-connecting-ip": "192.0.2.1",
    };
    expect(await statusOf(w, { headers })).toBe(401);
    await w.a.call("POST", "auth/userpass/users/alice", { token_bound_cidrs: "192.0.2.0/24" });
    expect(await statusOf(w, { basic: alice, headers, address: "198.51.100.1" })).toBe(403);
    expect(await statusOf(w, { basic: alice, address: "192.0.2.9" })).toBe(200);
  });

  it("is locked after five wrong passwords in total, at the login endpoint and here", async () => {
    const w = await world();
    for (let i = 0; i < 3; i++) await enroll(w, { basic: "alice:wrong" });
    for (let i = 0; i < 2; i++)
      await w.a.call("POST", "auth/userpass/login/alice", { password: "wrong" });
    const locked = await enroll(w, { basic: alice });
    expect([locked.status, locked.text]).toEqual([401, "invalid username or password\n"]);
    const [, password] = alice.split(":");
    expect((await w.a.call("POST", "auth/userpass/login/alice", { password })).status).toBe(400);
    w.a.clock.advance(15 * 60 + 1);
    expect(await statusOf(w, { basic: alice })).toBe(200);
  });

  it("requires a login method that creates batch tokens", async () => {
    const w = await world();
    const { der } = await enrolled(w);
    const secret = await w.secretId({ num_uses: 1 });
    const before = await left(w);
    for (const type of ["userpass", "approle", "cert"])
      await w.a.call("POST", `sys/auth/${type}/tune`, { token_type: "default-service" });
    w.a.clock.advance(2);
    for (const asking of [
      { basic: alice },
      { basic: `${w.roleId}:${secret}` },
      { tlsChain: [der] },
    ]) {
      const refused = await enroll(w, asking);
      expect([refused.status, refused.text]).toEqual([
        400,
        expect.stringContaining("batch tokens are required here"),
      ]);
    }
    expect(await left(w)).toEqual(before);
    await w.a.call("POST", "auth/userpass/users/alice", { token_type: "batch" });
    await w.a.call("POST", "auth/approle/role/device", { token_type: "batch" });
    expect(await statusOf(w, { basic: alice })).toBe(200);
    // rejected requests did not consume the secret ID
    expect(await statusOf(w, { basic: `${w.roleId}:${secret}` })).toBe(200);
  });

  it("requires that the mount may use the login method, and that config/est names it", async () => {
    const w = await world();
    const tune = (accessors: readonly string[]) =>
      w.a.call("POST", "sys/mounts/pki/tune", { delegated_auth_accessors: accessors });
    await tune([w.accessors.cert]);
    w.a.clock.advance(2);
    const refused = await enroll(w, { basic: alice });
    expect([refused.status, refused.text]).toEqual([
      401,
      "this mount does not accept user names and passwords\n",
    ]);
    await tune([w.accessors.userpass]);
    w.a.clock.advance(2);
    expect(await statusOf(w, { basic: alice })).toBe(200);
    expect(await statusOf(w, { basic: `${w.roleId}:${await w.secretId()}` })).toBe(401);
    const { der } = await certificate();
    expect((await enroll(w, { tlsChain: [der] })).text).toBe(
      "this mount does not accept TLS client certificates\n",
    );
    await w.a.call("POST", "pki/config/est", { authenticators: {} });
    expect(await statusOf(w, { basic: alice })).toBe(401);
    await w.a.call("POST", "pki/config/est", {
      authenticators: { userpass: { accessor: w.accessors.userpass } },
    });
    await w.a.call("DELETE", "sys/auth/userpass");
    w.a.clock.advance(2);
    expect(await statusOf(w, { basic: alice })).toBe(401);
  });

  it("is rejected if its entity is disabled", async () => {
    const w = await world();
    await enrolled(w);
    const entity = w.a.events.findLast(({ endpoint }) => endpoint === "estEnroll")?.entity ?? "";
    await w.a.call("POST", `identity/entity/id/${entity}`, { disabled: true });
    w.a.clock.advance(2);
    expect(await statusOf(w, { basic: alice })).toBe(403);
  });

  it.each([
    ["update alone", 'path "pki/roles/web/est/simpleenroll" { capabilities = ["update"] }', 403],
    ["create alone", 'path "pki/roles/web/est/simpleenroll" { capabilities = ["create"] }', 403],
    [
      "the well-known path",
      'path ".well-known/est/simpleenroll" { capabilities = ["create", "update"] }',
      403,
    ],
    ["the mount's own path", enrolling("pki/est/simpleenroll"), 403],
    ["another role", enrolling("pki/roles/other/est/simpleenroll"), 403],
    ["sign", enrolling("pki/sign/web"), 403],
    [
      "a parameter that must come",
      'path "pki/roles/web/est/simpleenroll" { capabilities = ["create", "update"] required_parameters = ["x"] }',
      403,
    ],
    ["every role's path", enrolling("pki/roles/+/est/simpleenroll"), 200],
    ["everything below the mount", enrolling("pki/*"), 200],
  ])("is authorized on the path of the role: a policy on %s", async (_, policy, status) => {
    const w = await world();
    await w.a.call("POST", "sys/policies/acl/device", { policy });
    w.a.clock.advance(2);
    expect(await statusOf(w, { basic: alice })).toBe(status);
    expect((await left(w)).certificates).toBe(status === 200 ? 2 : 1);
  });

  it.each([
    ["the path of the role", enrolling("pki/roles/web/est/simpleenroll"), 403],
    [
      "both, but the own one denied",
      `${enrolling("pki/*")}\npath "pki/est/*" { capabilities = ["deny"] }`,
      403,
    ],
    ["that path alone", enrolling("pki/est/simpleenroll"), 200],
  ])(
    "is authorized on the mount's path if the request uses it: a policy on %s",
    async (...test) => {
      const [, policy, status] = test;
      const w = await world();
      await w.a.call("POST", "sys/policies/acl/device", { policy });
      w.a.clock.advance(2);
      const asking = { basic: alice, body: await bodyOf() };
      expect((await ask(w.a, "/v1/pki/est/simpleenroll", asking)).status).toBe(status);
      expect((await left(w)).certificates).toBe(status === 200 ? 2 : 1);
    },
  );

  it("has its entity inserted into the templates of the role", async () => {
    const w = await world();
    await w.a.role("web", {
      allow_any_name: false,
      allow_bare_domains: true,
      allowed_domains_template: true,
      allowed_domains: [`{{identity.entity.aliases.${w.accessors.userpass}.name}}.example`],
    });
    expect(await statusOf(w, { basic: alice, body: await bodyOf({ name: "alice.example" }) })).toBe(
      200,
    );
    expect(await statusOf(w, { basic: alice, body: await bodyOf({ name: "bob.example" }) })).toBe(
      400,
    );
  });

  it("is subject to a rate limit on the path to which the well-known path maps", async () => {
    const w = await world();
    await w.a.call("POST", "sys/quotas/rate-limit/est", {
      path: "pki/roles/web/est/simpleenroll",
      rate: 2,
      interval: 60,
    });
    w.a.clock.advance(2);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push(await statusOf(w, { address: "192.0.2.1" }));
    expect(statuses).toEqual([401, 401, 429]);
    expect(await statusOf(w, { address: "198.51.100.1" })).toBe(401);
  });

  it.each([
    ["a user", "auth/userpass", "", { basic: "alice:wrong" }],
    ["a user", "auth/userpass/login/alice", "", { basic: "ALICE:wrong" }],
    ["a user", "auth/userpass/*", "", { basic: "nobody:wrong" }],
    ["an AppRole", "auth/approle/login", "", { basic: "role:secret" }],
    ["an AppRole", "auth/approle", "device", { basic: "id of device:secret" }],
    ["a certificate", "auth/cert", "", { tlsChain: [Uint8Array.of(0x30, 0)] }],
    ["a certificate", "auth/cert", "device", { tlsChain: [Uint8Array.of(0x30, 0)] }],
  ])(
    "is subject, as %s, to a rate limit for logins on %s (role: %j)",
    async (_, path, role, sent) => {
      const w = await world();
      await w.a.call("POST", "auth/approle/role/device/role-id", { role_id: "id of device" });
      const limit = { path, role, rate: 2, interval: 60 };
      expect((await w.a.call("POST", "sys/quotas/rate-limit/logins", limit)).errors).toEqual([]);
      w.a.clock.advance(2);
      const statuses = [];
      for (let i = 0; i < 2; i++)
        statuses.push(await statusOf(w, { ...sent, address: "192.0.2.1" }));
      const over = await enroll(w, { ...sent, address: "192.0.2.1" });
      expect([...statuses, over.status]).toEqual([401, 401, 429]);
      expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(50);
      expect(await statusOf(w, { ...sent, address: "198.51.100.1" })).toBe(401);
    },
  );

  it("counts once towards a limit on all paths, and together with other logins towards a login limit", async () => {
    const w = await world();
    const limit = (name: string, path: string, rate: number) =>
      w.a.call("POST", `sys/quotas/rate-limit/${name}`, { path, rate, interval: 60 });
    await limit("all", "", 4);
    await limit("logins", "auth/userpass", 3);
    w.a.clock.advance(2);
    const sent = { basic: "alice:wrong", address: "192.0.2.1" };
    const login = async () => {
      const asked = new Request("https://ca.example/v1/auth/userpass/login/alice", {
        method: "POST",
        body: JSON.stringify({ password: "wrong" }),
      });
      return (await w.a.ca.fetch(asked, { peer: { address: sent.address } })).status;
    };
    const statuses = [await login()];
    for (let i = 0; i < 2; i++) statuses.push(await statusOf(w, sent));
    expect([...statuses, await login(), await statusOf(w, sent)]).toEqual([
      400, 401, 401, 429, 429,
    ]);
    expect(await statusOf(w, { address: sent.address })).toBe(401);
    expect(await statusOf(w, { address: sent.address })).toBe(429);
  });

  it("is audited with its entity if the login creates one or uses a secret ID, and not among anonymous callers", async () => {
    const w = await world();
    const secret = await w.secretId({ num_uses: 2 });
    for (const basic of [alice, `${w.roleId}:${secret}`, `${w.roleId}:${secret}`])
      expect(await statusOf(w, { basic })).toBe(200);
    const sys = w.a.stores("sys");
    const events = (await sys.list("audit/change/")).map(([, { value }]) => value);
    const entities = (await sys.list("entity/", { values: false })).map(([key]) => key.slice(7));
    const logins = events.filter((one) => (one as { endpoint?: string }).endpoint === "estEnroll");
    expect(logins).toHaveLength(3);
    for (const login of logins)
      expect(login).toMatchObject({ fields: { entity: expect.toBeOneOf(entities) } });
    expect(await sys.list("audit/anonymous/")).toEqual([]);
  });

  it("is audited for issued certificates and for rejected requests", async () => {
    const w = await world();
    await enrolled(w);
    await w.a.call("POST", "sys/policies/acl/device", { policy: enrolling("other") });
    w.a.clock.advance(2);
    await enroll(w, { basic: alice });
    const rows = [...(await w.a.stores("sys").list("audit")), ...(await mountRows(w))]
      .map(([, { value }]) => value as { readonly endpoint?: string })
      .filter(({ endpoint }) => endpoint === "estEnroll");
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          status: 403,
          refusal: "forbidden",
          caller: "userpass-alice",
          mount: "pki",
        }),
        expect.objectContaining({
          fields: expect.objectContaining({ serial: expect.anything() }),
          caller: "userpass-alice",
          path: "/roles/:role/est/simpleenroll",
        }),
      ]),
    );
  });
});
async function mountRows({ a }: World) {
  const { uuid } = ((await a.call("GET", "sys/mounts")).data["pki/"] ?? {}) as {
    readonly uuid: string;
  };
  const store = a.stores(uuid);
  // events are in the partition of the certificate
  return (await Promise.all((store.partitions ?? [store]).map((one) => one.list("audit")))).flat();
}

describe("a cached AppRole login", () => {
  it("ends with its secret ID at once on this engine, after a second on others, and does not apply to other addresses", async () => {
    const w = await world();
    const secret = await w.secretId({ cidr_list: "192.0.2.0/24" });
    const basic = `${w.roleId}:${secret}`;
    const at = (address: string) => statusOf(w, { basic, address });
    expect([await at("192.0.2.1"), await at("192.0.2.1"), await at("198.51.100.1")]).toEqual([
      200, 200, 401,
    ]);
    await w.a.call("POST", "auth/approle/role/device/secret-id/destroy", { secret_id: secret });
    expect(await at("192.0.2.1")).toBe(401);
    const other = `${w.roleId}:${await w.secretId()}`;
    expect(await statusOf(w, { basic: other })).toBe(200);
    const sys = w.a.stores("sys");
    const secrets = (await sys.list("methoddata/")).filter(([key]) =>
      key.includes("approlesecret"),
    );
    // as another engine would do
    await sys.commit({ del: secrets.map(([key]) => key) });
    w.a.clock.advance(1);
    expect(await statusOf(w, { basic: other })).toBe(401);
  });

  it("still counts every use", async () => {
    const w = await world();
    const basic = `${w.roleId}:${await w.secretId({ num_uses: 3 })}`;
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push(await statusOf(w, { basic }));
    expect(statuses).toEqual([200, 200, 200, 401]);
  });
});
