import { describe, expect, it } from "vitest";
import { authority, type Authority } from "../../support/authority.ts";

type Json = Readonly<Record<string, unknown>>;
const authOf = (json: Json) => json["auth"] as Json;
async function prepared(role: Json = {}, options: Parameters<typeof authority>[0] = {}) {
  const a = authority(options);
  await a.call("POST", "sys/auth/approle", { type: "approle" });
  await a.call("POST", "auth/approle/role/web", { token_policies: "machines", ...role });
  const { data } = await a.call("GET", "auth/approle/role/web/role-id");
  return { ...a, role_id: data["role_id"] as string };
}
const secretOf = async (a: Pick<Authority, "call">, given: Json = {}, name = "web") =>
  (await a.call("POST", `auth/approle/role/${name}/secret-id`, given)).data;
const enter = (a: Pick<Authority, "call">, body: Json) =>
  a.call("POST", "auth/approle/login", body, { token: "" });

describe("auth/approle/login (loginAppRole)", () => {
  it("returns a token with the settings of the role, and maps the role ID to one entity", async () => {
    const a = await prepared({ token_ttl: "1h", token_num_uses: 0 });
    const { secret_id } = await secretOf(a, { metadata: '{"host":"a"}' });
    const answer = await enter(a, { role_id: a.role_id, secret_id });
    expect([answer.status, answer.json["data"]]).toEqual([200, null]);
    const auth = authOf(answer.json);
    expect(auth).toMatchObject({
      client_token: expect.stringMatching(/^s\./),
      policies: ["default", "machines"],
      token_policies: ["default", "machines"],
      metadata: { role_name: "web", host: "a" },
      lease_duration: 3600,
      renewable: true,
      token_type: "service",
      orphan: true,
      entity_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const token = auth["client_token"] as string;
    const self = await a.call("GET", "auth/token/lookup-self", undefined, { token });
    expect(self.status).toBe(200);
    expect(self.data).toMatchObject({ entity_id: auth["entity_id"] });
    const again = await enter(a, { role_id: a.role_id, secret_id });
    expect(authOf(again.json)["entity_id"]).toBe(auth["entity_id"]);
  });

  it("rejects missing and wrong credentials without revealing which one is wrong, and stores nothing", async () => {
    const a = await prepared();
    await a.call("POST", "auth/approle/role/other", {});
    const other = await secretOf(a, {}, "other");
    const before = JSON.stringify(await a.stores("sys").list(""));
    for (const [body, text] of [
      [{}, "missing role_id"],
      [{ role_id: a.role_id }, "missing secret_id"],
      [{ role_id: "none" }, "missing secret_id"],
      [{ role_id: "none", secret_id: "x" }, "invalid role or secret ID"],
      [{ role_id: a.role_id, secret_id: "x" }, "invalid role or secret ID"],
      [{ role_id: a.role_id, ...other }, "invalid role or secret ID"],
      [{ role_id: "-", secret_id: "-" }, "invalid role or secret ID"],
    ] as const) {
      const answer = await enter(a, body);
      expect([body, answer.status, answer.errors]).toEqual([body, 400, [text]]);
    }
    expect(JSON.stringify(await a.stores("sys").list(""))).toBe(before);
  });

  it("accepts a secret ID only as often as secret_id_num_uses allows, with concurrent logins on two engines", async () => {
    const a = await prepared({ secret_id_num_uses: 3 });
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    const { secret_id } = await secretOf(a);
    const statuses = await Promise.all(
      Array.from(
        { length: 12 },
        async (_, at) => (await enter(at % 2 ? a : b, { role_id: a.role_id, secret_id })).status,
      ),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 400)).toHaveLength(9);
    const tokens = await a.stores("sys").list("token/");
    expect(tokens).toHaveLength(3);
  });

  it("rejects destroyed secret IDs, deleted roles and disabled methods at once, on another engine too", async () => {
    const a = await prepared();
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    const { secret_id } = await secretOf(a);
    expect((await enter(b, { role_id: a.role_id, secret_id })).status).toBe(200);
    const second = await secretOf(a);
    await a.call("POST", "auth/approle/role/web/secret-id/destroy", { secret_id });
    expect((await enter(b, { role_id: a.role_id, secret_id })).status).toBe(400);
    expect((await enter(b, { role_id: a.role_id, ...second })).status).toBe(200);
    await a.call("DELETE", "auth/approle/role/web");
    expect((await enter(b, { role_id: a.role_id, ...second })).status).toBe(400);
    await a.call("POST", "auth/approle/role/web", { role_id: a.role_id });
    // a secret ID of the deleted role is not valid for a new role of the same name
    expect((await enter(b, { role_id: a.role_id, ...second })).status).toBe(400);
    await a.call("DELETE", "sys/auth/approle");
    expect((await enter(b, { role_id: a.role_id, ...second })).status).not.toBe(200);
  });

  it("rejects an expired secret ID, which a job then deletes", async () => {
    const a = await prepared({ secret_id_ttl: "10m" });
    const { secret_id, secret_id_ttl } = await secretOf(a);
    expect(secret_id_ttl).toBe(600);
    a.clock.advance(300);
    // expires in another run of the job
    await secretOf(a);
    a.clock.advance(299);
    expect((await enter(a, { role_id: a.role_id, secret_id })).status).toBe(200);
    a.clock.advance(1);
    expect((await enter(a, { role_id: a.role_id, secret_id })).status).toBe(400);
    for (const left of [1, 0]) {
      a.clock.advance(60);
      await a.ca.tick();
      const keys = (await a.stores("sys").list("methoddata/")).map(([key]) => key);
      expect(keys.filter((key) => key.includes("approlesecret"))).toHaveLength(left);
      a.clock.advance(300);
    }
  });

  it("security row 53: checks the address that the platform reports, not one from a header", async () => {
    const a = await prepared({ secret_id_bound_cidrs: "10.0.0.0/8", bind_secret_id: false });
    const from = async (address: string | undefined) => {
      const response = await a.ca.fetch(
        new Request("http://ca.test/v1/auth/approle/login", {
          method: "POST",
          headers: { "x-forwarded-for": "10.0.0.1", "cf-connecting-ip": "10.0.0.1" },
          body: JSON.stringify({ role_id: a.role_id }),
        }),
        address === undefined ? {} : { peer: { address } },
      );
      return response.status;
    };
    expect([await from("10.1.2.3"), await from("11.0.0.1"), await from(undefined)]).toEqual([
      200, 403, 403,
    ]);
  });

  it("binds tokens to the CIDRs of the secret ID, which must lie within those of the role", async () => {
    const a = await prepared({ token_bound_cidrs: ["10.0.0.0/8", "127.0.0.1"] });
    const refused = await a.call("POST", "auth/approle/role/web/secret-id", {
      token_bound_cidrs: "11.0.0.0/8",
    });
    expect([refused.status, refused.errors]).toEqual([
      400,
      ["the address ranges must lie within the role's address ranges"],
    ]);
    const { secret_id } = await secretOf(a, { token_bound_cidrs: "10.1.0.0/16" });
    const ask = async (path: string, address: string, init: RequestInit) =>
      a.ca.fetch(new Request(`http://ca.test/v1/${path}`, init), { peer: { address } });
    const body = JSON.stringify({ role_id: a.role_id, secret_id });
    expect((await ask("auth/approle/login", "10.2.0.1", { method: "POST", body })).status).toBe(
      403,
    );
    const made = await ask("auth/approle/login", "10.1.0.1", { method: "POST", body });
    const { auth } = (await made.json()) as { auth: { client_token: string } };
    const headers = { "x-service-token": auth.client_token };
    const self = "auth/token/lookup-self";
    expect((await ask(self, "10.1.9.9", { headers })).status).toBe(200);
    expect((await ask(self, "10.2.0.1", { headers })).status).toBe(403);
    await a.call("POST", "auth/approle/role/web", { token_bound_cidrs: "127.0.0.1" });
    expect((await ask("auth/approle/login", "10.1.0.1", { method: "POST", body })).status).toBe(
      400,
    );
  });

  it("rejects a batch token login if the role sets token_num_uses, because uses of batch tokens are not counted", async () => {
    const a = await prepared({ token_num_uses: 1 });
    const entered = async () => enter(a, { role_id: a.role_id, ...(await secretOf(a)) });
    for (const token_type of ["batch", "default-batch"]) {
      await a.call("POST", "sys/auth/approle/tune", { token_type });
      const { status, errors, json } = await entered();
      expect([status, json["auth"] ?? null]).toEqual([400, null]);
      expect(errors[0]).toContain("whose number of uses cannot be limited");
    }
    await a.call("POST", "sys/auth/approle/tune", { token_type: "service" });
    expect((await entered()).status).toBe(200);
  });

  it("creates batch tokens, which are not stored, unless the method is tuned to service tokens", async () => {
    const a = await prepared({ token_type: "batch" });
    const login = async () =>
      authOf((await enter(a, { role_id: a.role_id, ...(await secretOf(a)) })).json);
    expect(await login()).toMatchObject({ token_type: "batch", accessor: "", renewable: false });
    expect(await a.stores("sys").list("token/")).toEqual([]);
    await a.call("POST", "sys/auth/approle/tune", { token_type: "service" });
    expect(await login()).toMatchObject({ token_type: "service" });
  });

  it("writes neither the secret ID nor the token to the log or the store", async () => {
    const a = await prepared();
    const { secret_id } = await secretOf(a);
    const { json } = await enter(a, { role_id: a.role_id, secret_id });
    const rows = await Promise.all(["sys"].map((name) => a.stores(name).list("")));
    const told = JSON.stringify([rows, a.events]);
    expect(told).not.toContain(secret_id);
    expect(told).not.toContain(authOf(json)["client_token"]);
    expect(a.events.at(-1)?.fields).toMatchObject({ accessor: authOf(json)["accessor"] });
  });
});

describe("secret IDs of AppRole", () => {
  it("(makeSecretId, listSecretIds, lookupSecretId, lookupSecretAccessor, destroySecretId, destroySecretAccessor) are looked up and destroyed by value or by accessor", async () => {
    const a = await prepared({ secret_id_num_uses: 5 });
    const one = await secretOf(a, { num_uses: 2, cidr_list: "10.0.0.0/8", metadata: '{"a":"b"}' });
    expect(one).toEqual({
      secret_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      secret_id_accessor: expect.stringMatching(/^[0-9a-f-]{36}$/),
      secret_id_ttl: 0,
      secret_id_num_uses: 2,
    });
    const { secret_id, secret_id_accessor } = one;
    const shown = {
      secret_id_accessor,
      metadata: { a: "b" },
      cidr_list: ["10.0.0.0/8"],
      token_bound_cidrs: [],
      secret_id_num_uses: 2,
      secret_id_ttl: 0,
      creation_time: "2030-01-02T03:04:05Z",
      last_updated_time: "2030-01-02T03:04:05Z",
      expiration_time: "0001-01-01T00:00:00Z",
    };
    const at = "auth/approle/role/web";
    expect((await a.call("POST", `${at}/secret-id/lookup`, { secret_id })).data).toEqual(shown);
    const byAccessor = `${at}/secret-id-accessor/lookup`;
    expect((await a.call("POST", byAccessor, { secret_id_accessor })).data).toEqual(shown);
    const two = await secretOf(a);
    expect(two["secret_id_num_uses"]).toBe(5);
    expect((await a.call("LIST", `${at}/secret-id`)).data["keys"]).toEqual(
      [one, two].map((each) => each["secret_id_accessor"]).sort(),
    );
    expect((await a.call("POST", `${at}/secret-id/destroy`, { secret_id })).status).toBe(204);
    expect((await a.call("POST", `${at}/secret-id/lookup`, { secret_id })).status).toBe(204);
    const missing = await a.call("POST", byAccessor, { secret_id_accessor });
    expect([missing.status, missing.errors]).toEqual([
      404,
      ["failed to find accessor entry for the secret_id_accessor"],
    ]);
    const { secret_id_accessor: second } = two;
    const destroy = `${at}/secret-id-accessor/destroy?secret_id_accessor=${String(second)}`;
    expect((await a.call("DELETE", destroy)).status).toBe(204);
    expect((await a.call("LIST", `${at}/secret-id`)).status).toBe(404);
  });

  it("requests with a role that does not exist return 400, or 500 in the compat dialect", async () => {
    const a = await prepared();
    for (const path of ["secret-id", "secret-id-accessor"])
      for (const operation of ["lookup", "destroy"])
        for (const [compat, expected] of [
          [false, 400],
          [true, 500],
        ] as const) {
          const at = `auth/approle/role/None/${path}/${operation}`;
          const body = { [path.replaceAll("-", "_")]: "x" };
          const { status, errors } = await a.call("POST", at, body, { compat });
          expect([at, status, errors]).toEqual([at, expected, ['role "none" does not exist']]);
        }
  });

  it("(makeCustomSecretId) can be chosen by the caller, once per role and within the limits of the role", async () => {
    const a = await prepared({ secret_id_num_uses: 5, secret_id_ttl: "1h" });
    const at = "auth/approle/role/web/custom-secret-id";
    const secret_id = "correct horse";
    expect((await a.call("POST", at, { secret_id })).data).toMatchObject({ secret_id });
    for (const [body, text] of [
      [{ secret_id }, "this secret_id is already in use"],
      [{ secret_id: "" }, "missing secret_id"],
      [{ secret_id: "a", num_uses: 6 }, "num_uses cannot exceed the role's value"],
      [{ secret_id: "a", num_uses: 0 }, "num_uses cannot exceed the role's value"],
      [{ secret_id: "a", num_uses: -1 }, "num_uses cannot be negative"],
      [{ secret_id: "a", ttl: "2h" }, "ttl cannot exceed the role's value"],
      [
        { secret_id: "a", metadata: "[]" },
        "metadata must be a JSON object whose values are strings",
      ],
      [
        { secret_id: "a", metadata: '{"a":1}' },
        "metadata must be a JSON object whose values are strings",
      ],
      [
        { secret_id: "a", metadata: "{" },
        "metadata must be a JSON object whose values are strings",
      ],
      [
        { secret_id: "a", cidr_list: "x" },
        "cidr_list: invalid CIDR address: x; use a range such as 192.0.2.0/24",
      ],
    ] as const) {
      const answer = await a.call("POST", at, body);
      expect([body, answer.status, answer.errors]).toEqual([body, 400, [text]]);
    }
    expect((await enter(a, { role_id: a.role_id, secret_id })).status).toBe(200);
    expect((await a.call("POST", "auth/approle/role/none/secret-id", {})).errors).toEqual([
      'role "none" does not exist',
    ]);
  });

  it("(tidySecretIds) are deleted by tidy after they have expired", async () => {
    const a = await prepared({ secret_id_ttl: "1s" });
    await secretOf(a);
    a.clock.advance(2);
    const answer = await a.call("POST", "auth/approle/tidy/secret-id", {});
    expect([answer.status, answer.json["data"]]).toEqual([202, null]);
    await a.ca.tick();
    const left = (await a.stores("sys").list("methoddata/")).map(([key]) => key);
    expect(left.filter((key) => key.includes("approlesecret"))).toEqual([]);
  });
});
