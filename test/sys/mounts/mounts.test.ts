import { describe, expect, it } from "vitest";
import { authority, refusal, type Authority } from "../../support/authority.ts";

const status = async ({ call }: Authority, method: string, path: string, body?: unknown) => {
  const { status: code, errors } = await call(method, path, body);
  return [code, ...errors];
};
const info = {
  type: "pki",
  description: "",
  accessor: expect.stringMatching(/^pki_[0-9a-f]{8}$/),
  local: false,
  seal_wrap: false,
  external_entropy_access: false,
  options: null,
  uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
  plugin_version: "",
  running_plugin_version: expect.stringMatching(/^v\d+\.\d+\.\d+\+builtin\./),
  running_sha256: "",
  deprecation_status: "supported",
};

describe("mounts", () => {
  it("reserved by the API family are read one by one, and cannot be deleted", async () => {
    const known = authority();
    for (const [path, type] of [
      ["sys", "system"],
      ["identity", "identity"],
      ["cubbyhole", "cubbyhole"],
    ] as const) {
      const { data } = await known.call("GET", `sys/mounts/${path}`);
      expect(data).toMatchObject({ type, accessor: `${type}_builtin` });
      expect(await status(known, "DELETE", `sys/mounts/${path}`)).toEqual([
        400,
        `cannot unmount "${path}/"`,
      ]);
    }
  });
  it("are initially pki and those reserved by the API family, also at the top level of the reply", async () => {
    const { call } = authority();
    const { status: code, json, data } = await call("GET", "sys/mounts");
    expect(code).toBe(200);
    expect(data).toEqual({
      "pki/": {
        ...info,
        config: { default_lease_ttl: 0, max_lease_ttl: 87_600 * 3600, force_no_cache: false },
      },
      ...Object.fromEntries(
        Object.entries({
          "sys/": "system",
          "identity/": "identity",
          "cubbyhole/": "cubbyhole",
        }).map(([path, type]) => [
          path,
          {
            ...info,
            type,
            accessor: `${type}_builtin`,
            uuid: expect.any(String),
            config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
          },
        ]),
      ),
    });
    expect(new Set(Object.values(data).map((mount) => (mount as { uuid: string }).uuid)).size).toBe(
      4,
    );
    expect(json).toMatchObject(data);
  });
  it("reserved by the API family cannot be created", async () => {
    const made = authority();
    for (const path of ["identity", "cubbyhole"])
      expect(await status(made, "POST", `sys/mounts/${path}`, { type: "pki" })).toEqual([
        400,
        `path is already in use at ${path}/`,
      ]);
  });
  it("are read one by one, with or without a trailing slash in the path", async () => {
    const { call } = authority();
    for (const path of ["sys/mounts/pki", "sys/mounts/pki/"]) {
      const { json, data } = await call("GET", path);
      expect(data).toMatchObject(info);
      expect(json).toMatchObject({ type: "pki", uuid: data["uuid"] });
    }
  });
  it("that do not exist are rejected with the texts that clients match", async () => {
    const made = authority();
    expect(await status(made, "GET", "sys/mounts/none")).toEqual([
      400,
      "No secret engine mount at none/",
    ]);
    expect(await status(made, "GET", "sys/mounts/none/deep/")).toEqual([
      400,
      "No secret engine mount at none/deep/",
    ]);
    expect(await status(made, "GET", "sys/mounts/none/tune")).toEqual([
      400,
      'cannot fetch sysview for path "none/"',
    ]);
    expect(await status(made, "POST", "sys/mounts/none/tune", {})).toEqual([
      400,
      'cannot fetch sysview for path "none/"',
    ]);
    expect(await status(made, "DELETE", "sys/mounts/none")).toEqual([204]);
    expect(await status(made, "GET", "none/roles/a")).toEqual([
      404,
      'no handler for route "none/roles/a". route entry not found.',
    ]);
  });
});

describe("creating a mount", () => {
  it("accepts null for fields that Go and Python clients do not set", async () => {
    const made = authority();
    const unset = {
      description: null,
      options: null,
      config: { default_lease_ttl: null, listing_visibility: null, allowed_response_headers: null },
    };
    expect(await status(made, "POST", "sys/mounts/nulls", { type: "pki", ...unset })).toEqual([
      204,
    ]);
    expect(
      await status(made, "POST", "sys/mounts/nulls2", {
        type: "pki",
        config: null,
        plugin_name: null,
      }),
    ).toEqual([204]);
    expect((await made.call("GET", "sys/mounts/nulls")).data).toMatchObject({
      ...info,
      options: null,
    });
    expect(
      await status(made, "POST", "sys/mounts/nulls/tune", {
        ...unset,
        ...unset.config,
        config: null,
      }),
    ).toEqual([204]);
  });
  it("stores the sent settings, also in the text form of clients", async () => {
    const made = authority();
    const body = {
      type: "pki",
      description: "for the team",
      local: "true",
      seal_wrap: 1,
      external_entropy_access: "f",
      options: { version: 2, on: true },
      config: {
        default_lease_ttl: "24h",
        max_lease_ttl: 172_800,
        listing_visibility: "unauth",
        passthrough_request_headers: "A, B",
        allowed_response_headers: ["C"],
        audit_non_hmac_request_keys: [],
      },
    };
    expect(await status(made, "POST", "sys/mounts/team/a", body)).toEqual([204]);
    expect((await made.call("GET", "sys/mounts/team/a")).data).toMatchObject({
      ...info,
      description: "for the team",
      local: true,
      seal_wrap: true,
      options: { version: "2", on: "1" },
      config: {
        default_lease_ttl: 86_400,
        max_lease_ttl: 172_800,
        force_no_cache: false,
        listing_visibility: "unauth",
        passthrough_request_headers: ["A", "B"],
        allowed_response_headers: ["C"],
      },
    });
    expect(await status(made, "POST", "team/a/roles/x", { key_type: "ec" })).toEqual([200]);
    expect(await status(made, "GET", "team/roles/x")).toEqual([
      404,
      'no handler for route "team/roles/x". route entry not found.',
    ]);
  });
  it("omits settings that are empty", async () => {
    const made = authority();
    await status(made, "POST", "sys/mounts/a", {
      type: "pki",
      config: {
        listing_visibility: "",
        passthrough_request_headers: "",
        allowed_response_headers: null,
      },
    });
    expect((await made.call("GET", "sys/mounts/a")).data["config"]).toEqual({
      default_lease_ttl: 0,
      max_lease_ttl: 0,
      force_no_cache: false,
    });
  });
  it("is rejected with the texts that clients match if a setting is invalid", async () => {
    const made = authority();
    const refusals: readonly (readonly [body: object, text: string])[] = [
      [{}, "backend type must be specified as a string"],
      [{ type: "" }, "backend type must be specified as a string"],
      [{ type: "kv" }, "plugin not found in the catalog: kv"],
      [
        { type: "pki", config: { default_lease_ttl: "2h", max_lease_ttl: "1h" } },
        "given default lease TTL greater than given max lease TTL",
      ],
      [
        { type: "pki", config: { default_lease_ttl: "800h" } },
        "given default lease TTL greater than system max lease TTL of 2764800",
      ],
      [
        { type: "pki", config: { listing_visibility: "maybe" } },
        "invalid listing_visibility maybe; use unauth, hidden or an empty string",
      ],
      [
        { type: "pki", config: { max_lease_ttl: -1 } },
        "Field validation failed: error converting input for field \"max_lease_ttl\": cannot provide negative value '-1'",
      ],
      [
        { type: "pki", config: { max_lease_ttl: {} } },
        'Field validation failed: error converting input for field "max_lease_ttl": expected a duration: a number of seconds, or a string such as 72h',
      ],
      [
        { type: "pki", config: { listing_visibility: { toString: 1 } } },
        "Field validation failed: error converting input for field \"listing_visibility\": expected type 'string', got unconvertible type 'object'",
      ],
      [
        { type: "pki", options: { a: { toString: 1 } } },
        "Field validation failed: error converting input for field \"a\": expected type 'string', got unconvertible type 'object'",
      ],
      [
        { type: "pki", config: "x" },
        'Field validation failed: error converting input for field "config": expected a map',
      ],
    ];
    for (const [body, text] of refusals)
      expect(await status(made, "POST", "sys/mounts/a", body)).toEqual([400, text]);
    expect((await made.call("GET", "sys/mounts/a")).status).toBe(400);
  });
  it("is rejected at a path that is in use, nested or reserved; paths are case-sensitive", async () => {
    const made = authority();
    expect(await status(made, "POST", "sys/mounts/team/a", { type: "pki" })).toEqual([204]);
    for (const [path, at] of [
      ["team/a", "team/a"],
      ["team", "team/a"],
      ["team/a/b", "team/a"],
      ["sys", "sys"],
      ["sys/x", "sys/x"],
      ["auth/pki", "auth/pki"],
    ]) {
      expect(await status(made, "POST", `sys/mounts/${path}`, { type: "pki" })).toEqual([
        400,
        `path is already in use at ${at}/`,
      ]);
    }
    for (const path of ["team/aa", "Team/a"])
      expect(await status(made, "POST", `sys/mounts/${path}`, { type: "pki" })).toEqual([204]);
    for (const path of ["a%20b", "caf%C3%A9", "a:b"])
      expect((await made.call("POST", `sys/mounts/${path}`, { type: "pki" })).status).toBe(404);
  });
  it("replaces the first mount while it is unused, with the default lifetimes", async () => {
    const made = authority();
    expect(await status(made, "POST", "sys/mounts/pki", { type: "pki" })).toEqual([204]);
    expect((await made.call("GET", "sys/mounts/pki/tune")).data).toMatchObject({
      max_lease_ttl: 768 * 3600,
    });
    expect(await status(made, "POST", "sys/mounts/pki", { type: "pki" })).toEqual([
      400,
      "path is already in use at pki/",
    ]);
    const other = authority();
    await other.role("a");
    expect(await status(other, "POST", "sys/mounts/pki", { type: "pki" })).toEqual([
      400,
      "path is already in use at pki/",
    ]);
  });
  it("at the path of a deleted mount results in an empty mount", async () => {
    const made = authority();
    await made.root();
    expect(await status(made, "DELETE", "sys/mounts/pki/")).toEqual([204]);
    expect(await status(made, "GET", "pki/issuers?list=true")).toEqual([
      404,
      'no handler for route "pki/issuers". route entry not found.',
    ]);
    expect(Object.keys((await made.call("GET", "sys/mounts")).data).sort()).toEqual([
      "cubbyhole/",
      "identity/",
      "sys/",
    ]);
    expect(await status(made, "POST", "sys/mounts/pki", { type: "pki" })).toEqual([204]);
    expect(await status(made, "GET", "pki/issuers?list=true")).toEqual([404]);
  });
  it("succeeds for one of ten concurrent requests at one path", async () => {
    const made = authority();
    const codes = await Promise.all(
      Array.from(
        { length: 10 },
        async () => (await made.call("POST", "sys/mounts/race", { type: "pki" })).status,
      ),
    );
    expect(codes.sort()).toEqual([204, ...Array.from({ length: 9 }, () => 400)]);
  });
});

describe("the typed client", () => {
  it("creates, reads, tunes and deletes a mount", async () => {
    const { sys } = authority();
    await sys.createMount({ path: "a/b", type: "pki" });
    await sys.writeTune({ path: "a/b", max_lease_ttl: "2h" });
    expect(await sys.readTune({ path: "a/b" })).toMatchObject({
      max_lease_ttl: 7200,
      default_lease_ttl: 7200,
      force_no_cache: false,
    });
    expect(await sys.readMount({ path: "a/b" })).toMatchObject(info);
    await sys.deleteMount({ path: "a/b" });
    expect(await refusal(sys.readMount({ path: "a/b" }))).toEqual([
      400,
      "No secret engine mount at a/b/",
    ]);
  });
});

describe("tuning a mount", () => {
  it("reads the effective lifetimes, also at the top level of the reply", async () => {
    const { call } = authority();
    const { json, data } = await call("GET", "sys/mounts/pki/tune");
    expect(data).toEqual({
      description: "",
      default_lease_ttl: 768 * 3600,
      max_lease_ttl: 87_600 * 3600,
      force_no_cache: false,
    });
    expect(json).toMatchObject(data);
  });
  it("changes only the sent fields, and an empty list unsets a field", async () => {
    const made = authority();
    const tune = (body: object) => status(made, "POST", "sys/mounts/pki/tune", body);
    const read = async () => (await made.call("GET", "sys/mounts/pki/tune")).data;
    expect(await tune({ max_lease_ttl: "100h", description: "d", options: { a: 1 } })).toEqual([
      204,
    ]);
    expect(
      await tune({
        default_lease_ttl: 7200,
        allowed_response_headers: "A,B",
        passthrough_request_headers: ["C"],
        audit_non_hmac_response_keys: ["k"],
        listing_visibility: "hidden",
      }),
    ).toEqual([204]);
    expect(await read()).toEqual({
      description: "d",
      default_lease_ttl: 7200,
      max_lease_ttl: 360_000,
      force_no_cache: false,
      options: { a: "1" },
      allowed_response_headers: ["A", "B"],
      passthrough_request_headers: ["C"],
      audit_non_hmac_response_keys: ["k"],
      listing_visibility: "hidden",
    });
    expect(
      await tune({
        default_lease_ttl: 0,
        max_lease_ttl: "system",
        allowed_response_headers: [],
        passthrough_request_headers: "",
        audit_non_hmac_response_keys: [],
        listing_visibility: "",
        description: "",
      }),
    ).toEqual([204]);
    expect(await read()).toEqual({
      description: "",
      default_lease_ttl: 768 * 3600,
      max_lease_ttl: 768 * 3600,
      force_no_cache: false,
      options: { a: "1" },
    });
    expect(await tune({ token_type: "default-service", force_no_cache: false })).toEqual([204]);
  });
  it("rejects invalid settings and changes nothing", async () => {
    const made = authority();
    const before = (await made.call("GET", "sys/mounts/pki/tune")).text;
    for (const body of [
      { default_lease_ttl: "90000h" },
      { max_lease_ttl: "soon" },
      { description: "x", listing_visibility: "public" },
      { description: "x", options: "a" },
    ]) {
      expect((await made.call("POST", "sys/mounts/pki/tune", body)).status).toBe(400);
    }
    expect((await made.call("GET", "sys/mounts/pki/tune")).data).toEqual(
      (JSON.parse(before) as { data: unknown }).data,
    );
  });
  it("limits later certificates", async () => {
    const { call, sys, root, role, pki, clock } = authority();
    await root();
    await role("web");
    await sys.writeTune({ path: "pki", max_lease_ttl: "2h", default_lease_ttl: "1h" });
    expect(await pki.issue({ role: "web", common_name: "a.example" })).toMatchObject({
      expiration: clock.now / 1000 + 3600,
    });
    expect(
      (await call("POST", "pki/issue/web", { common_name: "a.example", ttl: "3h" })).status,
    ).toBe(400);
  });
});

describe("unknown fields of `config`", () => {
  const told = (names: string) =>
    `Endpoint ignored these unrecognized members of config: [${names}]`;
  it("cause a warning, and the mount is created without them", async () => {
    const { call, sys } = authority();
    const config = { max_lease_tt: "1h", default_lease_ttl: "30m", user_lockout_config: {} };
    const body = { type: "pki", config };
    const { status: code, json } = await call("POST", "sys/mounts/a", body, { compat: true });
    expect([code, json["warnings"]]).toEqual([200, [told("max_lease_tt user_lockout_config")]]);
    expect(await sys.readMount({ path: "a" })).toMatchObject({
      config: { default_lease_ttl: 1800, max_lease_ttl: 0 },
    });
    const login = { type: "userpass", config: { max_lease_tt: "1h" } };
    expect((await call("POST", "sys/auth/c", login, { compat: true })).json["warnings"]).toEqual([
      told("max_lease_tt"),
    ]);
    // as in an untyped program
    const misspelt = { max_lease_tt: "1h" } as object;
    const refused = { code: "unknown_field" };
    await expect(
      sys.createMount({ path: "b", type: "pki", config: misspelt }),
    ).rejects.toMatchObject(refused);
    await expect(
      sys.enableMethod({ path: "d", type: "userpass", config: misspelt }),
    ).rejects.toMatchObject(refused);
  });
  it("are ignored if clients send them to every server", async () => {
    const { call } = authority();
    const config = { force_no_cache: false, plugin_version: "", options: null, plugin_name: "pki" };
    for (const [path, more] of [
      ["sys/mounts/a", { type: "pki" }],
      ["sys/auth/b", { type: "userpass" }],
    ] as const)
      expect((await call("POST", path, { ...more, config })).status).toBe(204);
    const typed = { config: { token_type: "batch" } };
    expect((await call("POST", "sys/auth/c", { type: "userpass", ...typed })).status).toBe(204);
    const mount = { type: "pki", ...typed };
    expect((await call("POST", "sys/mounts/d", mount, { compat: true })).status).toBe(200);
  });
});
