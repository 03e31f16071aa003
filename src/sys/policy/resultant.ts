import { aclOf, type Grant } from "../../policy/index.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { anyLists, flag, int, list, mapsOf } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";

const valuesOf = (values: Grant["allowed"]) => Object.fromEntries(values);
/** Returns a rule, formatted for responses, without empty members. */
export const toRuleReply = (grant: Grant): Readonly<Record<string, unknown>> => ({
  capabilities: grant.capabilities.length === 0 ? ["deny"] : [...grant.capabilities].sort(),
  ...(grant.allowed.size ? { allowed_parameters: valuesOf(grant.allowed) } : {}),
  ...(grant.denied.size ? { denied_parameters: valuesOf(grant.denied) } : {}),
  ...(grant.required.length ? { required_parameters: grant.required } : {}),
  ...(grant.minWrap ? { min_wrapping_ttl: grant.minWrap } : {}),
  ...(grant.maxWrap ? { max_wrapping_ttl: grant.maxWrap } : {}),
});

/** Reply fields of a rule. */
export const ruleShape = {
  capabilities: list.required("Capabilities. Only `deny` if there are none."),
  allowed_parameters: anyLists.optional(
    "Allowed parameter values by name. An empty list allows any value.",
  ),
  denied_parameters: anyLists.optional(
    "Denied parameter values by name. An empty list denies any value.",
  ),
  required_parameters: list.optional("Required parameters."),
  min_wrapping_ttl: int.optional("Minimum lifetime of a wrapping token in seconds."),
  max_wrapping_ttl: int.optional("Maximum lifetime of a wrapping token in seconds."),
} as const;

export const resultantAcl = systemEndpoint({
  id: "resultantAcl",
  at: ["GET /internal/ui/resultant-acl"],
  access: "token",
  style: envelope,
  doc: "Returns the combined permissions of the caller's token by path.",
  body: {},
  reply: {
    root: flag.required("Whether the token has the policy `root`, which allows everything."),
    exact_paths: mapsOf(ruleShape).required("Permissions by exact path."),
    glob_paths: mapsOf(ruleShape).required(
      "Permissions by pattern. Patterns have no trailing star, but are as written if they contain `+`.",
    ),
  },
  run: async ({ sys }, _, caller) => {
    const { root, rules } = await aclOf(sys, caller.identity.policies, caller.identity.entity);
    const pathOf = ({ pattern }: Grant) =>
      /(^|\/)\+(\/|$)/.test(pattern) ? pattern : pattern.replace(/\*$/, "");
    return {
      root,
      exact_paths: Object.fromEntries(
        [...rules.exact].map(([path, one]) => [path, toRuleReply(one)]),
      ),
      glob_paths: Object.fromEntries(rules.wild.map((one) => [pathOf(one), toRuleReply(one)])),
    };
  },
});
