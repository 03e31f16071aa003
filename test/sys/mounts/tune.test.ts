import { describe, expect, it } from "vitest";
import { authority, type Authority } from "../../support/authority.ts";

const tune = (a: Authority, body: object, path = "pki") =>
  a.call("POST", `sys/mounts/${path}/tune`, body);
const read = async (a: Authority, path = "pki") =>
  (await a.call("GET", `sys/mounts/${path}/tune`)).data;

describe("the settings of a mount", () => {
  it("are stored and returned, with lists as arrays or text, and are unset by empty values", async () => {
    const a = authority();
    const plain = await read(a);
    const lists = [
      "passthrough_request_headers",
      "allowed_response_headers",
      "audit_non_hmac_request_keys",
      "audit_non_hmac_response_keys",
      "allowed_managed_keys",
      "delegated_auth_accessors",
    ];
    for (const name of lists) {
      expect((await tune(a, { [name]: "a, b" })).status).toBe(204);
      expect(await read(a)).toEqual({ ...plain, [name]: ["a", "b"] });
      expect((await a.call("GET", "sys/mounts/pki")).data["config"]).toMatchObject({
        [name]: ["a", "b"],
      });
      for (const empty of [[], ""]) {
        await tune(a, { [name]: ["c"] });
        await tune(a, { [name]: empty });
        expect(await read(a)).toEqual(plain);
      }
    }
    await tune(a, { trim_request_trailing_slashes: "true", identity_token_key: "k" });
    expect(await read(a)).toEqual({
      ...plain,
      trim_request_trailing_slashes: true,
      identity_token_key: "k",
    });
    await tune(a, { trim_request_trailing_slashes: false, identity_token_key: "" });
    expect(await read(a)).toEqual(plain);
    for (const reset of [0, "0", "system"]) {
      await tune(a, { default_lease_ttl: "1h", max_lease_ttl: 7200 });
      expect(await read(a)).toMatchObject({ default_lease_ttl: 3600, max_lease_ttl: 7200 });
      await tune(a, { default_lease_ttl: reset, max_lease_ttl: reset });
      expect(await read(a)).toMatchObject({ default_lease_ttl: 2764800, max_lease_ttl: 2764800 });
    }
  });

  it.each([
    ["pki", "sys/mounts/pki"],
    ["userpass", "sys/auth/up"],
    ["userpass", "sys/mounts/auth/up"],
    ["token", "sys/auth/token"],
  ])("of %s at %s/tune stay unchanged if a typed client sends zero values", async (type, path) => {
    const a = authority();
    if (type === "userpass") await a.call("POST", "sys/auth/up", { type });
    const given = {
      description: "first",
      default_lease_ttl: "1h",
      max_lease_ttl: "24h",
      options: { version: "1" },
      listing_visibility: "unauth",
    };
    expect((await a.call("POST", `${path}/tune`, given)).status).toBe(204);
    const before = (await a.call("GET", `${path}/tune`)).data;
    expect(before).toMatchObject({ default_lease_ttl: 3600, max_lease_ttl: 86400 });
    const zero = { default_lease_ttl: "", max_lease_ttl: "", force_no_cache: false };
    for (const options of [null, {}]) {
      const { status } = await a.call("POST", `${path}/tune`, { ...zero, options });
      expect([options, status]).toEqual([options, 204]);
      expect((await a.call("GET", `${path}/tune`)).data).toEqual(before);
    }
    const change = { ...zero, description: "second", max_lease_ttl: "48h", token_type: "" };
    expect((await a.call("PUT", `${path}/tune`, change)).status).toBe(204);
    expect((await a.call("GET", `${path}/tune`)).data).toEqual({
      ...before,
      description: "second",
      max_lease_ttl: 172800,
    });
  });

  it("of a new mount may be the empty ones of a typed client, which select the system lifetimes", async () => {
    const a = authority();
    const config = { default_lease_ttl: "", max_lease_ttl: "", force_no_cache: false };
    for (const [path, type] of [
      ["mounts/x", "pki"],
      ["auth/x", "userpass"],
    ]) {
      const { status, json } = await a.call("POST", `sys/${path}`, { type, config, options: null });
      expect([path, status, json]).toEqual([path, 204, {}]);
      expect((await a.call("GET", `sys/${path}`)).data["config"]).toMatchObject({
        default_lease_ttl: 0,
        max_lease_ttl: 0,
      });
    }
  });

  it("may be set when the mount is created", async () => {
    const a = authority();
    await a.call("POST", "sys/mounts/x", {
      type: "pki",
      config: { trim_request_trailing_slashes: true, allowed_managed_keys: ["k"] },
    });
    expect(await read(a, "x")).toMatchObject({
      trim_request_trailing_slashes: true,
      allowed_managed_keys: ["k"],
    });
  });

  it("that are invalid are rejected, and nothing is stored", async () => {
    const a = authority();
    const before = await read(a);
    for (const [body, text] of [
      [
        { trim_request_trailing_slashes: "perhaps" },
        expect.stringContaining("trim_request_trailing_slashes"),
      ],
      [{ listing_visibility: "all" }, expect.stringContaining("invalid listing_visibility all")],
      [
        { default_lease_ttl: "2h", max_lease_ttl: "1h" },
        "given default lease TTL greater than given max lease TTL",
      ],
    ] as const) {
      const { status, errors } = await tune(a, body);
      expect([body, status, errors]).toEqual([body, 400, [text]]);
    }
    expect(await read(a)).toEqual(before);
    // clients send it for every mount; it only affects login methods
    expect((await tune(a, { token_type: "batch" })).status).toBe(204);
    expect(await read(a)).toEqual(before);
    expect((await tune(a, {}, "none")).errors).toEqual(['cannot fetch sysview for path "none/"']);
  });

  it("determine whether a write to a path with a trailing slash applies to the path without it", async () => {
    const judged: string[] = [];
    const a = authority({
      authenticate: async () => ({
        id: "one",
        can: (capability, path) => (judged.push(`${capability} ${path}`), true),
      }),
    });
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    const refused = [400, ["cannot write to a path ending in '/'"]];
    const role = { key_type: "ec" };
    const write = async (at: Authority, method = "POST") => {
      const { status, errors } = await at.call(method, "pki/roles/web/", role);
      return [status, errors];
    };
    for (const method of ["POST", "PUT"]) expect(await write(a, method)).toEqual(refused);
    expect(await write(b)).toEqual(refused);
    await tune(a, { trim_request_trailing_slashes: true });
    judged.length = 0;
    expect((await write(a))[0]).toBe(200);
    expect(judged).toEqual(["update pki/roles/web"]);
    expect((await a.call("GET", "pki/roles/web")).status).toBe(200);
    // the setting applies to this mount only
    for (const path of ["sys/mounts/pki/tune/", "none/x/", "auth/token/lookup-self/"]) {
      const { status, errors } = await a.call("POST", path, {});
      expect([path, status, errors]).toEqual([path, ...refused]);
    }
    expect((await a.call("POST", "pki/roles/web//", role)).status).toBe(400);
    a.clock.advance(1);
    expect((await write(b))[0]).toBe(200);
  });

  it("of a login method include those of a mount, and the type of its tokens", async () => {
    const a = authority();
    await a.call("POST", "sys/auth/approle", { type: "approle" });
    const given = { token_type: "batch", trim_request_trailing_slashes: true };
    expect((await a.call("POST", "sys/auth/approle/tune", given)).status).toBe(204);
    expect((await a.call("GET", "sys/auth/approle/tune")).data).toMatchObject(given);
    expect((await a.call("POST", "auth/approle/role/r/", {})).status).toBe(204);
  });
});

describe("the plugin catalog", () => {
  it("returns the built-in plugins and versions", async () => {
    const a = authority();
    const { data } = await a.call("GET", "sys/plugins/catalog");
    expect(data).toMatchObject({
      auth: expect.arrayContaining(["approle"]) as string[],
      secret: ["pki"],
      database: [],
    });
    expect(data["detailed"]).toContainEqual({
      name: "pki",
      type: "secret",
      version: expect.stringMatching(/^v\d+\.\d+\.\d+/) as string,
      builtin: true,
      deprecation_status: "supported",
    });
    expect((await a.call("LIST", "sys/plugins/catalog/secret")).data["keys"]).toEqual(["pki"]);
    expect((await a.call("GET", "sys/plugins/catalog/secret/pki")).data).toMatchObject({
      name: "pki",
      builtin: true,
      args: [],
    });
    for (const path of ["secret/none", "auth/pki", "database/x"])
      expect((await a.call("GET", `sys/plugins/catalog/${path}`)).status).toBe(404);
    expect((await a.call("LIST", "sys/plugins/catalog/database")).status).toBe(404);
    expect((await a.call("LIST", "sys/plugins/catalog/other")).errors).toEqual([
      '"other" is not a supported plugin type',
    ]);
    const { keys, key_info } = (await a.call("LIST", "sys/version-history")).data;
    expect(key_info).toHaveProperty([(keys as string[])[0] ?? ""]);
    expect(a.events.map(({ endpoint }) => endpoint)).toEqual(
      expect.arrayContaining(["readCatalog", "listCatalog", "readPlugin", "versionHistory"]),
    );
  });
});
