import { done, memberAt, type Ask, type Reply } from "./ask.ts";

/** Secrets of callers that must still work after an import. */
export interface AccessFacts {
  /** A token with the policy `web`, and its accessor. */
  readonly token: string;
  readonly accessor: string;
  /** A periodic token, a child of the first token, and a revoked token. */
  readonly periodic: string;
  readonly child: string;
  readonly revoked: string;
  readonly roleId: string;
  readonly secretId: string;
  readonly username: string;
  readonly password: string;
  readonly entity: string;
  /** Wrapping tokens: of a reply with data, and of one with a certificate. */
  readonly wrapped: string;
  readonly wrappedCertificate: string;
}

const post = (send: Ask, path: string, body: unknown = {}, token?: string): Promise<Reply> =>
  done(send, "POST", path, { body, ...(token === undefined ? {} : { token }) });

const policy = `path "pki/issue/web" { capabilities = ["update"] }
path "pki/cert/*" { capabilities = ["read"] }
path "auth/token/create" { capabilities = ["update"] }`;

/** Creates policies, login methods, entities, tokens and wrapped replies. */
export async function fillAccess(send: Ask): Promise<AccessFacts> {
  await post(send, "sys/policies/acl/web", { policy });
  await post(send, "sys/policies/acl/other", {
    policy: 'path "team/*" { capabilities = ["list"] }',
  });
  await post(send, "sys/quotas/rate-limit/all", { rate: 100_000, interval: "1s" });
  await post(send, "sys/config/cors", { enabled: true, allowed_origins: ["https://page.example"] });
  const methods = await loginMethods(send);
  const tokens = await someTokens(send);
  return { ...methods, ...tokens, ...(await wrappedReplies(send)) };
}

async function loginMethods(send: Ask) {
  for (const type of ["approle", "userpass"]) await post(send, `sys/auth/${type}`, { type });
  await post(send, "auth/approle/role/build", { token_policies: ["web"], token_ttl: "1h" });
  const roleId = (await done(send, "GET", "auth/approle/role/build/role-id")).at("data.role_id");
  const secretId = (
    await post(send, "auth/approle/role/build/secret-id", { metadata: '{"host": "build-7"}' })
  ).at("data.secret_id");
  const [username, password] = ["ann", "correct horse battery"];
  await post(send, `auth/userpass/users/${username}`, { password, token_policies: ["web"] });
  const methods = await done(send, "GET", "sys/auth");
  const mount_accessor = String(memberAt(methods.json["data"], "userpass/.accessor"));
  const entity = (
    await post(send, "identity/entity", { name: "ann", metadata: { desk: "12" } })
  ).at("data.id");
  await post(send, "identity/entity-alias", {
    name: username,
    mount_accessor,
    canonical_id: entity,
  });
  await post(send, "identity/group", {
    name: "ops",
    member_entity_ids: [entity],
    policies: ["other"],
  });
  await post(send, `auth/userpass/login/${username}`, { password }, "");
  await post(send, "auth/approle/login", { role_id: roleId, secret_id: secretId }, "");
  return { roleId, secretId, username, password, entity };
}

async function someTokens(send: Ask) {
  await post(send, "auth/token/roles/ci", { allowed_policies: ["web"], token_period: "24h" });
  const created = await post(send, "auth/token/create", {
    policies: ["web"],
    ttl: "700h",
    display_name: "build",
  });
  const token = created.at("auth.client_token");
  const periodic = await post(send, "auth/token/create/ci", { policies: ["web"] });
  const child = await post(send, "auth/token/create", { ttl: "600h" }, token);
  const revoked = (await post(send, "auth/token/create", { ttl: "600h" })).at("auth.client_token");
  await post(send, "auth/token/revoke", { token: revoked });
  await post(send, "cubbyhole/notes", { rack: "7" }, token);
  // the denied request is in the audit log
  await send("GET", "sys/mounts", { token });
  return {
    token,
    accessor: created.at("auth.accessor"),
    periodic: periodic.at("auth.client_token"),
    child: child.at("auth.client_token"),
    revoked,
  };
}

async function wrappedReplies(send: Ask) {
  const headers = { "x-service-wrap-ttl": "100h" };
  const wrapped = await done(send, "POST", "sys/wrapping/wrap", { body: { rack: "7" }, headers });
  const certificate = await done(send, "POST", "pki/issue/web", {
    body: { common_name: "wrapped.example.com" },
    headers,
  });
  return {
    wrapped: wrapped.at("wrap_info.token"),
    wrappedCertificate: certificate.at("wrap_info.token"),
  };
}
