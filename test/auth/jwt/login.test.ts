import { afterAll, describe, expect, it } from "vitest";
import { memoryStore } from "../../../src/index.ts";
import { authority, clockAt, start, type Authority } from "../../support/authority.ts";
import { tokenSigner } from "./signer.ts";
import { fixtureNow, keyServer } from "./tls-server.ts";

const [signer, stranger] = await Promise.all([
  tokenSigner("ES256", "one"),
  tokenSigner("ES256", "one"),
]);
const now = start / 1000;
const claims = { sub: "alice", iat: now, exp: now + 600 };
const minimalRole = { user_claim: "sub", bound_subject: "alice" };

async function prepared(role: object = minimalRole, config: object = {}): Promise<Authority> {
  const a = authority();
  await a.call("POST", "sys/auth/jwt", { type: "jwt" });
  await a.call("POST", "auth/jwt/config", { jwt_validation_pubkeys: [signer.pem], ...config });
  const written = await a.call("POST", "auth/jwt/role/web", { ...minimalRole, ...role });
  expect(written.errors ?? []).toEqual([]);
  return a;
}
const nobody = { token: "" };
async function loginWith(a: Authority, jwt: string, role: string | undefined = "web") {
  const body = { jwt, ...(role === undefined ? {} : { role }) };
  return await a.call("POST", "auth/jwt/login", body, nobody);
}
/** Returns 200, or the error text of a login. */
async function verdict(a: Authority, given: object, role?: string): Promise<unknown> {
  const answer = await loginWith(a, await signer.token({ ...claims, ...given }), role);
  return answer.status === 200 ? 200 : answer.errors[0];
}

describe("a login with a JWT", () => {
  it("(loginJwt) returns a token of the role, with metadata from the claims", async () => {
    const a = await prepared({
      claim_mappings: { team: "team", "/org/unit": "unit", level: "level", none: "none" },
      token_policies: ["web"],
      token_ttl: "10m",
    });
    const text = await signer.token({ ...claims, team: "a", org: { unit: "b" }, level: 3 });
    const { json, status } = await loginWith(a, text);
    expect(status).toBe(200);
    expect(json["data"]).toBe(null);
    const metadata = { role: "web", team: "a", unit: "b", level: "3" };
    expect(json["auth"]).toMatchObject({
      token_policies: ["default", "web"],
      metadata,
      lease_duration: 600,
      renewable: true,
      token_type: "service",
      orphan: true,
    });
    const [[, row] = []] = await a.stores("sys").list("token/");
    expect(row?.value).toMatchObject({ display_name: "jwt-alice", meta: metadata, role: "web" });
  });

  it("cannot be mistaken for the root token in the audit log, whatever its subject", async () => {
    const a = await prepared({ bound_subject: "token root", token_type: "batch" });
    const text = await signer.token({ ...claims, sub: "token root" });
    const { json, status } = await loginWith(a, text);
    expect(status).toBe(200);
    const { client_token: token } = json["auth"] as { client_token: string };
    await a.call("GET", "sys/audit", undefined, { token });
    const [[, row] = []] = await a.stores("sys").list("audit/refusal/");
    expect(row?.value).toMatchObject({ caller: "jwt-token root" });
  });

  it("uses the default role if none is named, and ignores the case of role names", async () => {
    const a = await prepared({}, { default_role: "web" });
    const text = await signer.token(claims);
    expect((await a.call("POST", "auth/jwt/login", { jwt: text }, nobody)).status).toBe(200);
    expect(await verdict(a, {}, "WEB")).toBe(200);
  });

  it("reports a missing role or token, an unknown role, and a method without configuration", async () => {
    const a = await prepared();
    const jwt = await signer.token(claims);
    for (const [body, text] of [
      [{ jwt }, "missing role"],
      [{ role: "web" }, "missing token"],
      [{ role: "x", jwt }, 'role "x" could not be found'],
      [{ role: "../config", jwt }, 'role "../config" could not be found'],
    ] as const) {
      const answer = await a.call("POST", "auth/jwt/login", body, nobody);
      expect([answer.status, answer.errors]).toEqual([400, [text]]);
    }
    await a.call("POST", "sys/auth/other", { type: "jwt" });
    const other = await a.call("POST", "auth/other/login", { role: "web", jwt }, nobody);
    expect(other.errors).toEqual(["could not load configuration"]);
  });

  it("is rejected if another key signed the token, with the error text that clients match", async () => {
    const a = await prepared();
    const answer = await loginWith(a, await stranger.token(claims));
    expect([answer.status, answer.errors]).toEqual([
      400,
      ["error validating token: the token was not signed with a key of this login method"],
    ]);
    expect(answer.text).not.toContain("client_token");
    expect(await a.stores("sys").list("token/")).toEqual([]);
    expect(await a.stores("sys").list("entity/")).toEqual([]);
  });

  it.each([
    [{ exp: now - 61 }, "the token is expired"],
    [{ exp: now - 60 }, "the token is expired"],
    [{ exp: now - 59, iat: now - 600 }, 200],
    [{ nbf: now + 61 }, "the token is not yet valid (nbf)"],
    [{ nbf: now + 60 }, 200],
    [{ iat: now + 61 }, /not yet valid|issued in the future/],
    [{ nbf: now, iat: now + 61 }, "the token was issued in the future (iat)"],
    [{ nbf: now, iat: now + 60 }, 200],
    [{ iat: undefined, exp: undefined }, "the token must have an exp, nbf or iat claim"],
    [{ exp: undefined, iat: now - 200 }, 200],
    [{ exp: undefined, iat: now - 211 }, "the token is expired"],
    [{ iat: undefined, exp: now + 210 }, 200],
    [{ iat: undefined, exp: now + 211 }, "the token is not yet valid (nbf)"],
    [{ exp: "soon" }, "the exp claim is not a valid time"],
    [{ exp: -1 }, "the exp claim is not a valid time"],
    [{ exp: null }, "the exp claim is not a valid time"],
    [{ exp: 1e15 }, "the exp claim is not a valid time"],
  ])("checks the times of the token: %#", async (given, expected) => {
    const found = await verdict(await prepared(), given);
    if (typeof expected === "number") expect(found).toBe(expected);
    else if (typeof expected === "string")
      expect(found).toBe(`error validating token: ${expected}`);
    else expect(found).toMatch(expected);
  });

  it("allows no clock skew with clock_skew_leeway -1, and enforces max_age", async () => {
    const a = await prepared({ clock_skew_leeway: -1, max_age: 300 });
    const seen = { auth_time: now - 300 };
    expect(await verdict(a, { ...seen, exp: now + 1 })).toBe(200);
    expect(await verdict(a, { ...seen, exp: now })).toContain("expired");
    expect(await verdict(a, { auth_time: now - 301 })).toContain("auth_time");
    expect(await verdict(a, {})).toContain("auth_time");
  });

  it.each([
    [{}, { aud: "ca" }, "audience claim found in JWT but no audiences bound to the role"],
    [{ bound_audiences: ["ca"] }, { aud: "ca" }, 200],
    [{ bound_audiences: ["ca", "cb"] }, { aud: ["x", "cb"] }, 200],
    [{ bound_audiences: ["ca"] }, { aud: ["x", "y"] }, "does not match any bound audience"],
    [{ bound_audiences: ["ca"] }, { aud: "CA" }, "does not match any bound audience"],
    [{ bound_audiences: ["ca"] }, {}, "does not match any bound audience"],
    [
      { bound_audiences: ["ca"] },
      { aud: { ca: 1 } },
      "the aud claim must be a string or an array of strings",
    ],
    [
      { bound_audiences: ["1"] },
      { aud: [1] },
      "the aud claim must be a string or an array of strings",
    ],
  ])("checks the audience: %#", async (role, given, expected) => {
    const found = await verdict(await prepared(role), given);
    if (typeof expected === "number") expect(found).toBe(expected);
    else expect(found).toContain(expected);
  });

  it.each([
    [{ bound_claims: { team: "a" } }, { team: "a" }, 200],
    [{ bound_claims: { team: "a" } }, { team: ["b", "a"] }, 200],
    [{ bound_claims: { team: ["a", "b"] } }, { team: "b" }, 200],
    [{ bound_claims: { "/org/teams/0": "a" } }, { org: { teams: ["a"] } }, 200],
    [{ bound_claims: { "/a~1b/~0": "x" } }, { "a/b": { "~": "x" } }, 200],
    [{ bound_claims: { n: 1, f: true } }, { n: 1, f: true }, 200],
    [{ bound_claims: { n: 1 } }, { n: "1" }, 'claim "n" does not match'],
    [{ bound_claims: { team: "a" } }, {}, 'claim "team" is missing'],
    [{ bound_claims: { team: "a" } }, { team: null }, 'claim "team" is missing'],
    [{ bound_claims: { team: "a" } }, { team: "A" }, 'claim "team" does not match'],
    [{ bound_claims: { team: "a*" } }, { team: "ab" }, 'claim "team" does not match'],
    [{ bound_claims: { team: "a*" }, bound_claims_type: "glob" }, { team: ["x", "ab"] }, 200],
    [
      { bound_claims: { team: "a*" }, bound_claims_type: "glob" },
      { team: { ab: 1 } },
      'claim "team" does not match',
    ],
    [{ bound_claims: { __proto__x: "a" } }, {}, 'claim "__proto__x" is missing'],
    [{ bound_claims: { constructor: "a" } }, {}, 'claim "constructor" is missing'],
    [{ bound_claims: { "/constructor/name": "Object" } }, {}, "is missing"],
    [{ bound_claims: { "/team/length": 1 } }, { team: ["a"] }, "is missing"],
  ])("checks bound claims: %#", async (role, given, expected) => {
    const found = await verdict(await prepared(role), given);
    if (typeof expected === "number") expect(found).toBe(expected);
    else expect(found).toMatch(`error validating claims: ${expected}`.slice(0, 24));
    if (typeof expected === "string") expect(found).toContain(expected);
  });

  it.each([
    [{ bound_subject: "bob" }, {}, {}, "invalid subject (sub) claim"],
    [{}, { bound_issuer: "https://idp" }, { iss: "https://idp" }, 200],
    [{}, { bound_issuer: "https://idp" }, { iss: "https://idp/" }, "invalid issuer (iss) claim"],
    [{}, { bound_issuer: "https://idp" }, {}, "invalid issuer (iss) claim"],
    [{ user_claim: "email" }, {}, { email: "a@b" }, 200],
    [{ user_claim: "email" }, {}, {}, 'claim "email" not found in token'],
    [{ user_claim: "email" }, {}, { email: 1 }, 'claim "email" could not be converted to string'],
    [{ user_claim: "email" }, {}, { email: "" }, 'claim "email" could not be converted to string'],
    [{ user_claim: "/u/n", user_claim_json_pointer: true }, {}, { u: { n: "x" } }, 200],
    [{ user_claim: "email", user_claim_json_pointer: true }, {}, { email: "a@b" }, 200],
    [{ user_claim: "/u/n" }, {}, { u: { n: "x" } }, 'claim "/u/n" not found in token'],
    [{ groups_claim: "groups" }, {}, { groups: ["a", "b"] }, 200],
    [{ groups_claim: "groups" }, {}, {}, '"groups" claim not found in token'],
    [{ groups_claim: "groups" }, {}, { groups: [1] }, "could not be converted to string list"],
    [{ claim_mappings: { a: "a" } }, {}, { a: { b: 1 } }, "could not be converted to string"],
  ])("checks issuer, subject, user and groups: %#", async (role, config, given, expected) => {
    const found = await verdict(await prepared(role, config), given);
    if (typeof expected === "number") expect(found).toBe(expected);
    else expect(found).toContain(expected);
  });

  it("sets the groups of the user, which a login with a role without groups_claim ends", async () => {
    const a = await prepared({ groups_claim: "groups" });
    await a.call("POST", "auth/jwt/role/plain", minimalRole);
    const { accessor } = (await a.call("GET", "sys/auth")).data["jwt/"] as { accessor: string };
    const group = { name: "operators", type: "external", policies: ["operate"] };
    const { data } = await a.call("POST", "identity/group", group);
    const alias = { name: "ops", mount_accessor: accessor, canonical_id: data["id"] };
    await a.call("POST", "identity/group-alias", alias);
    const text = await signer.token({ ...claims, groups: ["ops"] });
    const policies = async (role: string) => {
      const { json } = await loginWith(a, text, role);
      return (json["auth"] as { identity_policies?: unknown }).identity_policies;
    };
    expect([await policies("web"), await policies("plain")]).toEqual([["operate"], undefined]);
  });

  it("is rejected from an address outside token_bound_cidrs", async () => {
    const a = await prepared({ token_bound_cidrs: ["192.0.2.0/24"] });
    const jwt = await signer.token(claims);
    const from = async (address: string | undefined) => {
      const request = new Request("http://ca.example/v1/auth/jwt/login", {
        method: "POST",
        headers: { "x-forwarded-for": "192.0.2.1", "cf-connecting-ip": "192.0.2.1" },
        body: JSON.stringify({ role: "web", jwt }),
      });
      return (await a.ca.fetch(request, address === undefined ? {} : { peer: { address } })).status;
    };
    expect(await from("192.0.2.7")).toBe(200);
    expect(await from("198.51.100.7")).toBe(403);
    expect(await from(undefined)).toBe(403);
  });
});

describe("a login with a JWT verified with fetched keys", () => {
  const servers: { close(): void }[] = [];
  afterAll(() => servers.forEach((one) => one.close()));
  const then = fixtureNow / 1000;
  const lasting = { sub: "alice", iat: then, exp: then + 3600 };

  async function deployment(config: (ca: string) => object) {
    const [old, next] = await Promise.all([
      tokenSigner("RS256", "old"),
      tokenSigner("RS256", "next"),
    ]);
    const server = await keyServer(old);
    servers.push(server);
    const [clock, stores] = [clockAt(fixtureNow), memoryStore()];
    const engines = [0, 1].map(() => authority({ clock, stores, ...server.ways }));
    const [one, two] = engines as [Authority, Authority];
    await one.call("POST", "sys/auth/jwt", { type: "jwt" });
    const written = await one.call("POST", "auth/jwt/config", config(server.ca));
    expect(written.status).toBe(204);
    await one.call("POST", "auth/jwt/role/web", minimalRole);
    return { old, next, server, clock, one, two };
  }
  const jwks = (ca: string) => ({ jwks_url: "https://keys.example/jwks", jwks_ca_pem: ca });

  it("keeps working on two engines while the server rotates its keys", async () => {
    const { old, next, server, clock, one, two } = await deployment(jwks);
    const status = async (a: Authority, by: typeof old) =>
      (await loginWith(a, await by.token(lasting))).status;
    expect(await status(one, old)).toBe(200);
    expect(await status(two, old)).toBe(200);
    clock.advance(30);
    server.signers = [old, next];
    expect(await status(one, next)).toBe(200);
    expect(await status(two, next)).toBe(200);
    clock.advance(30);
    server.signers = [next];
    clock.advance(300);
    expect(await status(one, old)).toBe(400);
    expect(await status(two, old)).toBe(400);
    expect(await status(two, next)).toBe(200);
  });

  it("returns 503 without details while the key server is down, redirects or sends a malformed response", async () => {
    const { old, server, clock, one, two } = await deployment(jwks);
    for (const answer of [
      { status: 500, body: "canary" },
      { status: 302, body: "" },
      { status: 200, body: "<html>canary</html>" },
      { status: 200, body: '{"keys":[{"kty":"oct","k":"Y2FuYXJ5","kid":"old"}]}' },
    ]) {
      clock.advance(300);
      server.answer = () => answer;
      const refused = await loginWith(two, await old.token(lasting));
      expect([refused.status, refused.errors]).toEqual([
        503,
        ["cannot fetch the keys of this login method; try again later"],
      ]);
      expect(refused.headers.get("retry-after")).toBe("5");
      expect(server.asked).not.toContain("/elsewhere");
      clock.advance(10);
    }
    server.answer = undefined;
    expect((await loginWith(one, await old.token({ ...lasting, exp: then + 9999 }))).status).toBe(
      200,
    );
  });

  it("requires the issuer of the discovery document as the token's iss", async () => {
    const { old, one } = await deployment((ca) => ({
      oidc_discovery_url: "https://keys.example",
      oidc_discovery_ca_pem: ca,
    }));
    const iss = "https://keys.example";
    expect((await loginWith(one, await old.token({ ...lasting, iss }))).status).toBe(200);
    for (const other of [undefined, "https://keys.example/", "https://evil.example"])
      expect((await loginWith(one, await old.token({ ...lasting, iss: other }))).errors).toEqual([
        "error validating token: invalid issuer (iss) claim",
      ]);
  });
});
