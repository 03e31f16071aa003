import { aclOf, type Grant } from "../../policy/index.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { anyLists, flag, int, list, mapsOf } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";

const valuesOf = (values: Grant["allowed"]) => Object.fromEntries(values);
/** Returns a rule for a reply, without empty members. */
export const shownRule = (grant: Grant): Readonly<Record<string, unknown>> => ({
  capabilities: grant.capabilities.length === 0 ? ["deny"] : [...grant.capabilities].sort(),
  ...(grant.allowed.size ? { allowed_parameters: valuesOf(grant.allowed) } : {}),
  ...(grant.denied.size ? { denied_parameters: valuesOf(grant.denied) } : {}),
  ...(grant.required.length ? { required_parameters: grant.required } : {}),
  ...(grant.minWrap ? { min_wrapping_ttl: grant.minWrap } : {}),
  ...(grant.maxWrap ? { max_wrapping_ttl: grant.maxWrap } : {}),
});

/** Reply fields of a rule. */
export const ruleShape = {
  capabilities: list.required("What may be done; `deny` alone where nothing may."),
  allowed_parameters: anyLists.optional("Values that members may have, by name; none: any."),
  denied_parameters: anyLists.optional("Values that members may not have, by name; none: any."),
  required_parameters: list.optional("Members that a request must have."),
  min_wrapping_ttl: int.optional("Shortest lifetime of a wrapping token, seconds."),
  max_wrapping_ttl: int.optional("Longest lifetime of a wrapping token, seconds."),
} as const;

export const resultantAcl = systemEndpoint({
  id: "resultantAcl",
  at: ["GET /internal/ui/resultant-acl"],
  access: "token",
  style: envelope,
  doc: "Returns what the policies of the caller's token grant together, by path.",
  body: {},
  reply: {
    root: flag.required("Whether the token may do everything."),
    exact_paths: mapsOf(ruleShape).required("Rules of single paths, by path."),
    glob_paths: mapsOf(ruleShape).required(
      "Rules of patterns: those that end with a star by what stands before it, those with `+` as written.",
    ),
  },
  run: async ({ sys }, _, caller) => {
    const { root, rules } = await aclOf(sys, caller.policies, caller.entity);
    const pathOf = ({ pattern }: Grant) =>
      /(^|\/)\+(\/|$)/.test(pattern) ? pattern : pattern.replace(/\*$/, "");
    return {
      root,
      exact_paths: Object.fromEntries(
        [...rules.exact].map(([path, one]) => [path, shownRule(one)]),
      ),
      glob_paths: Object.fromEntries(rules.wild.map((one) => [pathOf(one), shownRule(one)])),
    };
  },
});
