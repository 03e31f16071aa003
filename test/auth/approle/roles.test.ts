import { describe, expect, it } from "vitest";
import { authority } from "../../support/authority.ts";

const prepared = async () => {
  const a = authority();
  await a.call("POST", "sys/auth/approle", { type: "approle" });
  return a;
};
const standard = {
  bind_secret_id: true,
  secret_id_bound_cidrs: [],
  secret_id_num_uses: 0,
  secret_id_ttl: 0,
  local_secret_ids: false,
  token_ttl: 0,
  token_max_ttl: 0,
  token_explicit_max_ttl: 0,
  token_period: 0,
  token_policies: [],
  token_bound_cidrs: [],
  token_no_default_policy: false,
  token_num_uses: 0,
  token_type: "default",
  alias_metadata: {},
};

describe("an AppRole role", () => {
  it("(writeAppRole, readAppRole, listAppRoles, deleteAppRole) is created, updated field by field, listed and deleted, with a case-insensitive name", async () => {
    const a = await prepared();
    expect((await a.call("POST", "auth/approle/role/Web", {})).status).toBe(204);
    expect((await a.call("GET", "auth/approle/role/web")).data).toEqual(standard);
    const body = { policies: "B,a", ttl: "10m", token_max_ttl: 3600, secret_id_ttl: "1h" };
    await a.call("POST", "auth/approle/role/web", body);
    await a.call("POST", "auth/approle/role/web", { secret_id_num_uses: 3 });
    expect((await a.call("GET", "auth/approle/role/WEB")).data).toEqual({
      ...standard,
      token_policies: ["a", "b"],
      token_ttl: 600,
      token_max_ttl: 3600,
      secret_id_ttl: 3600,
      secret_id_num_uses: 3,
    });
    expect((await a.call("LIST", "auth/approle/role")).data).toEqual({ keys: ["web"] });
    expect((await a.call("GET", "auth/approle/role")).data).toEqual({ keys: ["web"] });
    expect((await a.call("DELETE", "auth/approle/role/WEB")).status).toBe(204);
    expect((await a.call("GET", "auth/approle/role/web")).status).toBe(404);
    expect((await a.call("LIST", "auth/approle/role")).status).toBe(404);
    expect(await a.stores("sys").list("methoddata/")).toEqual([]);
  });

  it("(listAppRoles) is listed with its policies, unless the caller may not read it", async () => {
    const hidden = "auth/approle/role/hidden";
    const a = authority({
      authenticate: async () => ({
        id: "x",
        can: (capability, path) => capability !== "read" || path !== hidden,
      }),
    });
    await a.call("POST", "sys/auth/approle", { type: "approle" });
    for (const name of ["web", "api", "hidden"])
      await a.call("POST", `auth/approle/role/${name}`, { policies: name });
    expect((await a.call("GET", "auth/approle/role?list=true&detailed=true")).data).toEqual({
      keys: ["api", "hidden", "web"],
      key_info: Object.fromEntries(
        ["api", "web"].map((name) => [name, { token_policies: [name] }]),
      ),
    });
  });

  it("is rejected and not stored if its settings are invalid or contradictory", async () => {
    const a = await prepared();
    for (const [body, text] of [
      [{ token_ttl: 2, token_max_ttl: 1 }, "'token_ttl' cannot be greater than 'token_max_ttl'"],
      [{ token_type: "x" }, "invalid 'token_type'"],
      [{ token_type: "batch", token_num_uses: 1 }, "cannot be 'batch'"],
      [{ token_type: "batch", token_period: 1 }, "cannot be 'batch'"],
      [{ token_policies: "root" }, "auth methods cannot create root tokens"],
      [
        { token_bound_cidrs: "10.0.0.0/33" },
        "token_bound_cidrs: invalid CIDR address: 10.0.0.0/33",
      ],
      [{ secret_id_bound_cidrs: "x" }, "secret_id_bound_cidrs: invalid CIDR address: x"],
      [{ bind_secret_id: false }, "at least one constraint should be enabled"],
      [{ secret_id_num_uses: -1 }, "secret_id_num_uses cannot be negative"],
      [{ token_num_uses: -1 }, "'token_num_uses' cannot be negative"],
    ] as const) {
      const answer = await a.call("POST", "auth/approle/role/web", body);
      expect([body, answer.status, answer.errors]).toEqual([
        body,
        400,
        [expect.stringContaining(text)],
      ]);
    }
    expect((await a.call("GET", "auth/approle/role/web")).status).toBe(404);
    for (const name of [".web", "web.", "a b", "%C3%A4", "x".repeat(129)])
      expect([name, (await a.call("POST", `auth/approle/role/${name}`, {})).status]).toEqual([
        name,
        404,
      ]);
  });

  it("(readRoleId, writeRoleId) has a unique role ID, generated or chosen", async () => {
    const a = await prepared();
    await a.call("POST", "auth/approle/role/web", {});
    const { data } = await a.call("GET", "auth/approle/role/web/role-id");
    expect(data).toEqual({ role_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    const chosen = { role_id: "the web ä" };
    expect((await a.call("POST", "auth/approle/role/web/role-id", chosen)).status).toBe(204);
    expect((await a.call("GET", "auth/approle/role/web/role-id")).data).toEqual(chosen);
    for (const path of ["role/other", "role/web/role-id"]) {
      const taken = await a.call("POST", `auth/approle/${path}`, chosen);
      // setting the current role ID again is allowed
      expect([path, taken.status]).toEqual([path, path === "role/other" ? 400 : 204]);
    }
    await a.call("POST", "auth/approle/role/third", data);
    expect((await a.call("GET", "auth/approle/role/third/role-id")).data).toEqual(data);
    expect(
      (await a.call("POST", "auth/approle/role/none/role-id", { role_id: "x" })).errors,
    ).toEqual(['role "none" does not exist']);
    expect((await a.call("GET", "auth/approle/role/none/role-id")).status).toBe(404);
    const racing = await Promise.all(
      ["r1", "r2"].map(
        async (name) =>
          (await a.call("POST", `auth/approle/role/${name}`, { role_id: "raced" })).status,
      ),
    );
    expect(racing.sort()).toEqual([204, 400]);
  });

  it("rejects a change of local_secret_ids on every path", async () => {
    const a = await prepared();
    const at = "auth/approle/role/web";
    expect((await a.call("POST", at, { local_secret_ids: true })).status).toBe(204);
    const refused = [400, ["local_secret_ids can only be modified during role creation"]];
    for (const [method, path, body] of [
      ["POST", at, { local_secret_ids: false }],
      ["POST", `${at}/local-secret-ids`, { local_secret_ids: false }],
      ["DELETE", `${at}/local-secret-ids`, undefined],
    ] as const) {
      const { status, errors } = await a.call(method, path, body);
      expect([path, status, errors]).toEqual([path, ...refused]);
    }
    for (const body of [{ local_secret_ids: true }, { token_ttl: 60 }])
      expect((await a.call("POST", at, body)).status).toBe(204);
    expect((await a.call("GET", at)).data).toMatchObject({ local_secret_ids: true, token_ttl: 60 });
  });

  it("(readRoleSetting, writeRoleSetting, deleteRoleSetting) can be read, set and reset one field at a time", async () => {
    const a = await prepared();
    await a.call("POST", "auth/approle/role/web", { secret_id_num_uses: 3 });
    for (const [path, field, sent, value, none] of [
      ["policies", "token_policies", { token_policies: "b,a" }, ["a", "b"], []],
      ["policies", "token_policies", { policies: "c" }, ["c"], []],
      ["period", "token_period", { token_period: "1h" }, 3600, 0],
      ["token-ttl", "token_ttl", { token_ttl: 60 }, 60, 0],
      ["token-max-ttl", "token_max_ttl", { token_max_ttl: "2h" }, 7200, 0],
      ["token-num-uses", "token_num_uses", { token_num_uses: 4 }, 4, 0],
      ["token-bound-cidrs", "token_bound_cidrs", { token_bound_cidrs: "::/0" }, ["::/0"], []],
      [
        "bound-cidr-list",
        "secret_id_bound_cidrs",
        { bound_cidr_list: "10.0.0.0/8" },
        ["10.0.0.0/8"],
        [],
      ],
      [
        "secret-id-bound-cidrs",
        "secret_id_bound_cidrs",
        { secret_id_bound_cidrs: ["10.0.0.1"] },
        ["10.0.0.1"],
        [],
      ],
      ["secret-id-num-uses", "secret_id_num_uses", { secret_id_num_uses: 5 }, 5, 0],
      ["secret-id-ttl", "secret_id_ttl", { secret_id_ttl: "1m" }, 60, 0],
      ["local-secret-ids", "local_secret_ids", { local_secret_ids: false }, false, false],
    ] as const) {
      const at = `auth/approle/role/web/${path}`;
      expect([path, (await a.call("POST", at, sent)).status]).toEqual([path, 204]);
      expect((await a.call("GET", at)).data).toEqual({ [field]: value });
      expect((await a.call("DELETE", at)).status).toBe(204);
      expect((await a.call("GET", at)).data).toEqual({ [field]: none });
      expect((await a.call("POST", at, {})).errors).toEqual([`missing ${field}`]);
    }
    expect((await a.call("POST", "auth/approle/role/none/period", { period: 1 })).status).toBe(400);
    expect((await a.call("GET", "auth/approle/role/none/period")).status).toBe(404);
    expect(
      (await a.call("POST", "auth/approle/role/web/bind-secret-id", { bind_secret_id: false }))
        .status,
    ).toBe(400);
    expect((await a.call("GET", "auth/approle/role/web/none")).status).toBe(404);
  });
});
