import { afterAll, describe, expect, it } from "vitest";
import { authority, clockAt, type Authority } from "../../support/authority.ts";
import { dial } from "../../net/tls-fixture.ts";
import { openIdProvider, type OpenIdProvider } from "./openid-provider.ts";

const redirect_uri = "https://ca.example/demo/";
const provider = await openIdProvider(
  redirect_uri,
  "http://127.0.0.1:8250/oidc/callback",
  "https://ca.example/v1/auth/oidc/oidc/callback",
);
afterAll(() => provider.close());

const nobody = { token: "" };
const client_nonce = "of this client";
const minimalRole = { user_claim: "sub", allowed_redirect_uris: [redirect_uri] };
const configuration = {
  oidc_discovery_url: provider.issuer,
  oidc_discovery_ca_pem: provider.ca,
  ...provider.client,
  default_role: "web",
};

async function prepared(
  role: object = {},
  config: object = {},
  ways: Partial<OpenIdProvider["ways"]> = {},
): Promise<Authority> {
  const a = authority({ clock: clockAt(Date.now()), ...provider.ways, ...ways });
  await a.call("POST", "sys/auth/oidc", { type: "oidc" });
  for (const [path, body] of [
    ["config", { ...configuration, ...config }],
    ["role/web", { ...minimalRole, ...role }],
  ] as const) {
    const written = await a.call("POST", `auth/oidc/${path}`, body);
    expect(written.errors ?? []).toEqual([]);
  }
  return a;
}
/** Begins a login and returns the URL of the authorization request. */
async function begin(a: Authority, given: object = {}): Promise<URL> {
  const body = { redirect_uri, client_nonce, ...given };
  const answer = await a.call("POST", "auth/oidc/oidc/auth_url", body, nobody);
  expect(answer.errors ?? []).toEqual([]);
  return new URL(String(answer.data["auth_url"]));
}
/** Finishes a login with the parameters of a callback. */
const finish = (a: Authority, callback: URLSearchParams, given: object = {}) =>
  a.call(
    "GET",
    `auth/oidc/oidc/callback?${new URLSearchParams({ ...Object.fromEntries(callback), client_nonce, ...given }).toString()}`,
    undefined,
    nobody,
  );
async function loginAs(a: Authority, user = "alice") {
  provider.user = user;
  const url = await begin(a);
  const { searchParams } = await provider.authorize(url.href, redirect_uri);
  return await finish(a, searchParams);
}

describe("a browser login at an OpenID provider", () => {
  it("(beginOidcLogin, finishOidcLogin) returns a token of the role with claims of ID token and userinfo", async () => {
    const a = await prepared({
      role_type: "oidc",
      oidc_scopes: ["profile", "email"],
      claim_mappings: { email: "mail" },
      token_policies: ["web"],
      token_ttl: "10m",
    });
    const url = await begin(a);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      client_id: "sealwright",
      redirect_uri,
      scope: "openid profile email",
      code_challenge_method: "S256",
    });
    const callback = await provider.authorize(url.href, redirect_uri);
    const { status, json } = await finish(a, callback.searchParams);
    expect([status, json["errors"]]).toEqual([200, undefined]);
    expect(json["auth"]).toMatchObject({
      token_policies: ["default", "web"],
      metadata: { role: "web", mail: "alice@example.com" },
      lease_duration: 600,
    });
    expect(provider.requests).toContain("/me");
  });

  it("assigns the groups of the claim, and rejects users without a bound claim", async () => {
    const a = await prepared({
      oidc_scopes: ["profile"],
      groups_claim: "groups",
      bound_claims: { department: ["pki", "security"] },
    });
    const { accessor } = (await a.call("GET", "sys/auth")).data["oidc/"] as { accessor: string };
    const group = { name: "operators", type: "external", policies: ["operate"] };
    const { data } = await a.call("POST", "identity/group", group);
    const alias = { name: "ops", mount_accessor: accessor, canonical_id: data["id"] };
    await a.call("POST", "identity/group-alias", alias);
    const { json } = await loginAs(a);
    expect(json["auth"]).toMatchObject({ identity_policies: ["operate"] });
    const refused = await loginAs(a, "bob");
    expect([refused.status, refused.errors]).toEqual([
      400,
      [
        'error validating claims: claim "department" does not match any associated bound claim values',
      ],
    ]);
  });

  it("is audited with its entity, and a rejected one is not", async () => {
    const a = await prepared({ oidc_scopes: ["profile"], bound_claims: { department: ["pki"] } });
    const logins = async () =>
      (await a.stores("sys").list("audit/")).flatMap(([, { value }]) => {
        const { endpoint, fields } = value as {
          readonly endpoint: string;
          readonly fields: Readonly<Record<string, string>>;
        };
        return endpoint === "finishOidcLogin" ? [fields["entity"]] : [];
      });
    expect((await loginAs(a, "bob")).status).toBe(400);
    expect(await logins()).toEqual([]);
    const { json } = await loginAs(a);
    const { entity_id } = json["auth"] as { readonly entity_id: string };
    expect(await logins()).toEqual([entity_id]);
  });

  it.each<[string, string, object]>([
    ["role", "role/web", { bound_subject: "bob" }],
    ["configuration", "config", { ...configuration, bound_issuer: "https://other.example" }],
  ])("is rejected if the %s changes while the code is redeemed", async (_, path, fields) => {
    let change = async (): Promise<unknown> => undefined;
    const dials = { dial: () => change().then(() => dial(provider.port)) };
    const a = await prepared({}, {}, dials);
    const { searchParams } = await provider.authorize((await begin(a)).href, redirect_uri);
    change = async () => {
      change = async () => undefined;
      const changed = await a.call("POST", `auth/oidc/${path}`, fields);
      expect(changed.errors ?? []).toEqual([]);
    };
    const { errors } = await finish(a, searchParams);
    expect(errors).toEqual(["the role or the configuration was changed: begin the login again"]);
  });

  it("requests no userinfo if the ID token has all claims that the role reads", async () => {
    const a = await prepared();
    provider.requests.length = 0;
    expect((await loginAs(a)).status).toBe(200);
    expect(provider.requests).not.toContain("/me");
  });

  it("(receiveOidcCode) supports the response mode form_post, in which the provider posts the code to the server", async () => {
    const posted = "https://ca.example/v1/auth/oidc/oidc/callback";
    const config = { oidc_response_mode: "form_post" };
    const refused = await (
      await prepared({}, config)
    ).call("POST", "auth/oidc/oidc/auth_url", { redirect_uri }, nobody);
    expect(refused.errors).toEqual([
      `with oidc_response_mode form_post, the role's allowed_redirect_uris must contain ${posted}`,
    ]);
    const a = await prepared({ allowed_redirect_uris: [redirect_uri, posted] }, config);
    const url = await begin(a);
    expect(url.searchParams.get("redirect_uri")).toBe(posted);
    const form = await provider.authorizeByForm(url.href);
    const received = await a.call("POST", "auth/oidc/oidc/callback", form.toString(), {
      ...nobody,
      header: { "content-type": "application/x-www-form-urlencoded" },
    });
    const to = new URL(received.headers.get("location") ?? "");
    expect([received.status, to.origin + to.pathname]).toEqual([303, redirect_uri]);
    expect(to.searchParams.get("state")).toBe(form.get("state"));
    expect(to.searchParams.get("code")).not.toBe(form.get("code"));
    expect((await finish(a, to.searchParams)).status).toBe(200);
    const empty = await a.call("POST", "auth/oidc/oidc/callback", { state: "x" }, nobody);
    expect([empty.status, empty.errors]).toEqual([
      400,
      ["missing code: the provider returned no code"],
    ]);
  });

  it("redeems a posted code only for the browser that posted it", async () => {
    const posted = "https://ca.example/v1/auth/oidc/oidc/callback";
    const a = await prepared(
      { allowed_redirect_uris: [redirect_uri, posted] },
      { oidc_response_mode: "form_post" },
    );
    const url = await begin(a);
    const form = await provider.authorizeByForm(url.href);
    await a.call("POST", "auth/oidc/oidc/callback", form.toString(), {
      ...nobody,
      header: { "content-type": "application/x-www-form-urlencoded" },
    });
    // the client that began the login knows state and client_nonce, but not the redirect
    const state = new URLSearchParams({ state: form.get("state") ?? "" });
    const text =
      "invalid code: send the code from the redirect that follows the provider's form_post response";
    expect((await finish(a, state)).errors).toEqual([text]);
    const own = { redirect_uri: posted, client_nonce };
    const begun = await a.call("POST", "auth/oidc/oidc/auth_url", own, nobody);
    expect(begun.errors).toEqual([
      `redirect_uri "${posted}" is the URI to which the provider posts its response: begin the login with the URI of the client`,
    ]);
  });

  it("rejects a posted code if the code is to go to the client", async () => {
    const a = await prepared();
    const url = await begin(a);
    const form = { state: url.searchParams.get("state"), code: "a-code" };
    const { status, errors } = await a.call("POST", "auth/oidc/oidc/callback", form, nobody);
    expect([status, errors]).toEqual([
      400,
      ["expired or missing OAuth state: begin the login again"],
    ]);
  });

  it("compares loopback redirect URIs literally, except for the port", async () => {
    const a = await prepared({ allowed_redirect_uris: ["http://127.0.0.1:1/oidc/callback"] });
    const status = async (uri: string): Promise<number> =>
      (await a.call("POST", "auth/oidc/oidc/auth_url", { redirect_uri: uri }, nobody)).status;
    expect(await status("http://127.0.0.1:8250/oidc/callback")).toBe(200);
    expect(await status("http://127.0.0.1/oidc/callback")).toBe(200);
    for (const uri of [
      "http://127.0.0.1:1/./oidc/callback",
      "http://127.0.0.1:1/oidc/callback\t",
      "http://localhost:1/oidc/callback",
      "http://127.0.0.1:1@evil.example/oidc/callback",
      `http://127.0.0.1:1/oidc/callback${"x".repeat(2000)}`,
    ])
      expect(await status(uri), uri).toBe(400);
  });

  it("(finishOidcLogin) is rejected from an address outside token_bound_cidrs", async () => {
    const a = await prepared({ token_bound_cidrs: ["10.0.0.0/8"] });
    expect((await loginAs(a)).status).toBe(403);
  });

  it("(beginOidcLogin) returns 503 while the provider is unreachable", async () => {
    let isDown = false;
    const { dial } = provider.ways;
    const a = await prepared(
      {},
      {},
      {
        dial: (...target) =>
          isDown || !dial ? Promise.reject(new Error("down")) : dial(...target),
      },
    );
    isDown = true;
    // longer than the provider's metadata is cached
    a.clock.advance(3600);
    const { status } = await a.call(
      "POST",
      "auth/oidc/oidc/auth_url",
      { redirect_uri, client_nonce },
      nobody,
    );
    expect(status).toBe(503);
  });

  it("can be finished by another server process; neither its state nor its secrets are stored", async () => {
    const first = await prepared();
    const second = authority({
      clock: first.clock,
      seed: 2,
      stores: first.stores,
      ...provider.ways,
    });
    const url = await begin(first);
    const rows = JSON.stringify(await first.stores("sys").list(""));
    for (const secret of [url.searchParams.get("state"), client_nonce, "a secret /"])
      expect(rows).not.toContain(secret);
    const { searchParams } = await provider.authorize(url.href, redirect_uri);
    expect((await finish(second, searchParams)).status).toBe(200);
    expect((await finish(first, searchParams)).errors).toEqual([missing]);
    const log = JSON.stringify([first.events, await first.stores("sys").list("audit/")]);
    for (const secret of [searchParams.get("state"), searchParams.get("code"), client_nonce])
      expect(log).not.toContain(secret);
  });
});

const missing = "expired or missing OAuth state: begin the login again";
describe("a browser login is rejected", () => {
  it("with a redirect URI that the role does not allow; loopback URIs may have any port", async () => {
    const a = await prepared({
      allowed_redirect_uris: [redirect_uri, "http://127.0.0.1/oidc/callback"],
    });
    const refusal = async (uri: string) => {
      const body = { redirect_uri: uri };
      return (await a.call("POST", "auth/oidc/oidc/auth_url", body, nobody)).errors;
    };
    for (const uri of [
      "https://ca.example/demo/?x",
      "https://ca.example/demo",
      "https://ca.example:8443/demo/",
      "https://ca.example.evil/demo/",
      "https://evil@ca.example/demo/",
      "http://127.0.0.1.evil:8250/oidc/callback",
      "http://127.0.0.1:8250/other",
      "https://127.0.0.1:8250/oidc/callback",
    ])
      expect(await refusal(uri)).toEqual([
        `unauthorized redirect_uri: "${uri}" is not in allowed_redirect_uris of the role`,
      ]);
    expect(await refusal("")).toEqual(["missing redirect_uri"]);
    expect(await refusal("http://127.0.0.1:50123/oidc/callback")).toEqual([]);
  });

  it("if the role or the method is not configured for browser logins", async () => {
    const a = await prepared();
    const refusal = async (body: object) =>
      (await a.call("POST", "auth/oidc/oidc/auth_url", { redirect_uri, ...body }, nobody)).errors;
    await a.call("POST", "auth/oidc/role/ci", { user_claim: "sub", bound_subject: "ci" });
    expect(await refusal({ role: "none" })).toEqual(['role "none" could not be found']);
    expect(await refusal({ role: "ci" })).toEqual([
      'role "ci" has the role_type jwt: log in with a JWT',
    ]);
    const login = await a.call("POST", "auth/oidc/login", { role: "web", jwt: "x" }, nobody);
    expect(login.errors).toEqual([
      "role with oidc role_type is not allowed: log in with the browser",
    ]);
    const found = { oidc_discovery_url: provider.issuer, oidc_discovery_ca_pem: provider.ca };
    await a.call("POST", "auth/oidc/config", found);
    expect(await refusal({ role: "web" })).toEqual([
      "OIDC is not configured for this method: set oidc_client_id",
    ]);
  });

  it("with a state that was used, has expired, or belongs to another client or issuer", async () => {
    const a = await prepared();
    const redirected = async () =>
      (await provider.authorize((await begin(a)).href, redirect_uri)).searchParams;
    const used = await redirected();
    expect((await finish(a, used)).status).toBe(200);
    for (const state of [used.get("state"), "", "x", "A".repeat(46)])
      expect((await finish(a, used, { state })).errors).toEqual([missing]);

    const other = await redirected();
    expect((await finish(a, other, { client_nonce: "of another client" })).errors).toEqual([
      "invalid client_nonce: another client began this login",
    ]);
    // a failed attempt also consumes the state
    expect((await finish(a, other)).errors).toEqual([missing]);

    const ofIssuer = await redirected();
    expect((await finish(a, ofIssuer, { iss: "https://evil.example" })).errors).toEqual([
      "the authorization response comes from another issuer (iss)",
    ]);

    const expired = await redirected();
    a.clock.advance(300);
    // expires in another run of the job
    await begin(a);
    a.clock.advance(300);
    expect((await finish(a, expired)).errors).toEqual([missing]);
    for (const left of [1, 0]) {
      a.clock.advance(60);
      await a.ca.tick();
      const rows = await a.stores("sys").list("methoddata/", { values: false });
      expect(rows.filter(([key]) => key.includes("/oidclogin/"))).toHaveLength(left);
      a.clock.advance(300);
    }
  });

  it("with the code of another login, or without a code", async () => {
    const a = await prepared();
    const [first, second] = [await begin(a), await begin(a)];
    const one = await provider.authorize(first.href, redirect_uri);
    const other = await provider.authorize(second.href, redirect_uri);
    const code = one.searchParams.get("code") ?? "";
    // the code verifier belongs to the other login
    expect((await finish(a, other.searchParams, { code })).errors).toEqual([
      "error exchanging oidc code: the provider returned invalid_grant",
    ]);
    expect((await finish(a, one.searchParams, { code: "" })).errors).toEqual([
      "missing code: the provider returned no code",
    ]);
  });

  it("if 64 newer logins from the same network are pending", async () => {
    const a = await prepared();
    const oldest = await begin(a);
    for (let count = 0; count < 70; count++) {
      a.clock.advance(1);
      await begin(a);
    }
    const newest = await begin(a);
    const rows = await a.stores("sys").list("methoddata/", { values: false });
    expect(rows.filter(([key]) => key.includes("/oidclogin/"))).toHaveLength(64);
    const outcome = async (url: URL) =>
      (await finish(a, new URLSearchParams({ state: url.searchParams.get("state") ?? "" }))).errors;
    expect(await outcome(oldest)).toEqual([missing]);
    expect(await outcome(newest)).toEqual(["missing code: the provider returned no code"]);
  });
});
