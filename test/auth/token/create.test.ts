import { describe, expect, it } from "vitest";
import { authOf, tokenWorld } from "./world.ts";

const denied = "1 error occurred:\n\t* permission denied\n\n";
const hour = 3600;

describe("auth/token/create (createToken)", () => {
  it("returns the token in auth, with data null", async () => {
    const { post } = tokenWorld();
    const answer = await post("auth/token/create", {
      policies: ["Web", "web"],
      meta: { team: "web" },
      display_name: "build agent_7",
      ttl: "1h",
    });
    expect([answer.status, answer.json["data"], answer.json["warnings"]]).toEqual([
      200,
      null,
      null,
    ]);
    expect(authOf(answer)).toEqual({
      client_token: expect.stringMatching(/^s\.[0-9A-Za-z]{32}$/),
      accessor: expect.stringMatching(/^[0-9A-Za-z]{24}$/),
      policies: ["default", "web"],
      token_policies: ["default", "web"],
      metadata: { team: "web" },
      lease_duration: hour,
      renewable: true,
      entity_id: "",
      token_type: "service",
      orphan: false,
      mfa_requirement: null,
      num_uses: 0,
    });
  });
  it("creates a token that lookup-self (lookupSelf), lookup (lookupToken) and lookup-accessor (lookupAccessor) return", async () => {
    const { create, self, post, clock } = tokenWorld();
    const auth = await create({ policies: ["web"], ttl: "1h", display_name: "ci" });
    clock.advance(600);
    const told = {
      id: auth.client_token,
      accessor: auth.accessor,
      display_name: "token-ci",
      policies: ["default", "web"],
      path: "auth/token/create",
      meta: null,
      entity_id: "",
      type: "service",
      ttl: 3000,
      creation_ttl: hour,
      creation_time: Date.UTC(2030, 0, 2, 3, 4, 5) / 1000,
      explicit_max_ttl: 0,
      issue_time: "2030-01-02T03:04:05Z",
      expire_time: "2030-01-02T04:04:05Z",
      num_uses: 0,
      orphan: false,
      renewable: true,
    };
    expect((await self(auth.client_token)).data).toEqual(told);
    expect((await post("auth/token/lookup", { token: auth.client_token })).data).toEqual(told);
    const { accessor } = auth;
    expect((await post("auth/token/lookup-accessor", { accessor })).data).toEqual({
      ...told,
      id: "",
    });
    expect((await post("auth/token/lookup", { token: "s.none" })).errors).toEqual(["bad token"]);
    const unknown = await post("auth/token/lookup-accessor", { accessor: "x".repeat(24) });
    expect([unknown.status, unknown.errors]).toEqual([400, ["invalid accessor"]]);
  });
  it("rejects policies that the role does not allow, and a non-expiring root token from an expiring one", async () => {
    const { create, post } = tokenWorld();
    const { client_token: parent } = await create({ policies: ["root"], ttl: "1h" });
    expect((await create({ ttl: "1m" }, parent)).policies).toEqual(["root"]);
    const role = { allowed_policies: ["web"], orphan: true };
    await post("auth/token/roles/web", role);
    expect((await create({ policies: ["web"] }, "root", "create/web")).policies).toEqual([
      "default",
      "web",
    ]);
    const other = await post("auth/token/create/web", { policies: ["db"] });
    expect([other.status, other.errors]).toEqual([
      400,
      [
        'token policies (["db" "default"]) must be subset of the role\'s allowed policies (["default" "web"]) or glob policies ([])',
      ],
    ]);
    const root = await post("auth/token/create", { policies: ["root"] }, parent);
    expect([root.status, root.errors]).toEqual([
      400,
      ["expiring root tokens cannot create non-expiring root tokens"],
    ]);
  });
  it("limits lifetimes to the tuning of auth/token", async () => {
    const { create, post } = tokenWorld();
    await post("sys/auth/token/tune", { default_lease_ttl: "10m", max_lease_ttl: "1h" });
    expect((await create({ policies: ["web"] })).lease_duration).toBe(600);
    const { client_token: token, lease_duration } = await create({ policies: ["web"], ttl: "5h" });
    expect(lease_duration).toBe(hour);
    const renewed = await post("auth/token/renew", { token, increment: "5h" });
    expect(authOf(renewed).lease_duration).toBe(hour);
    const typed = await post("sys/auth/token/tune", { token_type: "batch" });
    expect([typed.status, typed.errors]).toEqual([
      400,
      ["'token_type' cannot be set for 'token' or 'ns_token' auth mounts"],
    ]);
  });
  it("accepts an entity_alias that the role allows, and creates the token for its entity", async () => {
    const { create, post, call, self } = tokenWorld();
    const sent = { entity_alias: "build-7" };
    const alone = await post("auth/token/create", sent);
    expect([alone.status, alone.errors]).toEqual([
      400,
      ["'entity_alias' is only allowed in combination with token role"],
    ]);
    await post("auth/token/roles/ci", { allowed_entity_aliases: ["build-*", "deploy"] });
    const other = await post("auth/token/create/ci", { entity_alias: "admin" });
    expect([other.status, other.errors]).toEqual([400, ["invalid 'entity_alias' value"]]);
    expect((await call("LIST", "identity/entity/id", undefined, { token: "root" })).status).toBe(
      404,
    );
    const [one, two] = [
      await create(sent, "root", "create/ci"),
      await create(sent, "root", "create/ci"),
    ];
    const id = one["entity_id"] as string;
    expect([id, two["entity_id"]]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), id]);
    await post(`identity/entity/id/${id}`, { policies: ["team"] });
    const three = await create({ ...sent, type: "batch", policies: ["web"] }, "root", "create/ci");
    expect(three).toMatchObject({
      entity_id: id,
      identity_policies: ["team"],
      policies: ["default", "team", "web"],
    });
    expect((await self(two.client_token)).data).toMatchObject({ entity_id: id });
    await post(`identity/entity/id/${id}`, { disabled: true });
    const disabled = await post("auth/token/create/ci", sent);
    expect([disabled.status, disabled.errors]).toEqual([403, [denied]]);
  });
  it("creates the token for the caller's entity, and returns the policies of the entity", async () => {
    const { create, post } = tokenWorld();
    await post("auth/token/roles/ci", { allowed_entity_aliases: ["x"] });
    const parent = await create(
      { entity_alias: "x", policies: ["root"], ttl: "1h" },
      "root",
      "create/ci",
    );
    await post(`identity/entity/id/${String(parent["entity_id"])}`, { policies: ["team"] });
    expect(await create({ policies: ["web"] }, parent.client_token)).toMatchObject({
      entity_id: parent["entity_id"],
      identity_policies: ["team"],
    });
  });
  it("accepts metadata in the form that command-line clients send", async () => {
    const { create } = tokenWorld();
    const { metadata } = await create({ policies: ["web"], meta: ["team=web", "note=a=b,c"] });
    expect(metadata).toEqual({ team: "web", note: "a=b,c" });
  });
  it("returns the known error text for each invalid request", async () => {
    const { create, post } = tokenWorld();
    const few = await create({ policies: ["root"], ttl: "1h", num_uses: 2 });
    const batch = await create({ policies: ["web"], type: "batch" });
    const refusals: readonly (readonly [body: unknown, token: string, text: string])[] = [
      [{}, few.client_token, "restricted use token cannot generate child tokens"],
      [{ num_uses: -1 }, "root", "number of uses cannot be negative"],
      [{ type: "other" }, "root", "invalid 'type': use service or batch"],
      [
        { type: "batch", num_uses: 1, policies: ["a"] },
        "root",
        'batch tokens cannot have "num_uses" set',
      ],
      [
        { type: "batch", period: "1h", policies: ["a"] },
        "root",
        'batch tokens cannot have "period" set',
      ],
      [{ type: "batch" }, "root", "batch tokens cannot be root tokens"],
      [{ policies: ["response-wrapping"] }, "root", 'cannot assign policy "response-wrapping"'],
      [{ id: "s.mine" }, "root", "custom token ID cannot have the 's.' prefix"],
      [{ id: "root" }, "root", "cannot create a token with a duplicate ID"],
      [{ meta: { a: {} } }, "root", "'meta' must be an object of strings"],
    ];
    for (const [body, token, text] of refusals) {
      const answer = await post("auth/token/create", body, token);
      expect([answer.status, answer.errors]).toEqual([400, [text]]);
    }
    // the batch token has no permission here, so it learns no details
    expect((await post("auth/token/create", {}, batch.client_token)).errors).toEqual([denied]);
  });
  it("accepts a custom token ID from root, but no duplicate", async () => {
    const { create, lives, post } = tokenWorld();
    expect((await create({ id: "my-own-token" })).client_token).toBe("my-own-token");
    expect(await lives("my-own-token")).toBe(true);
    expect((await post("auth/token/create", { id: "my-own-token" })).errors).toEqual([
      "cannot create a token with a duplicate ID",
    ]);
  });
  it("caps the TTL at the maximum with a warning, and limits renewals to the period and the explicit maximum", async () => {
    const { post, clock } = tokenWorld();
    const long = await post("auth/token/create", { policies: ["a"], ttl: "9999h" });
    expect([authOf(long).lease_duration, long.json["warnings"]]).toEqual([
      768 * hour,
      [
        'TTL of "9999h0m0s" exceeded the effective max_ttl of "768h0m0s"; TTL value is capped accordingly',
      ],
    ]);
    const periodic = authOf(
      await post("auth/token/create", {
        policies: ["root"],
        period: "10m",
        explicit_max_ttl: "25m",
      }),
    );
    expect(periodic.lease_duration).toBe(600);
    const renew = async () =>
      post("auth/token/renew-self", {}, periodic.client_token).then((answer) =>
        answer.status === 200 ? authOf(answer).lease_duration : answer.errors,
      );
    clock.advance(500);
    expect(await renew()).toBe(600);
    clock.advance(500);
    expect(await renew()).toBe(500);
    clock.advance(499);
    expect(await renew()).toBe(1);
  });
  it("creates a batch token, which is stored only in the audit log and expires", async () => {
    const { create, rows, self, post, clock, lives } = tokenWorld();
    await create();
    const stored = async () => (await rows()).filter(([key]) => !/^(?:audit|logged)\//.test(key));
    const before = await stored();
    const batch = await create({ type: "batch", policies: ["web"], ttl: "1m" });
    expect(await stored()).toEqual(before);
    expect(batch).toMatchObject({ token_type: "batch", accessor: "", renewable: false });
    expect((await self(batch.client_token)).data).toMatchObject({ type: "batch", ttl: 60 });
    for (const path of ["renew", "revoke"])
      expect((await post(`auth/token/${path}`, { token: batch.client_token })).errors).toEqual([
        `batch tokens cannot be ${path}${path === "revoke" ? "d" : "ed"}`,
      ]);
    clock.advance(60);
    expect(await lives(batch.client_token)).toBe(false);
  });
});

describe("auth/token/renew (renewToken), renew-self (renewSelf), renew-accessor (renewAccessor)", () => {
  it("set the original TTL again, or the requested one, up to the maximum", async () => {
    const { create, post, clock, self } = tokenWorld();
    const { client_token: token, accessor } = await create({ policies: ["root"], ttl: "1h" });
    clock.advance(600);
    const own = await post("auth/token/renew-self", {}, token);
    expect(authOf(own)).toMatchObject({ client_token: token, lease_duration: hour });
    const other = await post("auth/token/renew", { token, increment: "2h" });
    expect(authOf(other)).toMatchObject({ client_token: token, lease_duration: 2 * hour });
    const named = await post("auth/token/renew-accessor", { accessor, increment: "9999h" });
    expect(authOf(named)).toMatchObject({ client_token: "", lease_duration: 768 * hour - 600 });
    expect(named.json["warnings"]).toEqual([
      'TTL of "9999h0m0s" exceeded the effective max_ttl of "768h0m0s"; TTL value is capped accordingly',
    ]);
    expect((await self(token)).data).toMatchObject({
      last_renewal: "2030-01-02T03:14:05Z",
      creation_ttl: hour,
    });
  });
  it("return the caller's token if wrapped, regardless of who unwraps the reply", async () => {
    const { create, post } = tokenWorld();
    const { client_token: token } = await create({ policies: ["root"], ttl: "1h" });
    const header = { "x-vault-wrap-ttl": "60" };
    const wrapped = await post("auth/token/renew-self", {}, token, { header });
    const info = wrapped.json["wrap_info"] as { token: string };
    const unwrapped = await post("sys/wrapping/unwrap", { token: info.token });
    expect(authOf(unwrapped)).toMatchObject({ client_token: token, lease_duration: hour });
  });
  it("reject a token that is not renewable or does not exist", async () => {
    const { create, post } = tokenWorld();
    const fixed = await create({ policies: ["root"], ttl: "1h", renewable: false });
    for (const [path, body, token] of [
      ["renew-self", {}, "root"],
      ["renew-self", {}, fixed.client_token],
      ["renew", { token: fixed.client_token }, "root"],
    ] as const) {
      const answer = await post(`auth/token/${path}`, body, token);
      expect([answer.status, answer.errors]).toEqual([400, ["lease is not renewable"]]);
    }
    expect((await post("auth/token/renew", { token: "s.none" })).errors).toEqual([
      "token not found",
    ]);
    expect((await post("auth/token/renew-accessor", { accessor: "none" })).errors).toEqual([
      "invalid accessor",
    ]);
    expect((await post("auth/token/renew")).errors).toEqual(["missing token ID"]);
  });
});

describe("auth/token/roles (listTokenRoles, readTokenRole, writeTokenRole, deleteTokenRole)", () => {
  it("are written, listed and deleted, and apply to tokens created with them (createRoleToken)", async () => {
    const { post, call, create, self } = tokenWorld();
    expect((await call("LIST", "auth/token/roles", undefined, { token: "root" })).status).toBe(404);
    await post("auth/token/roles/ci", {
      allowed_policies: "web,db",
      orphan: true,
      path_suffix: "v2",
      token_period: "1h",
      token_num_uses: 5,
      renewable: false,
      token_bound_cidrs: "192.0.2.0/24,198.51.100.7",
    });
    const read = await call("GET", "auth/token/roles/ci", undefined, { token: "root" });
    expect(read.data).toMatchObject({
      name: "ci",
      allowed_policies: ["db", "web"],
      token_period: hour,
      period: hour,
      token_type: "default-service",
    });
    const made = await create({}, "root", "create/ci");
    expect(made).toMatchObject({
      policies: ["db", "default", "web"],
      renewable: false,
      num_uses: 5,
      lease_duration: hour,
    });
    expect((await post("auth/token/lookup", { token: made.client_token })).data).toMatchObject({
      role: "ci",
      path: "auth/token/create/ci/v2",
      period: hour,
      bound_cidrs: ["192.0.2.0/24", "198.51.100.7"],
    });
    // the call has no client address, so bound_cidrs reject it
    expect((await self(made.client_token)).status).toBe(403);
    const listed = await call("LIST", "auth/token/roles", undefined, { token: "root" });
    expect(listed.data).toEqual({ keys: ["ci"] });
    await call("DELETE", "auth/token/roles/ci", undefined, { token: "root" });
    const gone = await post("auth/token/create/ci", {});
    expect([gone.status, gone.errors]).toEqual([400, ["unknown role ci"]]);
    expect((await call("GET", "auth/token/roles/ci", undefined, { token: "root" })).status).toBe(
      404,
    );
  });
  it("of type `default-batch` may have settings that batch tokens cannot have; then only requests for `service` succeed", async () => {
    const { post, create } = tokenWorld();
    for (const [limit, bad] of [
      [{ token_period: "1h" }, "period"],
      [{ token_explicit_max_ttl: "1h" }, "explicit_max_ttl"],
      [{ token_num_uses: 5 }, "num_uses"],
    ] as const) {
      const role = { token_type: "default-batch", ...limit };
      expect((await post(`auth/token/roles/${bad}`, role)).errors).toEqual([]);
      const made = await create({ type: "service" }, "root", `create/${bad}`);
      expect(made).toMatchObject({ token_type: "service" });
      const refused = await post(`auth/token/create/${bad}`, {});
      expect(refused.errors).toEqual([`batch tokens cannot have "${bad}" set`]);
    }
    await post("auth/token/roles/child", { token_type: "default-batch" });
    expect(await create({ policies: "web" }, "root", "create/child")).toMatchObject({
      token_type: "batch",
    });
  });
  it("return their policies and patterns in lower case, deduplicated and sorted", async () => {
    const { post, call } = tokenWorld();
    const lists = [
      "allowed_policies",
      "allowed_policies_glob",
      "disallowed_policies",
      "disallowed_policies_glob",
    ];
    const sent = Object.fromEntries(lists.map((name) => [name, ["test", "Dev", "test"]]));
    expect((await post("auth/token/roles/ci", sent)).errors).toEqual([]);
    const read = await call("GET", "auth/token/roles/ci", undefined, { token: "root" });
    expect(read.data).toMatchObject(
      Object.fromEntries(lists.map((name) => [name, ["dev", "test"]])),
    );
  });
  it("reject each policy in disallowed_policies, including root", async () => {
    const { post } = tokenWorld();
    await post("auth/token/roles/ci", { disallowed_policies: ["root", "web"] });
    for (const name of ["web", "root"]) {
      const { status, errors } = await post("auth/token/create/ci", { policies: [name] });
      expect([status, errors]).toEqual([
        400,
        [`token policy "${name}" is disallowed by this role`],
      ]);
    }
    expect((await post("auth/token/create/ci", { policies: ["db"] })).status).toBe(200);
  });
  it("treat an empty token_type, which typed clients send, as the default", async () => {
    const { post, call } = tokenWorld();
    await post("auth/token/roles/ci", { token_type: "batch", orphan: true });
    expect((await post("auth/token/roles/ci", { token_type: "" })).errors).toEqual([]);
    const read = await call("GET", "auth/token/roles/ci", undefined, { token: "root" });
    expect(read.data).toMatchObject({ token_type: "default-service" });
  });
  it("are rejected and not stored if their settings are invalid", async () => {
    const { post, rows } = tokenWorld();
    await post("auth/token/create");
    const before = (await rows()).length;
    for (const [body, text] of [
      [{ token_type: "batch" }, "'token_type' cannot be 'batch' unless 'orphan' is true"],
      [
        { token_type: "x" },
        "invalid 'token_type': use one of default-service, default-batch, service, batch",
      ],
      [{ token_num_uses: -1 }, "'token_num_uses' cannot be negative"],
      [
        { path_suffix: "../x" },
        "'path_suffix' must consist of at most 128 letters, digits, '_', '.' or '-'",
      ],
      [
        { token_bound_cidrs: "home" },
        "'token_bound_cidrs': \"home\" is not a range such as 192.0.2.0/24",
      ],
    ] as const) {
      const answer = await post("auth/token/roles/odd", body);
      expect([answer.status, answer.errors]).toEqual([400, [text]]);
    }
    expect((await rows()).length).toBe(before);
  });
});
