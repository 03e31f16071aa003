import { policyNames } from "../entity/names.ts";
import { rangeForm } from "../../x509/forms.ts";
import { listForm } from "../../base/forms.ts";
import { policyNameForm } from "../../base/policy-name.ts";
import { CaError } from "../../base/errors.ts";
import { belowTokens, storedTokens, tokenKeys } from "../rows/tokens.ts";
import type { TokenRoleRow } from "../rows/tokens.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { flag, withNormalForm, int, list, type Parsed, seconds, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { textOrDefault } from "./default-word.ts";
import { ipToBytes, parseCidr } from "../../x509/address.ts";

const kinds = ["default-service", "default-batch", "service", "batch"] as const;
/** Pattern of role names. Names that differ only in case are different roles. */
const nameShape = /^[\w](?:[\w.-]{0,126}[\w])?$/;

/** Returns the stored role of a name. */
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
    "Policies that its tokens may have; none: those of the parent.",
  ),
  allowed_policies_glob: withNormalForm(list, listForm(policyNameForm)).optional(
    "The same as patterns, in which `*` stands for any text.",
  ),
  disallowed_policies: withNormalForm(list, policyNames).optional(
    "Policies that its tokens must not have. Where no allowed ones are named, they may have any other but `root`, whatever the caller has.",
  ),
  disallowed_policies_glob: withNormalForm(list, listForm(policyNameForm)).optional(
    "The same as patterns.",
  ),
  allowed_entity_aliases: list.optional(
    "Entity aliases that may be asked for; `*` as in patterns.",
  ),
  orphan: flag.optional("Its tokens have no parent."),
  renewable: flag.optional("Whether its tokens can be renewed; true unless set."),
  path_suffix: text.optional("Added to the path at which its tokens are created."),
  token_explicit_max_ttl: seconds.optional("Longest lifetime of its tokens with renewals."),
  token_period: seconds.optional("Makes its tokens periodic: each renewal gives this lifetime."),
  token_bound_cidrs: withNormalForm(list, ranges).optional(
    "Address ranges from which its tokens may be used.",
  ),
  token_no_default_policy: flag.optional("Leave the policy `default` out."),
  token_num_uses: int.optional("How often its tokens may be used; 0: any number of times."),
  token_type: textOrDefault("default-service").optional(
    "`default-service`, `default-batch`, `service` or `batch`.",
    ["default-service", "default-batch", "service", "batch"],
  ),
} as const;
const older = {
  explicit_max_ttl: seconds.alias("token_explicit_max_ttl"),
  period: seconds.alias("token_period"),
  bound_cidrs: withNormalForm(list, ranges).alias("token_bound_cidrs"),
} as const;

const shown = {
  name: text.required("Name of the role."),
  allowed_policies: list.required("Policies that its tokens may have."),
  allowed_policies_glob: list.required("The same as patterns."),
  disallowed_policies: list.required("Policies that its tokens must not have."),
  disallowed_policies_glob: list.required("The same as patterns."),
  allowed_entity_aliases: list.required("Entity aliases that may be asked for."),
  orphan: flag.required("Whether its tokens have no parent."),
  renewable: flag.required("Whether its tokens can be renewed."),
  path_suffix: text.required("Added to the path at which its tokens are created."),
  token_explicit_max_ttl: int.required("Longest lifetime of its tokens, seconds; 0: none."),
  explicit_max_ttl: int.required("Same as `token_explicit_max_ttl`."),
  token_period: int.required("Lifetime that each renewal gives, seconds; 0: not periodic."),
  period: int.required("Same as `token_period`."),
  token_bound_cidrs: list.required("Address ranges from which its tokens may be used."),
  token_no_default_policy: flag.required("Whether the policy `default` is left out."),
  token_num_uses: int.required("How often its tokens may be used; 0: any number of times."),
  token_type: text.required("Type of its tokens."),
} as const;

/** Returns the role with the fields of a request, validated. Throws `malformed`. */
function withSent(
  held: TokenRoleRow,
  { explicit_max_ttl, period, bound_cidrs, ...sent }: Parsed<typeof fields & typeof older>,
): TokenRoleRow {
  const given = {
    token_explicit_max_ttl: explicit_max_ttl,
    token_period: period,
    token_bound_cidrs: bound_cidrs,
    ...set(sent),
  };
  // the members of a role, each with its type
  const merged = { ...held, ...set(given) } as TokenRoleRow;
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
    if (role.token_period > 0) refuse("'token_type' cannot be 'batch' where 'token_period' is set");
    if (role.token_num_uses > 0)
      refuse("'token_type' cannot be 'batch' where 'token_num_uses' is set");
    if (role.token_explicit_max_ttl > 0)
      refuse("'token_type' cannot be 'batch' where 'token_explicit_max_ttl' is set");
  }
  if (!/^(?:[\w.-]{1,128})?$/.test(role.path_suffix)) refuse("invalid 'path_suffix'");
  const wrong = role.token_bound_cidrs.find((range) => !parseCidr(range) && !ipToBytes(range));
  if (wrong !== undefined)
    refuse(`'token_bound_cidrs': "${wrong.slice(0, 64)}" is no range like 192.0.2.0/24`);
  return role;
}
const set = (given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

const at = ["/token/roles/:name"] as const;
export const writeTokenRole = systemEndpoint({
  id: "writeTokenRole",
  at: [`POST ${at[0]}`],
  access: "token",
  style: envelope,
  doc: "Creates or changes a role by which tokens are created.",
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
  doc: "Returns a role by which tokens are created.",
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
  doc: "Deletes a role by which tokens are created. Its tokens remain, and cannot be renewed.",
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
  doc: "Lists the roles by which tokens are created.",
  body: {},
  reply: { keys: list.required("Names of the roles.") },
  run: async ({ sys }) => {
    const rows = await sys.store.list(belowTokens.roles, { values: false });
    return rows.length
      ? { keys: rows.map(([key]) => key.slice(belowTokens.roles.length)) }
      : undefined;
  },
});
