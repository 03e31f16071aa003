import type { ParameterValues, PolicyCapability, Rule } from "./rule.ts";

/** The combined rules of all policies for one pattern. */
export interface Grant extends Rule {
  /** The pattern, with the values of its templates. */
  readonly pattern: string;
  /** Names of the policies that contain the pattern, in the order of the policies. */
  readonly policies: readonly string[];
}

const denial: Rule = {
  capabilities: ["deny"],
  allowed: new Map(),
  denied: new Map(),
  required: [],
  minWrap: 0,
  maxWrap: 0,
};
/** Returns a rule that denies everything that its pattern matches. */
export const denyRule = (pattern: string, policy: string): Grant => ({
  ...denial,
  pattern,
  policies: [policy],
});

/**
 * Combines two rules for the same pattern (P 9.5.1):
 *
 * - the capabilities of both are granted, but a denial in either denies everything,
 * - a rule that allows any value of a parameter takes precedence over a rule with specific values,
 * - the shorter lifetimes apply.
 */
export function merge(a: Grant, b: Grant): Grant {
  const policies = [...new Set([...a.policies, ...b.policies])];
  const denies = [a, b].filter(({ capabilities }) => capabilities.includes("deny"));
  if (denies.length > 0)
    return {
      ...denial,
      pattern: a.pattern,
      policies: [...new Set(denies.flatMap((one) => one.policies))],
    };
  return {
    pattern: a.pattern,
    policies,
    capabilities: [...new Set<PolicyCapability>([...a.capabilities, ...b.capabilities])],
    allowed: both(a.allowed, b.allowed),
    denied: both(a.denied, b.denied),
    required: [...new Set([...a.required, ...b.required])],
    minWrap: shorter(a.minWrap, b.minWrap),
    maxWrap: shorter(a.maxWrap, b.maxWrap),
  };
}
const shorter = (a: number, b: number): number => (a === 0 || b === 0 ? a || b : Math.min(a, b));
function both(a: ParameterValues, b: ParameterValues): ParameterValues {
  const merged = new Map(a);
  for (const [name, values] of b) {
    const previous = merged.get(name);
    const any = values.length === 0 || previous?.length === 0;
    merged.set(name, any ? [] : [...(previous ?? []), ...values]);
  }
  return merged;
}
