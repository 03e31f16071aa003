import { X509Certificate } from "node:crypto";
import { expect } from "vitest";
import { request, sanOf } from "../pki/reading.ts";
import { commonName } from "../x509/fixture.ts";
import { tokenSigner } from "./jwt/signer.ts";

/** A response with its body. */
export interface Told {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}
/** Sends a request below `/v1`; the body is JSON. */
export type Send = (
  method: string,
  path: string,
  options?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
) => Promise<Told>;
type Members = Readonly<Record<string, unknown>>;
const membersOf = (value: unknown): Members =>
  typeof value === "object" && value !== null ? { ...value } : {};

/** The credentials of cert-manager. */
export interface Credentials {
  readonly token: string;
  readonly approle: { readonly role_id: string; readonly secret_id: string };
  readonly kubernetes: { readonly role: string; readonly jwt: string };
}

const policy = 'path "pki_int/sign/web" { capabilities = ["create", "update"] }';
/** Creates the two CAs, the role and the login methods that an issuer of cert-manager needs. */
export async function preparedIssuer(
  send: Send,
  root: string,
  now = Math.floor(Date.now() / 1000),
): Promise<Credentials> {
  const ask = async (method: string, path: string, body?: unknown): Promise<Members> => {
    const headers = { "X-Vault-Token": root, "X-Vault-Request": "true" };
    const { status, json } = await send(method, path, { body, headers });
    expect([path, status < 300 ? 200 : status, json["errors"] ?? []]).toEqual([path, 200, []]);
    return membersOf(json["data"] ?? json["auth"]);
  };
  await ask("POST", "sys/mounts/pki_int", { type: "pki", config: { max_lease_ttl: "43800h" } });
  await ask("PUT", "pki/root/generate/internal", { common_name: "Root", ttl: "87600h" });
  const { csr } = await ask("PUT", "pki_int/intermediate/generate/internal", {
    common_name: "Intermediate",
  });
  const { certificate } = await ask("PUT", "pki/root/sign-intermediate", {
    csr,
    common_name: "Intermediate",
    ttl: "43800h",
    format: "pem_bundle",
  });
  await ask("PUT", "pki_int/intermediate/set-signed", { certificate });
  const role = { allowed_domains: "example.com", allow_subdomains: true, key_type: "any" };
  await ask("PUT", "pki_int/roles/web", {
    ...role,
    max_ttl: "2160h",
    require_cn: false,
    allow_ip_sans: true,
    allowed_uri_sans: "spiffe://*",
  });
  await ask("PUT", "sys/policies/acl/cert-manager", { policy });
  const token_policies = ["cert-manager"];
  await ask("POST", "sys/auth/approle", { type: "approle" });
  await ask("PUT", "auth/approle/role/cert-manager", { token_policies, token_ttl: "20m" });
  const { role_id } = await ask("GET", "auth/approle/role/cert-manager/role-id");
  const { secret_id } = await ask("PUT", "auth/approle/role/cert-manager/secret-id");
  const made = await ask("POST", "auth/token/create", { policies: token_policies, ttl: "1h" });
  const cluster = await tokenSigner("RS256", "cluster");
  await ask("POST", "sys/auth/kubernetes", { type: "kubernetes" });
  await ask("PUT", "auth/kubernetes/config", { pem_keys: [cluster.pem] });
  await ask("PUT", "auth/kubernetes/role/cert-manager", {
    bound_service_account_names: "vault-issuer",
    bound_service_account_namespaces: "web",
    audience: "vault://web/issuer",
    token_policies,
  });
  const jwt = await cluster.token({
    iss: "https://kubernetes.default.svc.cluster.local",
    sub: "system:serviceaccount:web:vault-issuer",
    aud: ["vault://web/issuer", "https://ca.example"],
    iat: now,
    nbf: now,
    exp: now + 600,
    "kubernetes.io": {
      namespace: "web",
      serviceaccount: { name: "vault-issuer", uid: "2c0f1d53-2a1d-4f5d-9f3a-7d4a0e2b1c11" },
    },
  });
  return {
    token: String(made["client_token"]),
    approle: { role_id: String(role_id), secret_id: String(secret_id) },
    kubernetes: { role: "cert-manager", jwt },
  };
}

/** The ways in which cert-manager gets a token. */
export const ways = ["token", "approle", "kubernetes"] as const;

async function tokenBy(
  send: Send,
  way: (typeof ways)[number],
  credentials: Credentials,
): Promise<string> {
  if (way === "token") return credentials.token;
  const headers = { "X-Vault-Request": "true" };
  const { status, json } = await send("POST", `auth/${way}/login`, {
    body: credentials[way],
    headers,
  });
  expect([status, json["errors"] ?? []]).toEqual([200, []]);
  // cert-manager reads `auth.client_token`, else `data.id`
  const token = membersOf(json["auth"])["client_token"] ?? membersOf(json["data"])["id"];
  return typeof token === "string" ? token : "";
}

/**
 * Sends the requests with which cert-manager gets a certificate signed: health, login, and one POST
 * with strings only. Parses the response as cert-manager does: leaf and `ca_chain` must form one
 * chain.
 */
export async function signAsCertManager(
  send: Send,
  way: (typeof ways)[number],
  credentials: Credentials,
): Promise<void> {
  const health = await send("GET", "sys/health");
  expect([200, 429, 472, 473]).toContain(health.status);
  const token = await tokenBy(send, way, credentials);
  const headers = { "X-Vault-Token": token, "X-Vault-Request": "true" };
  const names = { dns: ["www.example.com", "api.example.com"], uri: ["spiffe://example.com/web"] };
  const subject = commonName("www.example.com");
  const csr = await request({ subject, extensions: [sanOf(names)] });
  const body = {
    common_name: "www.example.com",
    alt_names: "www.example.com,api.example.com",
    ip_sans: "",
    uri_sans: "spiffe://example.com/web",
    ttl: "2160h0m0s",
    csr,
    exclude_cn_from_sans: "true",
  };
  const { status, json } = await send("POST", "pki_int/sign/web", { body, headers });
  expect([status, json["errors"] ?? []]).toEqual([200, []]);
  const { certificate, ca_chain: sent, issuing_ca: issuing } = membersOf(json["data"]);
  const chain = Array.isArray(sent) && sent.length > 0 ? sent : [issuing];
  const [leaf, ...above] = [certificate, ...chain].map((pem) => new X509Certificate(String(pem)));
  expect(leaf?.subjectAltName).toBe(
    "DNS:www.example.com, DNS:api.example.com, URI:spiffe://example.com/web",
  );
  const days = (Date.parse(leaf?.validTo ?? "") - Date.parse(leaf?.validFrom ?? "")) / 86_400_000;
  expect(Math.round(days)).toBe(90);
  for (const [i, one] of above.entries()) {
    const below = i === 0 ? leaf : above[i - 1];
    expect(below?.checkIssued(one) && below.verify(one.publicKey)).toBe(true);
  }
  const top = above.at(-1);
  expect([above.length, top?.checkIssued(top)]).toEqual([2, true]);
  // the token grants no other role
  const other = await send("POST", "pki_int/sign/other", { body, headers });
  expect(other.status).toBe(403);
  const elsewhere = await request({ subject: commonName("www.example.org") });
  const refused = await send("POST", "pki_int/sign/web", {
    body: { ...body, common_name: "www.example.org", csr: elsewhere },
    headers,
  });
  expect([refused.status, refused.json["errors"]]).toEqual([
    400,
    [expect.stringContaining("www.example.org")],
  ]);
}
