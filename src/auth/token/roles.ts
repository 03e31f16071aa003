import { policyNames } from "../entity/names.ts";
import { rangeForm } from "../../x509/forms.ts";
import { listForm } from "../../base/forms.ts";
import { policyNameForm } from "../../base/policy-name.ts";
import { CaError } from "../../base/errors.ts";
import { belowTokens, storedTokens, tokenKeys, type TokenRoleRow } from "../rows/tokens.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { flag, withNormalForm, int, list, type Parsed, seconds, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { textOrDefault } from "./default-word.ts";
import { ipToBytes, parseCidr } from "../../x509/address.ts";

const kinds = ["default-service", "default-batch", "service", "batch"] as const;
/** Matches valid role names. Names that differ only in case denote different roles. */
const nameShape = /^[\w](?:[\w.-]{0,126}[\w])?$/;

/** Returns the stored token role with this name, or undefined if there is none. */
export async function tokenRole(
  sys: StoreContext,
  name: string,
): Promise<TokenRoleRow | undefined> {
  if (!nameShape.test(name)) return undefined;
  const [row] = await sys.store.get([tokenKeys.role(name)]);
  return row && storedTokens.role(row.value);
}

const ranges = listForm(rangeForm);
const fields = {
  allowed_policies: withNormalForm(list, policyNames).optional(
    "Policies allowed in tokens of the role. If empty, the policies of the parent are allowed.",
  ),
  allowed_policies_glob: withNormalForm(list, listForm(policyNameForm)).optional(
    "Patterns of allowed policies; `*` matches any characters.",
  ),
  disallowed_policies: withNormalForm(list, policyNames).optional(
    "Policies forbidden in tokens of the role. If no allowed policies are set, tokens may have any other policy except `root`, even policies that the caller does not have.",
  ),
  disallowed_policies_glob: withNormalForm(list, listForm(policyNameForm)).optional(
    "Patterns of forbidden policies; `*` matches any characters.",
  ),
  allowed_entity_aliases: list.optional("Allowed entity aliases; `*` matches any characters."),
  orphan: flag.optional("Whether tokens of the role are orphans."),
  renewable: flag.optional("Whether tokens of the role can be renewed; true by default."),
  path_suffix: text.optional("Suffix that is added to the creation path of the role's tokens."),
  token_explicit_max_ttl: seconds.optional(
    "Maximum lifetime of the role's tokens, including renewals.",
  ),
  token_period: seconds.optional(
    "Makes tokens of the role periodic: each renewal resets their lifetime to this value.",
  ),
  token_bound_cidrs: withNormalForm(list, ranges).optional(
    "Address ranges from which tokens of the role may be used.",
  ),
  token_no_default_policy: flag.optional("Whether the `default` policy is not added."),
  token_num_uses: int.optional("Number of times each token may be used; 0 means unlimited."),
  token_type: textOrDefault("default-service").optional(
    "`default-service`, `default-batch`, `service` or `batch`.",
    kinds,
  ),
} as const;
const older = {
  explicit_max_ttl: seconds.alias("token_explicit_max_ttl"),
  period: seconds.alias("token_period"),
  bound_cidrs: withNormalForm(list, ranges).alias("token_bound_cidrs"),
} as const;

const shown = {
  name: text.required("Name of the role."),
  allowed_policies: list.required("Policies allowed in tokens of the role."),
  allowed_policies_glob: list.required("Patterns of allowed policies."),
  disallowed_policies: list.required("Policies forbidden in tokens of the role."),
  disallowed_policies_glob: list.required("Patterns of forbidden policies."),
  allowed_entity_aliases: list.required("Allowed entity aliases."),
  orphan: flag.required("Whether tokens of the role are orphans."),
  renewable: flag.required("Whether tokens of the role can be renewed."),
  path_suffix: text.required("Suffix that is added to the creation path of the role's tokens."),
  token_explicit_max_ttl: int.required(
    "Maximum lifetime of the role's tokens in seconds; 0 means that none is set.",
  ),
  explicit_max_ttl: int.required("Same as `token_explicit_max_ttl`."),
  token_period: int.required(
    "Lifetime after each renewal in seconds; 0 means that tokens are not periodic.",
  ),
  period: int.required("Same as `token_period`."),
  token_bound_cidrs: list.required("Address ranges from which tokens of the role may be used."),
  token_no_default_policy: flag.required("Whether the `default` policy is not added."),
  token_num_uses: int.required("Number of times each token may be used; 0 means unlimited."),
  token_type: text.required("Type of the role's tokens."),
} as const;

/** Returns the role with the requested changes. Throws `malformed` if the result is not valid. */
function withSent(
  current: TokenRoleRow,
  { explicit_max_ttl, period, bound_cidrs, ...sent }: Parsed<typeof fields & typeof older>,
): TokenRoleRow {
  const olderFields = {
    token_explicit_max_ttl: explicit_max_ttl,
    token_period: period,
    token_bound_cidrs: bound_cidrs,
    ...set(sent),
  };
  // the cast is safe: each field has the type that `TokenRoleRow` declares
  const merged = { ...current, ...set(olderFields) } as TokenRoleRow;
  const role = {
    ...merged,
    allowed_policies: policyNames(merged.allowed_policies),
    allowed_policies_glob: policyNames(merged.allowed_policies_glob),
    disallowed_policies: policyNames(merged.disallowed_policies),
    disallowed_policies_glob: policyNames(merged.disallowed_policies_glob),
  };
  const refuse = (why: string): never => {
    throw new CaError("malformed", why);
  };
  if (role.token_num_uses < 0) refuse("'token_num_uses' cannot be negative");
  if (!kinds.some((kind) => kind === role.token_type))
    refuse(`invalid 'token_type': use one of ${kinds.join(", ")}`);
  if (role.token_type === "batch") {
    if (!role.orphan) refuse("'token_type' cannot be 'batch' unless 'orphan' is true");
    if (role.token_period > 0) refuse("'token_type' cannot be 'batch' if 'token_period' is set");
    if (role.token_num_uses > 0)
      refuse("'token_type' cannot be 'batch' if 'token_num_uses' is set");
    if (role.token_explicit_max_ttl > 0)
      refuse("'token_type' cannot be 'batch' if 'token_explicit_max_ttl' is set");
  }
  if (!/^(?:[\w.-]{1,128})?$/.test(role.path_suffix))
    refuse("'path_suffix' must consist of at most 128 letters, digits, '_', '.' or '-'");
  const wrong = role.token_bound_cidrs.find((range) => !parseCidr(range) && !ipToBytes(range));
  if (wrong !== undefined)
    refuse(`'token_bound_cidrs': "${wrong.slice(0, 64)}" is not a range such as 192.0.2.0/24`);
  return role;
}
const set = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const at = ["/token/roles/:name"] as const;
export const writeTokenRole = systemEndpoint({
  id: "writeTokenRole",
  at: [`POST ${at[0]}`],
  access: "token",
  style: envelope,
  doc: "Creates or updates a token role.",
  body: { ...fields, ...older },
  reply: {},
  refuses: ["malformed"],
  run: async ({ sys }, { name, ...sent }) => {
    if (!nameShape.test(name)) throw new CaError("malformed", "invalid role name");
    const key = tokenKeys.role(name);
    return sys.change(async () => {
      const [row] = await sys.store.get([key]);
      const role = withSent(storedTokens.role(row?.value), sent);
      const batch = { expect: [[key, row?.rev ?? null]], put: [[key, role]] } as const;
      return { reply: undefined, batch };
    });
  },
});
export const readTokenRole = systemEndpoint({
  id: "readTokenRole",
  at: [`GET ${at[0]}`],
  access: "token",
  style: envelope,
  doc: "Reads a token role.",
  body: {},
  reply: shown,
  run: async ({ sys }, { name }) => {
    const role = await tokenRole(sys, name);
    if (!role) return undefined;
    const { token_explicit_max_ttl: explicit_max_ttl, token_period: period } = role;
    return { ...role, name, explicit_max_ttl, period };
  },
});
export const deleteTokenRole = systemEndpoint({
  id: "deleteTokenRole",
  at: [`DELETE ${at[0]}`],
  access: "token",
  style: envelope,
  doc: "Deletes a token role. Existing tokens stay valid, but cannot be renewed.",
  body: {},
  reply: {},
  run: async ({ sys }, { name }) => {
    if (nameShape.test(name)) await sys.commit({ del: [tokenKeys.role(name)] });
    return undefined;
  },
});
export const listTokenRoles = systemEndpoint({
  id: "listTokenRoles",
  at: ["LIST /token/roles"],
  access: "token",
  style: envelope,
  doc: "Lists the token roles.",
  body: {},
  reply: { keys: list.required("Names of the roles.") },
  run: async ({ sys }) => {
    const rows = await sys.store.list(belowTokens.roles, { values: false });
    return rows.length
      ? { keys: rows.map(([key]) => key.slice(belowTokens.roles.length)) }
      : undefined;
  },
});
