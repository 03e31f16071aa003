import { afterAll, describe, expect, it } from "vitest";
import { authority, clockAt } from "../../support/authority.ts";
import { beforePut, faultyStores } from "../../support/faulty.ts";
import { certificate } from "../../net/tls-fixture.ts";
import { tokenSigner } from "./signer.ts";
import { fixtureNow, keyServer } from "./tls-server.ts";

const signer = await tokenSigner("ES256", "one");
const server = await keyServer(signer);
afterAll(() => server.close());
const stranger = await certificate({ name: "another CA", ca: true });

const prepared = async (type = "jwt") => {
  const a = authority({ clock: clockAt(fixtureNow), ...server.ways });
  await a.call("POST", "sys/auth/jwt", { type });
  return a;
};
const url = "https://keys.example/jwks";

describe("the configuration of a JWT login method", () => {
  it("(writeJwtConfig, readJwtConfig) is replaced as a whole, and read without its secret", async () => {
    for (const type of ["jwt", "oidc"]) {
      const a = await prepared(type);
      expect((await a.call("GET", "auth/jwt/config")).status).toBe(404);
      const found = {
        oidc_discovery_url: "https://keys.example",
        oidc_discovery_ca_pem: server.ca,
      };
      const written = await a.call("POST", "auth/jwt/config", {
        ...found,
        oidc_client_id: "client",
        oidc_client_secret: "canary-secret",
        oidc_response_mode: "form_post",
        oidc_response_types: ["code"],
        bound_issuer: "https://idp.example",
        jwt_supported_algs: "ES256,RS256",
        default_role: "web",
      });
      expect(written.errors).toEqual([]);
      const read = await a.call("GET", "auth/jwt/config");
      expect(read.data).toEqual({
        ...found,
        oidc_client_id: "client",
        oidc_response_mode: "form_post",
        oidc_response_types: ["code"],
        provider_config: {},
        namespace_in_state: true,
        jwks_url: "",
        jwks_ca_pem: "",
        jwt_validation_pubkeys: [],
        jwt_supported_algs: ["ES256", "RS256"],
        bound_issuer: "https://idp.example",
        default_role: "web",
      });
      expect(JSON.stringify(await a.stores("sys").list(""))).not.toContain("canary");
      // fields that are not sent are unset
      await a.call("POST", "auth/jwt/config", { jwt_validation_pubkeys: signer.pem });
      expect((await a.call("GET", "auth/jwt/config")).data).toMatchObject({ bound_issuer: "" });
    }
  });

  it.each([
    [{}, "exactly one of"],
    [{ jwks_url: url, jwt_validation_pubkeys: [signer.pem] }, "exactly one of"],
    [{ jwks_url: url, oidc_discovery_url: "https://keys.example" }, "exactly one of"],
    [{ jwks_url: "http://keys.example/jwks" }, "jwks_url must be an https URL"],
    [{ oidc_discovery_url: "ldap://x" }, "oidc_discovery_url must be an https URL"],
    [{ jwt_validation_pubkeys: ["key"] }, "each key must be exactly one PEM block"],
    [
      { jwt_validation_pubkeys: [signer.pem.replaceAll("PUBLIC", "PRIVATE")] },
      "each key must be a PEM",
    ],
    [
      { jwt_validation_pubkeys: [signer.pem], jwt_supported_algs: ["HS256"] },
      "unsupported signing algorithm: HS256",
    ],
    [
      { jwt_validation_pubkeys: [signer.pem], jwt_supported_algs: ["none"] },
      "unsupported signing algorithm: none",
    ],
    [
      { jwt_validation_pubkeys: [signer.pem], jwks_ca_pem: server.ca },
      "jwks_ca_pem requires jwks_url",
    ],
    [
      { jwt_validation_pubkeys: [signer.pem], oidc_client_id: "client" },
      "'oidc_discovery_url' must be set for OIDC",
    ],
    [{ oidc_client_secret: "x" }, "oidc_client_secret requires oidc_client_id"],
    [{ oidc_response_mode: "fragment" }, `invalid 'oidc_response_mode': "fragment"`],
    [{ oidc_response_types: "id_token" }, 'oidc_response_types: "id_token" is not supported'],
    [{ provider_config: { provider: "azure" } }, 'provider_config: "provider" is not supported'],
    [{ jwks_url: url, jwks_ca_pem: "CA" }, "jwks_ca_pem must be certificates in PEM"],
    [{ jwks_url: url }, "error checking jwks URL: this runtime has no list"],
    [
      { jwks_url: url, jwks_ca_pem: stranger.pem },
      "error checking jwks URL: the TLS handshake failed",
    ],
    [
      { jwks_url: "https://127.0.0.1/jwks", jwks_ca_pem: server.ca },
      "error checking jwks URL: 127.0.0.1 is a loopback address and is not contacted",
    ],
    [
      { jwks_url: "https://169.254.169.254/", jwks_ca_pem: server.ca },
      "169.254.169.254 is a cloud metadata address and is not contacted",
    ],
    [
      { oidc_discovery_url: "https://keys.example/", oidc_discovery_ca_pem: server.ca },
      "error checking oidc discovery URL: the issuer in the document differs",
    ],
  ])(
    "is rejected and not stored if its settings are invalid or its keys cannot be fetched: %#",
    async (body, text) => {
      const a = await prepared();
      const answer = await a.call("POST", "auth/jwt/config", body);
      expect([answer.status, answer.errors[0]]).toEqual([400, expect.stringContaining(text)]);
      expect((await a.call("GET", "auth/jwt/config")).status).toBe(404);
    },
  );

  it("keeps the client secret while the client ID is unchanged, and reseals it after a rotation", async () => {
    const a = await prepared();
    const found = { oidc_discovery_url: "https://keys.example", oidc_discovery_ca_pem: server.ca };
    const client = { ...found, oidc_client_id: "client" };
    const sealed = async (body: object) => {
      expect((await a.call("POST", "auth/jwt/config", body)).errors).toEqual([]);
      const rows = await a.stores("sys").list("methoddata/");
      return rows.find(([key]) => key.endsWith("/config"))?.[1].value as {
        sealed_client_secret?: Uint8Array;
      };
    };
    const first = await sealed({ ...client, oidc_client_secret: "canary" });
    expect(await sealed(client)).toEqual(first);
    expect((await a.call("POST", "sys/rotate")).data).not.toHaveProperty("unopened");
    const resealed = await sealed(client);
    expect(resealed.sealed_client_secret).toBeDefined();
    expect(resealed).not.toEqual(first);
    expect(await sealed({ ...found, oidc_client_id: "other" })).not.toHaveProperty(
      "sealed_client_secret",
    );
  });

  it("keeps a client secret that another server writes meanwhile", async () => {
    const { stores, fault } = faultyStores();
    const options = { clock: clockAt(fixtureNow), ...server.ways };
    const a = authority({ ...options, stores });
    const b = authority({ ...options, stores, seed: 2 });
    await a.call("POST", "sys/auth/jwt", { type: "jwt" });
    const found = { oidc_discovery_url: "https://keys.example", oidc_discovery_ca_pem: server.ca };
    const client = { ...found, oidc_client_id: "client" };
    const write = (on: typeof a, body: object) =>
      on.call("POST", "auth/jwt/config", { ...client, ...body });
    const row = async () => {
      const rows = await stores("sys").list("methoddata/");
      return rows.find(([key]) => key.endsWith("/config"))?.[1].value;
    };
    await write(a, { oidc_client_secret: "old" });
    let written: unknown;
    const writeOther = async () => {
      await write(b, { oidc_client_secret: "new" });
      written = await row();
    };
    fault("sys", beforePut(/^methoddata\/.*\/config$/, writeOther));
    expect((await write(a, {})).status).toBe(204);
    expect(written).toHaveProperty("sealed_client_secret");
    expect(await row()).toEqual(written);
  });

  it("accepts keys from a server with a private CA, and rejects redirects, errors and responses without keys", async () => {
    const a = await prepared();
    const body = { jwks_url: url, jwks_ca_pem: server.ca };
    const found = { oidc_discovery_url: "https://keys.example", oidc_discovery_ca_pem: server.ca };
    for (const one of [body, found])
      expect((await a.call("POST", "auth/jwt/config", one)).status).toBe(204);
    for (const [status, text] of [
      [302, "the server redirects, but redirects are not followed"],
      [500, "the server returned status 500"],
      [200, "the response has no public key for verifying signatures"],
    ] as const) {
      server.answer = () => ({ status, body: "{}" });
      const { errors } = await a.call("POST", "auth/jwt/config", body);
      expect(errors).toEqual([`error checking jwks URL: ${text}`]);
    }
    server.answer = undefined;
  });
});
