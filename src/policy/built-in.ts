/**
 * Name and initial text of the policy that every token has by default (P 9.5). It grants access to
 * the paths that clients expect, including paths without an endpoint on this server, which return
 * 404.
 */
export const defaultPolicy = {
  name: "default",
  text: `# Permissions that affect only the token itself.
path "auth/token/lookup-self" {
  capabilities = ["read"]
}
path "auth/token/renew-self" {
  capabilities = ["update"]
}
path "auth/token/revoke-self" {
  capabilities = ["update"]
}
path "sys/capabilities-self" {
  capabilities = ["update"]
}
path "identity/entity/id/{{identity.entity.id}}" {
  capabilities = ["read"]
}
path "identity/entity/name/{{identity.entity.name}}" {
  capabilities = ["read"]
}
path "sys/internal/ui/resultant-acl" {
  capabilities = ["read"]
}
path "sys/renew" {
  capabilities = ["update"]
}
path "sys/leases/renew" {
  capabilities = ["update"]
}
path "sys/leases/lookup" {
  capabilities = ["update"]
}
path "cubbyhole/*" {
  capabilities = ["create", "read", "update", "delete", "list"]
}
path "sys/wrapping/wrap" {
  capabilities = ["update"]
}
path "sys/wrapping/lookup" {
  capabilities = ["update"]
}
path "sys/wrapping/unwrap" {
  capabilities = ["update"]
}
path "sys/tools/hash" {
  capabilities = ["update"]
}
path "sys/tools/hash/*" {
  capabilities = ["update"]
}
path "sys/control-group/request" {
  capabilities = ["update"]
}
path "identity/oidc/provider/+/authorize" {
  capabilities = ["read", "update"]
}
`,
} as const;

/** The policy of wrapping tokens, which cannot be changed. */
export const responseWrapping = {
  name: "response-wrapping",
  text: `path "cubbyhole/response" {
  capabilities = ["create", "read"]
}
path "sys/wrapping/unwrap" {
  capabilities = ["update"]
}
`,
} as const;
