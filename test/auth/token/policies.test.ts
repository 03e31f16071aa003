import { describe, expect, it } from "vitest";
import { tokensOf } from "../../support/tokens.ts";
import { authOf, tokenWorld, type TokenWorld } from "./world.ts";

const denied = "1 error occurred:\n\t* permission denied\n\n";
/** Creates a token with one policy of this text. */
async function holding({ post, create }: TokenWorld, policy: string): Promise<string> {
  await post("sys/policies/acl/mine", { policy });
  return (await create({ policies: ["mine"], ttl: "1h" })).client_token;
}
const update = (path: string, more = "") => `path "${path}" { capabilities = ["update"${more}] }\n`;

describe("a token with policies", () => {
  it("creates tokens with a subset of its policies; others, orphans and periodic ones require sudo", async () => {
    const world = tokenWorld();
    const { post, create } = world;
    const token = await holding(
      world,
      update("auth/token/create") + update("auth/token/create/ci"),
    );
    for (const [body, text] of [
      [{ policies: ["other"] }, "child policies must be subset of parent"],
      [{ policies: ["root"] }, "child policies must be subset of parent"],
      [{ no_parent: true }, "root or sudo privileges required to create orphan token"],
      [{ period: "1h" }, "root or sudo privileges required to create periodic token"],
      [{ id: "my-own" }, "root or sudo privileges required to specify token id"],
    ] as const) {
      const answer = await post("auth/token/create", body, token);
      expect([answer.status, answer.errors]).toEqual([400, [text]]);
    }
    expect((await create({}, token)).policies).toEqual(["default", "mine"]);
    expect((await create({ policies: ["mine"] }, token)).policies).toEqual(["default", "mine"]);
    const bare = await create({ policies: ["mine"], no_default_policy: true }, token);
    expect(bare.policies).toEqual(["mine"]);
    expect((await post("auth/token/create-orphan", {}, token)).errors).toEqual([denied]);
    // a role grants the policies it names, regardless of the caller's policies, except root
    await post("auth/token/roles/ci", { allowed_policies_glob: ["*"] });
    expect((await create({ policies: ["other"] }, token, "create/ci")).policies).toEqual([
      "default",
      "other",
    ]);
    expect((await post("auth/token/create/ci", { policies: ["root"] }, token)).errors).toEqual([
      "root tokens may not be created without parent token being root",
    ]);
  });
  it("cannot give a child the policy `default` if it does not have it itself", async () => {
    const world = tokenWorld();
    const { post, create } = world;
    await holding(world, update("auth/token/create"));
    const { client_token: token } = await create({ policies: ["mine"], no_default_policy: true });
    for (const body of [{}, { policies: ["mine"] }])
      expect([body, (await create(body, token)).policies]).toEqual([body, ["mine"]]);
    const refused = await post("auth/token/create", { policies: ["mine", "default"] }, token);
    expect(refused.errors).toEqual(["child policies must be subset of parent"]);
  });
  it("cannot look itself up if a policy denies that or none grants it, with GET or POST", async () => {
    const world = tokenWorld();
    const { post, create, self, call } = world;
    const bare = await create({ policies: ["none"], no_default_policy: true });
    await post("sys/policies/acl/mute", {
      policy: 'path "auth/token/lookup-self" { capabilities = ["deny"] }',
    });
    const mute = await create({ policies: ["mute"] });
    expect(mute.policies).toEqual(["default", "mute"]);
    for (const { client_token: token } of [bare, mute]) {
      const { status, errors } = await self(token);
      expect([status, errors]).toEqual([403, [denied]]);
      const posted = await call("POST", "auth/token/lookup-self", {}, { token });
      expect(posted.status).toBe(403);
    }
    // the token is valid: clients must not log in again
    expect((await self("s.none")).errors?.[0]).toContain("invalid token");
    const { client_token: token } = await create();
    expect((await self(token)).status).toBe(200);
  });
  it("that is an expiring root token creates no root token that outlives it", async () => {
    const world = tokenWorld();
    const { post, create, self, clock } = world;
    await post("auth/token/roles/free", { orphan: true, token_period: "768h" });
    const { client_token: first } = await create({ policies: ["root"], ttl: "1h" });
    clock.advance(1800.5);
    const made = await Promise.all(
      (
        [
          ["create", { policies: ["root"], ttl: "24h" }],
          ["create", { policies: ["root"], no_parent: true, period: "768h" }],
          ["create", { policies: ["root"], explicit_max_ttl: "768h" }],
          ["create-orphan", { policies: ["root"], period: "768h" }],
          ["create-orphan", { period: "768h" }],
          ["create/free", { policies: ["root"] }],
        ] as const
      ).map(([at, body]) => create(body, first, at)),
    );
    for (const { client_token: token, lease_duration, policies } of made) {
      expect([policies, lease_duration]).toEqual([["root"], 1800]);
      await post("auth/token/renew", { token, increment: "768h" });
      expect((await self(token)).data).toMatchObject({ explicit_max_ttl: 1800, ttl: 1800 });
      // nor do its descendants
      const next = await create({ policies: ["root"], period: "768h" }, token, "create-orphan");
      expect(next.lease_duration).toBe(1800);
    }
    const short = await create({ policies: ["root"], ttl: "1m" }, first, "create-orphan");
    expect(short.lease_duration).toBe(60);
    const plain = await create({ policies: ["web"], ttl: "2h" }, first, "create-orphan");
    expect(plain.lease_duration).toBe(7200);
    clock.advance(1799.5);
    for (const { client_token: token } of made) expect((await self(token)).status).toBe(403);
  });
  it("that is the deployment's root token creates orphans only on request", async () => {
    const { post, create, self } = tokenWorld();
    await post("auth/token/roles/free", { orphan: true });
    for (const [at, body, orphan] of [
      ["create", {}, false],
      ["create", { type: "batch" }, false],
      ["create", { no_parent: true }, true],
      ["create-orphan", {}, true],
      ["create/free", {}, true],
    ] as const) {
      const made = await create({ policies: ["web"], ...body }, "root", at);
      expect([at, body, made.orphan]).toEqual([at, body, orphan]);
      expect((await self(made.client_token)).data["orphan"]).toBe(orphan);
    }
  });
  it("with sudo creates any tokens except root tokens", async () => {
    const world = tokenWorld();
    const { post, create } = world;
    const token = await holding(world, update("auth/token/create", ', "sudo"'));
    expect((await create({ policies: ["other"], no_parent: true }, token)).orphan).toBe(true);
    expect((await post("auth/token/create", { policies: ["root"] }, token)).errors).toEqual([
      "root tokens may not be created without parent token being root",
    ]);
  });
  it("creates no tokens if it is a batch token or its uses are limited", async () => {
    const world = tokenWorld();
    const { post, create } = world;
    await holding(world, update("auth/token/create"));
    const batch = await create({ policies: ["mine"], type: "batch" });
    const few = await create({ policies: ["mine"], num_uses: 3 });
    expect((await post("auth/token/create", {}, batch.client_token)).errors).toEqual([
      "batch tokens cannot create more tokens",
    ]);
    expect((await post("auth/token/create", {}, few.client_token)).errors).toEqual([
      "restricted use token cannot generate child tokens",
    ]);
  });
  it("needs sudo for protected paths, and by default may renew and revoke itself", async () => {
    const world = tokenWorld();
    const { post, call, create } = world;
    const token = await holding(
      world,
      `${update("auth/token/revoke-orphan")}path "auth/token/accessors" { capabilities = ["list"] }`,
    );
    const other = (await create({ ttl: "1h" })).client_token;
    expect((await post("auth/token/revoke-orphan", { token: other }, token)).status).toBe(403);
    expect((await call("LIST", "auth/token/accessors", undefined, { token })).status).toBe(403);
    expect((await post("auth/token/renew-self", {}, token)).status).toBe(200);
    expect((await post("cubbyhole/x", { y: 1 }, token)).status).toBe(204);
    expect((await post("auth/token/revoke-self", {}, token)).status).toBe(204);
  });
  it("with `default` may call what clients expect (P 9.5): 200, or 404 if nothing is there", async () => {
    const { post, call, create } = tokenWorld();
    const token = (await create({ policies: ["default"] })).client_token;
    for (const path of ["sys/tools/hash", "sys/tools/hash/sha2-256", "sys/control-group/request"]) {
      const { json } = await post("sys/capabilities-self", { path }, token);
      expect([path, json["capabilities"]]).toEqual([path, ["update"]]);
      const { status } = await post(path, { input: "YQ==" }, token);
      expect([path, status]).toEqual([path, path.startsWith("sys/tools/") ? 200 : 404]);
    }
    for (const path of ["sys/tools/random", "sys/tools/random/platform/16"])
      expect([path, (await post(path, {}, token)).status]).toEqual([path, 403]);
    const authorize = "identity/oidc/provider/mine/authorize";
    expect((await call("GET", authorize, undefined, { token })).status).toBe(404);
  });
  it("loses a permission at once when its policy is changed", async () => {
    const world = tokenWorld();
    const { post, call } = world;
    const token = await holding(world, 'path "sys/mounts" { capabilities = ["read"] }');
    const mounts = async () => (await call("GET", "sys/mounts", undefined, { token })).status;
    expect(await mounts()).toBe(200);
    await post("sys/policies/acl/mine", {
      policy: 'path "sys/mounts" { capabilities = ["deny"] }',
    });
    expect(await mounts()).toBe(403);
  });
  it("is limited to the parameters and the wrapping TTLs that its policy allows", async () => {
    const world = tokenWorld();
    const { post } = world;
    const token = await holding(
      world,
      'path "auth/token/create" { capabilities = ["update"] denied_parameters = { "meta" = [] } min_wrapping_ttl = "1m" max_wrapping_ttl = "10m" }',
    );
    const asked = (body: unknown, ttl?: string) =>
      post("auth/token/create", body, token, ttl ? { header: { "x-vault-wrap-ttl": ttl } } : {});
    expect((await asked({}, "5m")).status).toBe(200);
    for (const [body, ttl] of [
      [{ meta: { a: "b" } }, "5m"],
      [{}, undefined],
      [{}, "30s"],
      [{}, "11m"],
    ] as const)
      expect((await asked(body, ttl)).errors).toEqual([denied]);
  });
});

describe("a policy rule on a parameter with an alias", () => {
  it.each([
    ['denied_parameters = { "ttl" = [] }', { lease: "2h" }, { type: "batch" }],
    ['denied_parameters = { "lease" = ["2h"] }', { ttl: 7200 }, { ttl: 3600 }],
    ['allowed_parameters = { "ttl" = ["1h"] }', { lease: "2h" }, { lease: "1h" }],
    ['allowed_parameters = { "ttl" = ["1h"] }', { ttl: "1h", lease: "2h" }, { lease: "1h" }],
    ['required_parameters = ["ttl"]', { type: "service" }, { lease: "1h" }],
  ])("applies to both names: %s", async (says, refused, taken) => {
    const world = tokenWorld();
    const token = await holding(
      world,
      `path "auth/token/create" { capabilities = ["update"] ${says} }`,
    );
    expect((await world.post("auth/token/create", refused, token)).errors).toEqual([denied]);
    expect((await world.post("auth/token/create", taken, token)).status).toBe(200);
  });
});

it("sys/policies/test checks a parameter under all its names, like the request itself", async () => {
  const { post } = tokenWorld();
  const granted = async (path: string, parameters: object, denied: string) => {
    const policy = `path "${path}" { capabilities = ["update"] denied_parameters = { "${denied}" = [] } }`;
    const { json } = await post("sys/policies/test", { policy, path, parameters });
    return (json["data"] as { readonly granted: boolean }).granted;
  };
  expect(await granted("auth/token/create", { lease: "1h" }, "ttl")).toBe(false);
  expect(await granted("auth/token/create", { lease: "1h" }, "period")).toBe(true);
  expect(await granted("pki/issue/web", { metadata: "" }, "cert_metadata")).toBe(false);
  expect(await granted("none/issue/web", { metadata: "" }, "cert_metadata")).toBe(true);
});

describe("a wrapped token", () => {
  it("shows only its accessor, and is returned once", async () => {
    const { post, lives, rows } = tokenWorld();
    const wrapped = await post("auth/token/create", { policies: ["a"] }, "root", {
      header: { "x-vault-wrap-ttl": "5m" },
    });
    const info = wrapped.json["wrap_info"] as Readonly<Record<string, unknown>>;
    expect([wrapped.status, wrapped.json["auth"], wrapped.json["data"]]).toEqual([200, null, null]);
    expect(info).toMatchObject({
      ttl: 300,
      creation_path: "auth/token/create",
      wrapped_accessor: expect.stringMatching(/^[0-9A-Za-z]{24}$/),
    });
    expect(wrapped.text).not.toMatch(/"s\./);
    const moved = await post("sys/wrapping/rewrap", { token: info["token"] });
    const again = moved.json["wrap_info"] as Readonly<Record<string, unknown>>;
    expect(again["wrapped_accessor"]).toBe(info["wrapped_accessor"]);
    const given = await post("sys/wrapping/unwrap", { token: again["token"] }, "");
    const auth = authOf(given);
    expect([given.json["data"], auth.accessor, auth.policies]).toEqual([
      null,
      info["wrapped_accessor"],
      ["a", "default"],
    ]);
    expect(await lives(auth.client_token)).toBe(true);
    expect((await post("sys/wrapping/unwrap", { token: again["token"] }, "")).errors).toEqual([
      "wrapping token is not valid or does not exist",
    ]);
    expect(JSON.stringify(await rows())).not.toContain(auth.client_token);
  });
});

describe("a policy whose name has spaces and non-ASCII letters", () => {
  const [granting, denying] = ["équipe ops", "vërbot/日 1"];
  const spellings = (name: string) => [
    name,
    ` ${name.normalize("NFD")}`,
    name.toUpperCase(),
    name.toUpperCase().normalize("NFD"),
  ];
  const names = [denying, granting].sort();
  async function prepared() {
    const world = tokenWorld();
    const { post } = world;
    const write = async (name: string, path: string, capability: string) => {
      const policy = `path "${path}" { capabilities = ["${capability}"] }`;
      const answer = await post(`sys/policies/acl/${encodeURI(name)}`, { policy });
      expect(answer.status).toBe(204);
    };
    await write(granting, "sys/*", "read");
    await write(denying, "sys/mounts", "deny");
    await post("sys/auth/userpass", { type: "userpass" });
    /** Asserts both what the policies of a token grant and what they deny. */
    const expectBoth = async (token: string): Promise<void> => {
      const status = async (path: string) =>
        (await world.call("GET", path, undefined, { token })).status;
      expect([await status("sys/auth"), await status("sys/mounts")]).toEqual([200, 403]);
    };
    return { ...world, expectBoth };
  }

  it("applies to tokens that spell its name differently, also in stored rows", async () => {
    const world = await prepared();
    const { create, expectBoth } = world;
    for (const [at, one] of spellings(granting).entries()) {
      const policies = [one, spellings(denying)[at] ?? ""];
      for (const type of ["service", "batch"])
        for (const sent of [policies, policies.join(",")]) {
          const made = await create({ policies: sent, type, no_default_policy: true });
          expect(made.policies).toEqual(names);
          await expectBoth(made.client_token);
        }
      const { token } = await tokensOf(world)(policies);
      await expectBoth(token);
    }
  });

  it("applies to logins, roles and entities that spell its name differently", async () => {
    const { create, post, expectBoth } = await prepared();
    for (const [at, one] of spellings(granting).entries()) {
      const other = spellings(denying)[at] ?? "";
      await post("auth/userpass/users/ann", { password: "x", token_policies: [one, other] });
      const login = await post("auth/userpass/login/ann", { password: "x" }, "");
      await expectBoth(authOf(login).client_token);
      await post("auth/token/roles/ci", { allowed_policies: [one, other] });
      const ofRole = await create(
        { policies: names, no_default_policy: true },
        "root",
        "create/ci",
      );
      await expectBoth(ofRole.client_token);
      // the denial of the entity's policy counts as well
      await post("auth/userpass/users/bob", { password: "x", token_policies: one });
      const bob = authOf(await post("auth/userpass/login/bob", { password: "x" }, ""));
      await post(`identity/entity/id/${String(bob["entity_id"])}`, { policies: other });
      const again = authOf(await post("auth/userpass/login/bob", { password: "x" }, ""));
      expect(again["identity_policies"]).toEqual([denying]);
      await expectBoth(again.client_token);
    }
  });

  it("can be disallowed by a role, and is denied to children, in every spelling", async () => {
    const world = await prepared();
    const { create, post } = world;
    const token = await holding(world, update("auth/token/create"));
    for (const one of spellings(granting)) {
      const child = await post("auth/token/create", { policies: [one] }, token);
      expect(child.errors).toEqual(["child policies must be subset of parent"]);
      for (const [field, pattern] of [
        ["disallowed_policies", one],
        ["disallowed_policies_glob", `${one.trim().slice(0, 3)}*`],
        ["disallowed_policies_glob", `*${one.trim().slice(-6)}`],
      ] as const) {
        await post("auth/token/roles/no", {
          disallowed_policies: [],
          disallowed_policies_glob: [],
          [field]: [pattern],
        });
        for (const asked of spellings(granting)) {
          const answer = await post("auth/token/create/no", { policies: [asked] });
          expect([field, pattern, asked, answer.status]).toEqual([field, pattern, asked, 400]);
        }
      }
    }
    // children of a token with another spelling get the normalized name
    await post("sys/policies/acl/maker", { policy: update("auth/token/create") });
    const older = await tokensOf(world)(["maker", ` ${granting.normalize("NFD")}`]);
    const child = await create({ policies: [granting.toUpperCase()] }, older.token);
    expect(child.policies).toEqual([granting]);
  });

  it("does not lead to root: tokens stored with another spelling of root have no permissions", async () => {
    const world = await prepared();
    for (const [name, meansRoot] of [
      ["ROOT", true],
      [" root", true],
      ["ｒｏｏｔ", false],
      ["𝐫𝐨𝐨𝐭", false],
    ] as const) {
      const { token } = await tokensOf(world)([name]);
      const { status } = await world.call("GET", "sys/mounts", undefined, { token });
      expect([name, status]).toEqual([name, 403]);
      // root may request the policy root in any case, but not under names that only look like it
      const { policies } = await world.create({ policies: [name] });
      expect([name, policies.includes("root")]).toEqual([name, meansRoot]);
    }
  });
});
