import { createHash } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { authority, clockAt } from "../../support/authority.ts";
import { hmacToken, part, tokenSigner } from "./signer.ts";
import { fixtureNow, keyServer } from "./tls-server.ts";

const [signer, stranger] = await Promise.all([
  tokenSigner("ES256", "one"),
  tokenSigner("ES256", "one"),
]);
const server = await keyServer(signer);
afterAll(() => server.close());

const issuer = "https://keys.example";
const now = fixtureNow / 1000;
const redirect_uri = "https://ca.example/demo/";
const nobody = { token: "" };

async function prepared(role: object = {}) {
  const a = authority({ clock: clockAt(fixtureNow), ...server.ways });
  await a.call("POST", "sys/auth/oidc", { type: "oidc" });
  const config = {
    oidc_discovery_url: issuer,
    oidc_discovery_ca_pem: server.ca,
    oidc_client_id: "sealwright",
  };
  expect((await a.call("POST", "auth/oidc/config", config)).errors).toEqual([]);
  const allowed = { user_claim: "sub", allowed_redirect_uris: redirect_uri };
  expect((await a.call("POST", "auth/oidc/role/web", { ...allowed, ...role })).errors).toEqual([]);
  return a;
}
type Prepared = Awaited<ReturnType<typeof prepared>>;

/** Responses of the endpoints of the provider. */
interface Responses {
  /** Returns the ID token for a nonce. */
  readonly idToken: (nonce: string) => Promise<string> | string;
  /** Other members of the token response. */
  readonly others?: object;
  readonly userinfo?: { readonly status?: number; readonly body: string };
}
/** Logs in with these responses; returns 200 or the error text. */
async function outcome(a: Prepared, { idToken, others = {}, userinfo }: Responses) {
  const begun = await a.call(
    "POST",
    "auth/oidc/oidc/auth_url",
    { role: "web", redirect_uri },
    nobody,
  );
  const { searchParams } = new URL(String(begun.data["auth_url"]));
  const id_token = await idToken(searchParams.get("nonce") ?? "");
  server.answer = (path) =>
    path === "/token"
      ? { status: 200, body: JSON.stringify({ id_token, access_token: "access", ...others }) }
      : path === "/userinfo"
        ? { status: 200, body: "{}", ...userinfo }
        : undefined;
  const query = new URLSearchParams({ state: searchParams.get("state") ?? "", code: "code" });
  const answer = await a.call(
    "GET",
    `auth/oidc/oidc/callback?${query.toString()}`,
    undefined,
    nobody,
  );
  server.answer = undefined;
  return answer.status === 200 ? 200 : answer.errors[0];
}
const claimsFor = (nonce: string) => ({
  iss: issuer,
  aud: "sealwright",
  sub: "alice",
  iat: now,
  exp: now + 600,
  nonce,
});
const leftHalf = (text: string) =>
  createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url");

describe("an ID token of a hostile or faulty provider", () => {
  it.each<[object, unknown]>([
    [{}, 200],
    [{ aud: ["sealwright", "other"], azp: "sealwright" }, 200],
    [{ at_hash: leftHalf("access") }, 200],
    [{ nonce: "of another login" }, "invalid nonce claim"],
    [{ nonce: undefined }, "invalid nonce claim"],
    [{ aud: "other" }, "invalid audience (aud) claim: the ID token is for another client"],
    [{ aud: undefined }, "invalid audience (aud) claim: the ID token is for another client"],
    [{ aud: ["sealwright", "other"] }, "invalid authorized party (azp) claim"],
    [{ azp: "other" }, "invalid authorized party (azp) claim"],
    [{ iss: "https://evil.example" }, "invalid issuer (iss) claim"],
    [{ iss: `${issuer}/` }, "invalid issuer (iss) claim"],
    [{ exp: now - 60 }, "the token is expired"],
    [{ exp: undefined }, "the ID token has no exp claim"],
    [{ iat: undefined }, "the ID token has no iat claim"],
    [{ sub: undefined }, "the ID token has no sub claim"],
    [{ iat: now + 61 }, /not yet valid|issued in the future/],
    [{ at_hash: leftHalf("another") }, "invalid at_hash claim"],
  ])("is verified by its claims: %j", async (given, expected) => {
    const a = await prepared();
    const idToken = (nonce: string) => signer.token({ ...claimsFor(nonce), ...given });
    const found = await outcome(a, { idToken });
    if (expected === 200) expect(found).toBe(200);
    else if (expected instanceof RegExp) expect(found).toMatch(expected);
    else expect(found).toBe(`error verifying id_token: ${String(expected)}`);
  });

  it("is rejected if it is not signed with the provider's keys", async () => {
    const a = await prepared();
    const forged: readonly ((nonce: string) => Promise<string> | string)[] = [
      (nonce) => `${part({ alg: "none" })}.${part(claimsFor(nonce))}.`,
      (nonce) => hmacToken({ alg: "HS256", kid: "one" }, claimsFor(nonce), signer.pem),
      (nonce) => hmacToken({ alg: "HS256" }, claimsFor(nonce), "the client secret"),
      (nonce) => stranger.token(claimsFor(nonce)),
      (nonce) => stranger.token(claimsFor(nonce), { jwk: stranger.jwk }),
    ];
    for (const idToken of forged)
      expect(await outcome(a, { idToken })).toMatch(/^error verifying id_token: /);
  });

  it("must have an auth_time within max_age", async () => {
    const a = await prepared({ max_age: 300 });
    const idToken = (auth_time: number) => (nonce: string) =>
      signer.token({ ...claimsFor(nonce), auth_time });
    expect(await outcome(a, { idToken: idToken(now - 100) })).toBe(200);
    expect(await outcome(a, { idToken: idToken(now - 400) })).toMatch(
      /authenticated longer ago than max_age allows/,
    );
  });
});

describe("another response of a hostile or faulty provider", () => {
  const idToken = (nonce: string) => signer.token(claimsFor(nonce));

  it("is rejected if it is userinfo of another subject, too long, not JSON or a redirect", async () => {
    const a = await prepared({ user_claim: "email" });
    const from = (body: string, status = 200) =>
      outcome(a, { idToken, userinfo: { body, status } });
    const email = "alice@example.com";
    expect(await from(JSON.stringify({ sub: "alice", email }))).toBe(200);
    const other =
      "error reading userinfo: the subject (sub) of the userinfo response differs from that of the ID token";
    expect(await from(JSON.stringify({ sub: "mallory", email }))).toBe(other);
    expect(await from(JSON.stringify({ email }))).toBe(other);
    expect(await from(JSON.stringify({ sub: "alice", email, pad: "x".repeat(300_000) }))).toBe(
      "error reading userinfo: the response has more than 262144 bytes",
    );
    expect(await from("<html>")).toBe("error reading userinfo: the response is not a JSON object");
    expect(await from("", 302)).toBe(
      "error reading userinfo: the userinfo endpoint returned status 302",
    );
  });

  it("cannot replace claims of the ID token by userinfo", async () => {
    const a = await prepared({ user_claim: "sub", claim_mappings: { email: "mail", iss: "from" } });
    const body = JSON.stringify({
      sub: "alice",
      email: "a@b.example",
      iss: "https://evil.example",
    });
    expect(await outcome(a, { idToken, userinfo: { body } })).toBe(200);
    const [[, row] = []] = await a.stores("sys").list("token/");
    expect(row?.value).toMatchObject({ meta: { mail: "a@b.example", from: issuer } });
  });

  it("is rejected without an ID token, and not quoted in the error", async () => {
    const a = await prepared();
    expect(await outcome(a, { idToken, others: { id_token: 5 } })).toBe(
      "error exchanging oidc code: the provider returned no ID token",
    );
  });

  const documents = (metadata: object) => (path: string) =>
    path === "/jwks" ? undefined : { status: 200, body: JSON.stringify(metadata) };
  it("is rejected if it is a discovery document of another issuer or with unusable endpoints; internal ones are not contacted", async () => {
    const a = await prepared();
    const document = {
      issuer,
      jwks_uri: `${issuer}/jwks`,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
    };
    const config = {
      oidc_discovery_url: issuer,
      oidc_discovery_ca_pem: server.ca,
      oidc_client_id: "sealwright",
    };
    for (const [given, text] of [
      [{ issuer: "https://evil.example" }, "the issuer in the document differs from the URL"],
      [{ token_endpoint: undefined }, "token_endpoint in the document is missing"],
      [{ token_endpoint: "http://keys.example/token" }, "must be an https URL"],
      [{ authorization_endpoint: "javascript:alert(1)" }, "must be an https URL"],
    ] as const) {
      server.answer = documents({ ...document, ...given });
      const { errors } = await a.call("POST", "auth/oidc/config", config);
      expect(errors[0]).toContain(text);
    }
    const internal = { ...document, token_endpoint: "https://169.254.169.254/token" };
    server.answer = documents(internal);
    expect((await a.call("POST", "auth/oidc/config", config)).errors).toEqual([]);
    const body = { role: "web", redirect_uri };
    const begun = await a.call("POST", "auth/oidc/oidc/auth_url", body, nobody);
    const state = new URL(String(begun.data["auth_url"])).searchParams.get("state") ?? "";
    const answer = await a.call(
      "GET",
      `auth/oidc/oidc/callback?state=${state}&code=x`,
      undefined,
      nobody,
    );
    server.answer = undefined;
    expect([answer.status, answer.errors]).toEqual([
      503,
      [
        "error exchanging oidc code: the identity provider is currently unreachable; try again later",
      ],
    ]);
  });
});
