import { afterAll, describe, expect, it } from "vitest";
import { authority, clockAt, type Authority } from "../../support/authority.ts";
import { tokenSigner } from "../jwt/signer.ts";
import { fixtureNow, keyServer } from "../jwt/tls-server.ts";

const [cluster, stranger] = await Promise.all([
  tokenSigner("RS256", "cluster"),
  tokenSigner("RS256", "cluster"),
]);
const server = await keyServer(cluster);
afterAll(() => server.close());
const now = fixtureNow / 1000;

/** The claims of a token of the service account `issuer` in the namespace `cert-manager`. */
const claims = {
  iss: "https://kubernetes.default.svc.cluster.local",
  sub: "system:serviceaccount:cert-manager:issuer",
  aud: ["vault://cert-manager/ca"],
  iat: now,
  nbf: now,
  exp: now + 600,
  "kubernetes.io": {
    namespace: "cert-manager",
    serviceaccount: { name: "issuer", uid: "5d1b7d0f-5fd1-4b04-8b5a-1f0a2c1c0d11" },
  },
};
const before = {
  iss: "kubernetes/serviceaccount",
  sub: claims.sub,
  "kubernetes.io/serviceaccount/namespace": "cert-manager",
  "kubernetes.io/serviceaccount/secret.name": "issuer-token-abc",
  "kubernetes.io/serviceaccount/service-account.name": "issuer",
  "kubernetes.io/serviceaccount/service-account.uid": "uid",
};
const minimalRole = {
  bound_service_account_names: "issuer",
  bound_service_account_namespaces: "cert-manager",
};

async function prepared(role: object = {}, config?: object): Promise<Authority> {
  const a = authority({ clock: clockAt(fixtureNow), ...server.ways });
  await a.call("POST", "sys/auth/kubernetes", { type: "kubernetes" });
  const given = config ?? { pem_keys: [cluster.pem] };
  const configured = await a.call("POST", "auth/kubernetes/config", given);
  expect(configured.errors ?? []).toEqual([]);
  await a.call("POST", "auth/kubernetes/role/ca", { ...minimalRole, ...role });
  return a;
}
const nobody = { token: "" };
const login = (a: Authority, jwt: string, role = "ca") =>
  a.call("POST", "auth/kubernetes/login", { role, jwt }, nobody);
const denied = "1 error occurred:\n\t* permission denied\n\n";

describe("a login with a service account token", () => {
  it("(loginKubernetes) returns a token of the role, with metadata of the account", async () => {
    const a = await prepared({ token_policies: "pki" });
    const { status, json } = await login(a, await cluster.token(claims));
    expect(status).toBe(200);
    expect(json["auth"]).toMatchObject({
      token_policies: ["default", "pki"],
      metadata: {
        role: "ca",
        service_account_name: "issuer",
        service_account_namespace: "cert-manager",
        service_account_secret_name: "",
        service_account_uid: "5d1b7d0f-5fd1-4b04-8b5a-1f0a2c1c0d11",
      },
    });
    const [[, row] = []] = await a.stores("sys").list("token/");
    expect(row?.value).toMatchObject({ display_name: "kubernetes-cert-manager-issuer" });
  });

  it("verifies the token with keys fetched from the cluster, and does not store token_reviewer_jwt", async () => {
    const a = await prepared(
      {},
      {
        kubernetes_host: "https://keys.example",
        kubernetes_ca_cert: server.ca,
        token_reviewer_jwt: "canary",
      },
    );
    expect(server.asked.at(-1)).toBe("/openid/v1/jwks");
    expect((await login(a, await cluster.token(claims))).status).toBe(200);
    expect((await login(a, await stranger.token(claims))).status).toBe(403);
    expect(JSON.stringify(await a.stores("sys").list(""))).not.toContain("canary");
  });

  it("returns 503 without details while the cluster does not return its keys", async () => {
    const config = { kubernetes_host: "https://keys.example", kubernetes_ca_cert: server.ca };
    const a = await prepared({}, config);
    server.answer = () => ({ status: 500, body: "canary" });
    // keys are cached for five minutes
    a.clock.advance(300);
    const refused = await login(a, await cluster.token({ ...claims, exp: now + 3600 }));
    server.answer = undefined;
    expect([refused.status, refused.errors]).toEqual([
      503,
      ["cannot fetch the keys of this login method; try again later"],
    ]);
    expect(refused.headers.get("retry-after")).toBe("5");
    a.clock.advance(5);
    expect((await login(a, await cluster.token({ ...claims, exp: now + 3600 }))).status).toBe(200);
  });

  it("adds the metadata of the role to the alias; that of the account takes precedence", async () => {
    const alias_metadata = { team: "a", service_account_name: "admin" };
    const a = await prepared({ alias_metadata });
    expect((await a.call("GET", "auth/kubernetes/role/ca")).data).toMatchObject({ alias_metadata });
    await login(a, await cluster.token(claims));
    const [id] = (await a.call("LIST", "identity/entity-alias/id")).data["keys"] as string[];
    const { data } = await a.call("GET", `identity/entity-alias/id/${id}`);
    expect(data["metadata"]).toMatchObject({ team: "a", service_account_name: "issuer" });
  });

  it("names the alias by the UID or the name of the service account", async () => {
    const nameOf = async (alias_name_source: string) => {
      const a = await prepared({ alias_name_source });
      await login(a, await cluster.token(claims));
      const [[, row] = []] = await a.stores("sys").list("entity/");
      return JSON.stringify(row?.value);
    };
    expect(await nameOf("serviceaccount_uid")).toContain('"5d1b7d0f-5fd1-4b04-8b5a-1f0a2c1c0d11"');
    expect(await nameOf("serviceaccount_name")).toContain('"cert-manager/issuer"');
  });

  it.each([
    [{}, { ...before, exp: now + 600, iat: now }, 200],
    [{}, before, 403],
    [{ audience: "vault://cert-manager/ca" }, claims, 200],
    [{ audience: "vault://other/ca" }, claims, 403],
    [{ audience: "x" }, { ...claims, aud: undefined }, 403],
    [{ bound_service_account_names: "*" }, claims, 200],
    [{ bound_service_account_names: "iss*,x" }, claims, 200],
    [{ bound_service_account_names: "issuer-2" }, claims, 403],
    [{ bound_service_account_namespaces: "*" }, claims, 200],
    [{ bound_service_account_namespaces: "cert-*" }, claims, 200],
    [{ bound_service_account_namespaces: "default" }, claims, 403],
    [{}, { ...claims, exp: now - 60 }, 403],
    [{}, { ...claims, exp: undefined }, 403],
    [{}, { ...claims, nbf: now + 61 }, 403],
    [{}, { ...claims, sub: "system:serviceaccount:default:issuer" }, 403],
    [{}, { ...claims, sub: undefined }, 403],
    [{}, { ...claims, "kubernetes.io": { namespace: "cert-manager" } }, 403],
    [{}, { ...claims, "kubernetes.io": undefined }, 403],
    [{}, { ...before, ...claims, "kubernetes.io": { namespace: "x" } }, 403],
  ])(
    "checks the account, the audience and the times of the token: %#",
    async (role, given, expected) => {
      const a = await prepared(role);
      const answer = await login(a, await cluster.token(given));
      expect(answer.status).toBe(expected);
      if (expected === 403) {
        expect(answer.errors).toEqual([denied]);
        expect(await a.stores("sys").list("entity/")).toEqual([]);
        expect(await a.stores("sys").list("token/")).toEqual([]);
      }
    },
  );

  it("logs the reason for a rejection", async () => {
    const a = await prepared({ bound_service_account_names: "other" });
    await login(a, await cluster.token(claims));
    expect(a.events.at(-1)?.fields).toMatchObject({
      reason: "service account name not authorized",
    });
  });

  it("checks the issuer if configured", async () => {
    const config = { pem_keys: [cluster.pem], disable_iss_validation: false };
    const a = await prepared({}, { ...config, issuer: claims.iss });
    expect((await login(a, await cluster.token(claims))).status).toBe(200);
    expect((await login(a, await cluster.token({ ...claims, iss: "x" }))).status).toBe(403);
  });

  it("validates against the default issuer if none is configured", async () => {
    const a = await prepared({}, { pem_keys: [cluster.pem], disable_iss_validation: false });
    const named = { ...claims, iss: "kubernetes/serviceaccount" };
    expect((await login(a, await cluster.token(named))).status).toBe(200);
    for (const iss of [claims.iss, "", undefined])
      expect((await login(a, await cluster.token({ ...claims, iss }))).status).toBe(403);
    expect((await a.call("GET", "auth/kubernetes/config")).data).toMatchObject({ issuer: "" });
  });

  it("reports a missing role or token, and an unknown role", async () => {
    const a = await prepared();
    const jwt = await cluster.token(claims);
    for (const [body, text] of [
      [{ jwt }, "missing role"],
      [{ role: "ca" }, "missing jwt"],
      [{ role: "x", jwt }, 'invalid role name "x"'],
    ] as const) {
      const answer = await a.call("POST", "auth/kubernetes/login", body, nobody);
      expect([answer.status, answer.errors]).toEqual([400, [text]]);
    }
  });
});

describe("the configuration of a Kubernetes login method", () => {
  it.each([
    [{}, "keys are required to verify tokens"],
    [{ issuer: "https://x", token_reviewer_jwt: "t" }, "keys are required to verify tokens"],
    [{ kubernetes_host: "http://keys.example" }, "kubernetes_host must be an https URL"],
    [{ pem_keys: ["x"] }, "each key must be exactly one PEM block"],
    [{ pem_keys: [cluster.pem], kubernetes_ca_cert: "x" }, "kubernetes_ca_cert must be"],
    [{ pem_keys: [cluster.pem], use_annotations_as_alias_metadata: true }, "is not supported"],
    [
      { kubernetes_host: "https://10.0.0.1:6443" },
      "error checking jwks URL: this runtime has no list of publicly trusted roots",
    ],
  ])("is rejected and not stored if its settings are invalid: %#", async (body, text) => {
    const a = authority(server.ways);
    await a.call("POST", "sys/auth/kubernetes", { type: "kubernetes" });
    const answer = await a.call("POST", "auth/kubernetes/config", body);
    expect([answer.status, answer.errors[0]]).toEqual([400, expect.stringContaining(text)]);
    expect((await a.call("GET", "auth/kubernetes/config")).status).toBe(404);
  });

  it("(writeKubernetesConfig, readKubernetesConfig) is read as it was written", async () => {
    const config = { pem_keys: [cluster.pem], kubernetes_host: "https://10.0.0.1:6443" };
    const a = await prepared({}, config);
    expect((await a.call("GET", "auth/kubernetes/config")).data).toEqual({
      ...config,
      kubernetes_ca_cert: "",
      jwks_url: "",
      jwks_ca_pem: "",
      issuer: "",
      disable_iss_validation: true,
      disable_local_ca_jwt: false,
      token_reviewer_jwt_set: false,
      use_annotations_as_alias_metadata: false,
    });
  });
});

describe("a role for service accounts", () => {
  it("(writeKubernetesRole, readKubernetesRole, listKubernetesRoles, deleteKubernetesRole) is created, updated field by field, listed and deleted", async () => {
    const a = await prepared();
    await a.call("POST", "auth/kubernetes/role/CA", { audience: "a", token_ttl: 60 });
    expect((await a.call("GET", "auth/kubernetes/role/ca")).data).toMatchObject({
      bound_service_account_names: ["issuer"],
      bound_service_account_namespaces: ["cert-manager"],
      bound_service_account_namespace_selector: "",
      audience: "a",
      alias_name_source: "serviceaccount_uid",
      token_ttl: 60,
    });
    expect((await a.call("LIST", "auth/kubernetes/role")).data).toEqual({ keys: ["ca"] });
    expect((await a.call("DELETE", "auth/kubernetes/role/ca")).status).toBe(204);
    expect((await a.call("GET", "auth/kubernetes/role/ca")).status).toBe(404);
  });

  it.each([
    [{ bound_service_account_names: [] }, '"bound_service_account_names" can not be empty'],
    [{ bound_service_account_namespaces: [] }, '"bound_service_account_namespaces" can not be'],
    [{ bound_service_account_names: ["*", "a"] }, 'can not mix "*" with values'],
    [{ alias_name_source: "x" }, "invalid alias_name_source"],
    [{ bound_service_account_namespace_selector: "{}" }, "is not supported"],
  ])("is rejected and not stored if its settings are invalid: %#", async (body, text) => {
    const a = await prepared();
    const answer = await a.call("POST", "auth/kubernetes/role/new", { ...minimalRole, ...body });
    expect([answer.status, answer.errors[0]]).toEqual([400, expect.stringContaining(text)]);
    expect((await a.call("GET", "auth/kubernetes/role/new")).status).toBe(404);
  });
});
