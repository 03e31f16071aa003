import { done, memberAt, type Ask, type Reply } from "./ask.ts";

/** Secrets of callers that must still work after an import. */
export interface AccessFacts {
  /** A token of the policy `web`, and its accessor. */
  readonly token: string;
  readonly accessor: string;
  /** A periodic token, a child of the first one, and one that was revoked. */
  readonly periodic: string;
  readonly child: string;
  readonly revoked: string;
  readonly roleId: string;
  readonly secretId: string;
  readonly username: string;
  readonly password: string;
  readonly entity: string;
  /** A wrapped reply of data, and one of a certificate. */
  readonly wrapped: string;
  readonly wrappedCertificate: string;
}

const post = (ask: Ask, path: string, body: unknown = {}, token?: string): Promise<Reply> =>
  done(ask, "POST", path, { body, ...(token === undefined ? {} : { token }) });

const policy = `path "pki/issue/web" { capabilities = ["update"] }
path "pki/cert/*" { capabilities = ["read"] }
path "auth/token/create" { capabilities = ["update"] }`;

/** Creates policies, login methods, entities, tokens and wrapped replies. */
export async function fillAccess(ask: Ask): Promise<AccessFacts> {
  await post(ask, "sys/policies/acl/web", { policy });
  await post(ask, "sys/policies/acl/other", {
    policy: 'path "team/*" { capabilities = ["list"] }',
  });
  await post(ask, "sys/quotas/rate-limit/all", { rate: 100_000, interval: "1s" });
  await post(ask, "sys/config/cors", { enabled: true, allowed_origins: ["https://page.example"] });
  const methods = await loginMethods(ask);
  const tokens = await someTokens(ask);
  return { ...methods, ...tokens, ...(await wrappedReplies(ask)) };
}

async function loginMethods(ask: Ask) {
  for (const type of ["approle", "userpass"]) await post(ask, `sys/auth/${type}`, { type });
  await post(ask, "auth/approle/role/build", { token_policies: ["web"], token_ttl: "1h" });
  const roleId = (await done(ask, "GET", "auth/approle/role/build/role-id")).at("data.role_id");
  const secretId = (
    await post(ask, "auth/approle/role/build/secret-id", { metadata: '{"host": "build-7"}' })
  ).at("data.secret_id");
  const [username, password] = ["ann", "correct horse battery"];
  await post(ask, `auth/userpass/users/${username}`, { password, token_policies: ["web"] });
  const methods = await done(ask, "GET", "sys/auth");
  const mount_accessor = String(memberAt(methods.json["data"], "userpass/.accessor"));
  const entity = (await post(ask, "identity/entity", { name: "ann", metadata: { desk: "12" } })).at(
    "data.id",
  );
  await post(ask, "identity/entity-alias", {
    name: username,
    mount_accessor,
    canonical_id: entity,
  });
  await post(ask, "identity/group", {
    name: "ops",
    member_entity_ids: [entity],
    policies: ["other"],
  });
  await post(ask, `auth/userpass/login/${username}`, { password }, "");
  await post(ask, "auth/approle/login", { role_id: roleId, secret_id: secretId }, "");
  return { roleId, secretId, username, password, entity };
}

async function someTokens(ask: Ask) {
  await post(ask, "auth/token/roles/ci", { allowed_policies: ["web"], token_period: "24h" });
  const made = await post(ask, "auth/token/create", {
    policies: ["web"],
    ttl: "700h",
    display_name: "build",
  });
  const token = made.at("auth.client_token");
  const periodic = await post(ask, "auth/token/create/ci", { policies: ["web"] });
  const child = await post(ask, "auth/token/create", { ttl: "600h" }, token);
  const revoked = (await post(ask, "auth/token/create", { ttl: "600h" })).at("auth.client_token");
  await post(ask, "auth/token/revoke", { token: revoked });
  await post(ask, "cubbyhole/notes", { rack: "7" }, token);
  // the denied request is in the audit log
  await ask("GET", "sys/mounts", { token });
  return {
    token,
    accessor: made.at("auth.accessor"),
    periodic: periodic.at("auth.client_token"),
    child: child.at("auth.client_token"),
    revoked,
  };
}

async function wrappedReplies(ask: Ask) {
  const headers = { "x-service-wrap-ttl": "100h" };
  const wrapped = await done(ask, "POST", "sys/wrapping/wrap", { body: { rack: "7" }, headers });
  const certificate = await done(ask, "POST", "pki/issue/web", {
    body: { common_name: "wrapped.example.com" },
    headers,
  });
  return {
    wrapped: wrapped.at("wrap_info.token"),
    wrappedCertificate: certificate.at("wrap_info.token"),
  };
}
