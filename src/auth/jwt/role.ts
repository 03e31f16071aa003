import { malformed } from "../../base/errors.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { urlFault } from "../../net/url-fault.ts";
import { methodEndpoint } from "../../wire/endpoint.ts";
import {
  flag,
  list,
  map,
  pairs,
  seconds,
  signedSeconds,
  text,
  type Parsed,
} from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import {
  deleteRoleEndpoint,
  listRolesEndpoint,
  readRoleEndpoint,
} from "../method/role-endpoints.ts";
import { changeStoredRole, type RoleKind } from "../method/roles.ts";
import {
  plainTokens,
  textOrDefault,
  tokenFields,
  tokenReply,
  tokenSettingsOf,
  withTokenFields,
  type TokenSettings,
} from "../method/token-fields.ts";
import { jwt } from "../types/jwt.ts";
import type { Leeways } from "./claims.ts";

/**
 * Type of a role. With `jwt`, clients log in with a JWT. With `oidc`, users log in at the OpenID
 * provider with a browser.
 */
type RoleType = "jwt" | "oidc";
/** A stored role: the accepted tokens, and the settings of tokens issued for them. */
export interface JwtRole extends TokenSettings, Leeways {
  readonly role_type: RoleType;
  readonly user_claim: string;
  readonly user_claim_json_pointer: boolean;
  readonly bound_audiences: readonly string[];
  readonly bound_subject: string;
  readonly bound_claims: Readonly<Record<string, unknown>>;
  readonly bound_claims_type: string;
  readonly groups_claim: string;
  readonly claim_mappings: Readonly<Record<string, unknown>>;
  readonly oidc_scopes: readonly string[];
  readonly allowed_redirect_uris: readonly string[];
  readonly verbose_oidc_logging: boolean;
}
/** The roles of JWT login methods. */
export const jwtRoles: RoleKind<JwtRole> = {
  below: jwt.rows.roles,
  read: rowReader<JwtRole>({
    ...plainTokens,
    role_type: "jwt",
    user_claim: "",
    user_claim_json_pointer: false,
    bound_audiences: [],
    bound_subject: "",
    bound_claims: {},
    bound_claims_type: "string",
    groups_claim: "",
    claim_mappings: {},
    expiration_leeway: 0,
    not_before_leeway: 0,
    clock_skew_leeway: 0,
    max_age: 0,
    oidc_scopes: [],
    allowed_redirect_uris: [],
    verbose_oidc_logging: false,
  }),
};

const kinds = {
  role_type: [
    text,
    "`jwt` (clients log in with a JWT) or `oidc` (users log in at the OpenID provider with a browser). By default, `oidc` for a new role with `allowed_redirect_uris`, and `jwt` for any other.",
    ["oidc", "jwt"],
  ],
  user_claim: [text, "Claim that identifies the user."],
  user_claim_json_pointer: [flag, "Whether `user_claim` is a JSON pointer."],
  bound_audiences: [
    list,
    "Accepted audiences (`aud`); a token with audiences must have one of them.",
  ],
  bound_subject: [text, "Required subject (`sub`)."],
  bound_claims: [
    map,
    "Required claims: an accepted value or a list of accepted values, by name or JSON pointer.",
  ],
  bound_claims_type: [
    textOrDefault("string"),
    "`string` or `glob`. With `glob`, `*` in `bound_claims` matches any characters.",
    ["string", "glob"],
  ],
  groups_claim: [text, "Claim with the group names, by name or JSON pointer."],
  claim_mappings: [
    pairs,
    "Claims to copy to metadata: names of the metadata, by name or JSON pointer of the claim.",
  ],
  expiration_leeway: [
    signedSeconds,
    "Lifetime of JWTs without `exp`; 0 means 150 seconds, negative means none but the clock skew.",
  ],
  not_before_leeway: [
    signedSeconds,
    "Time before `exp` at which a JWT without `nbf` and `iat` becomes valid; 0 means 150 seconds, negative means at `exp`.",
  ],
  clock_skew_leeway: [
    signedSeconds,
    "Tolerated clock skew; 0 means 60 seconds, negative means none.",
  ],
  max_age: [seconds, "Maximum time since `auth_time`; 0 means that it is not checked."],
  oidc_scopes: [list, "For `oidc`, scopes to request besides `openid`."],
  allowed_redirect_uris: [
    list,
    "For `oidc`, allowed redirect URIs. They are compared exactly, except for the ports of http URIs on loopback (RFC 8252).",
  ],
  verbose_oidc_logging: [flag, "Has no effect, because tokens and claims are never logged."],
} as const;
type Kinds = typeof kinds;
type FieldDoc = readonly [string, (readonly string[])?];
type Valued<K extends keyof Kinds> = ReturnType<Kinds[K][0]["required"]>;
type Maybe<K extends keyof Kinds> = ReturnType<Kinds[K][0]["optional"]>;
// the cast is safe: each field is built from its own entry in `kinds`
const each = <R>(make: (kind: Kinds[keyof Kinds][0], about: FieldDoc) => unknown): R =>
  Object.fromEntries(
    Object.entries(kinds).map(([name, [kind, ...about]]) => [name, make(kind, about)]),
  ) as R;
const replyFields = each<{ readonly [K in keyof Kinds]: Valued<K> }>((kind, about) =>
  kind.required(...about),
);
const sentFields = each<{ readonly [K in keyof Kinds]: Maybe<K> }>((kind, about) =>
  kind.optional(...about),
);
const names = Object.keys(kinds);
const reply = { ...replyFields, ...tokenReply } as const;

/**
 * Returns the type that a role has after a request. Throws `malformed` if the requested type is not
 * valid.
 */
function typeOf(
  current: JwtRole | undefined,
  changes: Readonly<Record<string, unknown>>,
): RoleType {
  const { role_type: sent = "", allowed_redirect_uris: uris } = changes;
  if (sent === "oidc" || sent === "jwt") return sent;
  if (sent !== "") throw malformed(`invalid 'role_type': use oidc or jwt`);
  return current?.role_type ?? (Array.isArray(uris) && uris.length > 0 ? "oidc" : "jwt");
}
/** Returns the role with the requested changes. Throws `malformed` if the result is not valid. */
function withSent(
  current: JwtRole | undefined,
  changes: Readonly<Record<string, unknown>>,
): JwtRole {
  const old = current ?? jwtRoles.read({});
  const sent = Object.fromEntries(
    names.flatMap((name) => (changes[name] === undefined ? [] : [[name, changes[name]]])),
  );
  const role_type = typeOf(current, changes);
  // the cast is safe because the field parsers of the endpoint have validated `changes`
  const role = { ...old, ...withTokenFields(old, changes), ...sent, role_type } as JwtRole;
  check(role);
  return role;
}
function check(role: JwtRole): void {
  if (role.user_claim === "") throw malformed("a user claim must be defined on the role");
  if (role.bound_claims_type !== "string" && role.bound_claims_type !== "glob")
    throw malformed("invalid 'bound_claims_type': use string or glob");
  for (const [name, bound] of Object.entries(role.bound_claims)) checkBound(role, name, bound);
  const targets = Object.values(role.claim_mappings);
  for (const [i, target] of targets.entries()) {
    if (typeof target !== "string" || target === "")
      throw malformed("claim_mappings: each claim must be mapped to a metadata name");
    if (target === "role")
      throw malformed(`metadata key "role" is reserved and may not be a mapping destination`);
    if (targets.indexOf(target) !== i)
      throw malformed(`multiple keys are mapped to metadata key "${target.slice(0, 64)}"`);
  }
  if (role.role_type === "oidc") checkRedirects(role);
  else checkBinding(role);
}
/** Rejects a role that would accept every JWT of the issuer. Throws `malformed`. */
function checkBinding(role: JwtRole): void {
  const isBound =
    role.bound_audiences.length > 0 ||
    role.bound_subject !== "" ||
    Object.keys(role.bound_claims).length > 0 ||
    role.token_bound_cidrs.length > 0;
  if (!isBound)
    throw malformed("must have at least one bound constraint when creating/updating a role");
}
/** Rejects redirect URIs that no login could use. Throws `malformed`. */
function checkRedirects({ allowed_redirect_uris: uris }: JwtRole): void {
  if (uris.length === 0)
    throw malformed("'allowed_redirect_uris' must be set if 'role_type' is 'oidc'");
  for (const uri of uris) {
    const fault = urlFault(uri, true);
    if (fault !== undefined)
      throw malformed(`allowed_redirect_uris: "${uri.slice(0, 128)}" ${fault}`);
  }
}
function checkBound(role: JwtRole, name: string, bound: unknown): void {
  const values: readonly unknown[] = Array.isArray(bound) ? bound : [bound];
  const claim = name.slice(0, 64);
  if (values.length === 0) throw malformed(`bound_claims: claim "${claim}" has no value`);
  for (const value of values) {
    if (!["string", "number", "boolean"].includes(typeof value))
      throw malformed(
        `bound_claims: claim "${claim}" must be a string, a number, a boolean or a list`,
      );
    if (role.bound_claims_type === "glob" && typeof value !== "string")
      throw malformed(
        `bound_claims: claim "${claim}" must be a string, because patterns are strings`,
      );
  }
}
const roleOutput = (role: JwtRole): Parsed<typeof reply> => ({ ...role, ...tokenSettingsOf(role) });

const roles = { kind: jwtRoles, path: "/role" } as const;
export const listJwtRoles = listRolesEndpoint("listJwtRoles", roles);

export const readJwtRole = readRoleEndpoint("readJwtRole", roles, { reply, shown: roleOutput });

export const writeJwtRole = methodEndpoint({
  id: "writeJwtRole",
  at: ["POST /role/:name"],
  access: "token",
  style: envelope,
  doc: "Creates a role, or updates the given fields of an existing role.",
  body: { ...sentFields, ...tokenFields },
  reply: {},
  refuses: ["malformed", "invalid_field"],
  run: async (method, { name, ...changes }) => {
    await changeStoredRole(method, jwtRoles, name, (current) => withSent(current, changes));
    return undefined;
  },
});

export const deleteJwtRole = deleteRoleEndpoint("deleteJwtRole", roles);
