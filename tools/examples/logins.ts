import type { ExampleProvider } from "./openid-provider.ts";
import type { Send } from "./send.ts";

/**
 * Sends the example requests to login methods: AppRole, userpass, JWT, OIDC, Kubernetes and
 * certificates.
 */
export async function logins(send: Send, provider: ExampleProvider): Promise<void> {
  for (const type of ["approle", "jwt", "kubernetes", "cert"])
    await send("enableMethod", { path: type, type });
  await methods(send);
  await appRole(send);
  await passwords(send);
  await tokens(send);
  await browser(send, provider);
  await certificate(send);
  await send("disableMethod", { path: "approle" });
}

async function methods(send: Send): Promise<void> {
  await send("listMethods");
  await send("readMethodTune", { path: "userpass" });
  await send("writeMethodTune", { path: "userpass", default_lease_ttl: "8h" });
  await send("readMountedTune", { path: "userpass" });
  await send("writeMountedTune", { path: "userpass", max_lease_ttl: "24h" });
  await send("readMountedMethod", { path: "userpass" });
}

async function appRole(send: Send): Promise<void> {
  const name = "build";
  await send("writeAppRole", { name, token_policies: ["web"], token_ttl: "1h" });
  await send("readAppRole", { name });
  await send("listAppRoles");
  const role = await send("readRoleId", { name });
  await send("writeRoleId", { name, role_id: "build-servers" });
  void role;
  const created = await send("makeSecretId", { name, metadata: '{"host": "build-7"}' });
  const [secret_id, secret_id_accessor] = [
    created.text("data.secret_id"),
    created.text("data.secret_id_accessor"),
  ];
  await send("loginAppRole", { role_id: "build-servers", secret_id }, { token: "" });
  await send("listSecretIds", { name });
  await send("lookupSecretId", { name, secret_id });
  await send("lookupSecretAccessor", { name, secret_id_accessor });
  await send("makeCustomSecretId", { name, secret_id: "chosen by the build server" });
  await send("destroySecretId", { name, secret_id: "chosen by the build server" });
  await send("destroySecretAccessor", { name, secret_id_accessor });
  await send("writeRoleSetting", { name, setting: "token-ttl", token_ttl: "30m" });
  await send("readRoleSetting", { name, setting: "token-ttl" });
  await send("deleteRoleSetting", { name, setting: "token-ttl" });
  await send("tidySecretIds");
  await send("deleteAppRole", { name });
}

async function passwords(send: Send): Promise<void> {
  const username = "ann";
  await send("writeUser", {
    username,
    password: "correct horse battery",
    token_policies: ["web"],
    token_ttl: "8h",
  });
  await send("readUser", { username });
  await send("listUsers");
  await send("loginUser", { username, password: "correct horse battery" }, { token: "" });
  await send("writePassword", { username, password: "another long password" });
  await send("writeUserPolicies", { username, token_policies: ["web"] });
  const method = await send("readMethod", { path: "userpass" });
  await send("unlockUser", {
    mount_accessor: method.text("data.accessor"),
    alias_identifier: username,
  });
  await send("deleteLoginUser", { username });
}

/** Returns a JWT that is signed with RS256, and the PEM of the public key that verifies it. */
async function signed(claims: object): Promise<{ readonly pem: string; readonly jwt: string }> {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, [
    "sign",
    "verify",
  ]);
  const text = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const head = `${text({ alg: "RS256", typ: "JWT" })}.${text(claims)}`;
  const signature = await crypto.subtle.sign(algorithm, privateKey, Buffer.from(head));
  const spki = Buffer.from(await crypto.subtle.exportKey("spki", publicKey)).toString("base64");
  return {
    pem: `-----BEGIN PUBLIC KEY-----\n${spki.replace(/.{64}/g, "$&\n")}\n-----END PUBLIC KEY-----\n`,
    jwt: `${head}.${Buffer.from(signature).toString("base64url")}`,
  };
}

async function tokens(send: Send): Promise<void> {
  const issuer = "https://ci.example.com";
  const times = { iat: 1_893_553_400, nbf: 1_893_553_400, exp: 1_893_557_000 };
  const ci = await signed({ iss: issuer, aud: "ca", sub: "build-7", ...times });
  await send("writeJwtConfig", { jwt_validation_pubkeys: [ci.pem], bound_issuer: issuer });
  await send("readJwtConfig");
  await send("writeJwtRole", {
    name: "ci",
    role_type: "jwt",
    user_claim: "sub",
    bound_audiences: ["ca"],
    token_policies: ["web"],
  });
  await send("readJwtRole", { name: "ci" });
  await send("listJwtRoles");
  await send("loginJwt", { role: "ci", jwt: ci.jwt }, { token: "" });
  await send("deleteJwtRole", { name: "ci" });
  const cluster = "https://kubernetes.default.svc.cluster.local";
  const account = { namespace: "web", serviceaccount: { name: "issuer", uid: "9f3a" } };
  const pod = await signed({
    iss: cluster,
    aud: ["ca"],
    sub: "system:serviceaccount:web:issuer",
    "kubernetes.io": account,
    ...times,
  });
  await send("writeKubernetesConfig", { pem_keys: [pod.pem], kubernetes_host: cluster });
  await send("readKubernetesConfig");
  await send("writeKubernetesRole", {
    name: "issuer",
    bound_service_account_names: ["issuer"],
    bound_service_account_namespaces: ["web"],
    audience: "ca",
    token_policies: ["web"],
  });
  await send("readKubernetesRole", { name: "issuer" });
  await send("listKubernetesRoles");
  await send("loginKubernetes", { role: "issuer", jwt: pod.jwt }, { token: "" });
  await send("deleteKubernetesRole", { name: "issuer" });
}

async function browser(send: Send, provider: ExampleProvider): Promise<void> {
  const origin = "https://ca.example.com";
  const client_nonce = "kq3mT0vX9hQeWb5u";
  const config = {
    oidc_discovery_url: provider.issuer,
    oidc_client_id: "sealwright",
    oidc_client_secret: "a-secret-of-the-client",
    default_role: "people",
  };
  await send("writeJwtConfig", config);
  await send("writeJwtRole", {
    name: "people",
    role_type: "oidc",
    user_claim: "sub",
    groups_claim: "groups",
    allowed_redirect_uris: [
      `${origin}/demo/`,
      `${origin}/v1/auth/jwt/oidc/callback`,
      "http://127.0.0.1:8250/oidc/callback",
    ],
    token_policies: ["web"],
  });
  const begin = async (redirect_uri: string) => {
    const input = { role: "people", redirect_uri, client_nonce };
    const url = (await send("beginOidcLogin", input, { token: "" })).text("data.auth_url");
    const state = new URL(url).searchParams.get("state") ?? "";
    return { state, code: provider.authorize(url) };
  };
  const response = await begin(`${origin}/demo/`);
  await send("finishOidcLogin", { ...response, client_nonce }, { token: "" });
  await send("writeJwtConfig", { ...config, oidc_response_mode: "form_post" });
  const posted = await begin(`${origin}/demo/`);
  await send("receiveOidcCode", posted, { token: "" });
  await send("deleteJwtRole", { name: "people" });
}

async function certificate(send: Send): Promise<void> {
  await send("generateRoot", {
    common_name: "Clients Root",
    key_type: "ec",
    ttl: "87600h",
    exported: "internal",
    issuer_name: "clients",
  });
  const name = { role: "client", common_name: "client.example.com", issuer_ref: "clients" };
  await send("writeRole", {
    name: "client",
    allowed_domains: ["example.com"],
    allow_subdomains: true,
    key_type: "ec",
  });
  const created = await send("issue", { ...name, format: "der" });
  const authority = await send("readIssuer", { issuer_ref: "clients" });
  await send("writeLoginCert", {
    name: "clients",
    certificate: authority.text("data.certificate"),
    allowed_dns_sans: ["*.example.com"],
    token_policies: ["web"],
  });
  await send("readLoginCert", { name: "clients" });
  await send("listLoginCerts");
  const der = Uint8Array.from(Buffer.from(created.text("data.certificate"), "base64"));
  await send("loginCert", { name: "clients" }, { token: "", peer: { tlsChain: [der] } });
  await send("deleteLoginCert", { name: "clients" });
}
