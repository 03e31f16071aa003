import type { PathCertificate } from "./path-certificate.ts";
import { anyPolicy } from "./path-policies.ts";

/** The policy inputs of path validation (RFC 5280 section 6.1.1). */
export interface PolicyOptions {
  /** Object identifiers of the acceptable policies; by default, any policy is acceptable. */
  readonly accepted?: readonly string[];
  /** Requires the path to be valid for one of the accepted policies. */
  readonly requireExplicit?: boolean;
  /** Ignores policy mappings (RFC 5280 section 6.1.1). */
  readonly inhibitMapping?: boolean;
  /** Ignores anyPolicy (RFC 5280 section 6.1.1). */
  readonly inhibitAny?: boolean;
}

/** A policy at one depth of the path. */
interface PolicyNode {
  /** Policies in the next certificate that satisfy this one. */
  expected: ReadonlySet<string>;
  /** Policies of the previous depth from which this policy follows. */
  readonly parents: ReadonlySet<string>;
}
/** The nodes at one depth, by policy. */
type Level = Map<string, PolicyNode>;

interface State {
  /** The policy graph, with one level for each depth. If it is empty, no policy is valid. */
  levels: Level[];
  explicit: number;
  mapping: number;
  any: number;
}

/** The result of policy processing: the valid policies, or the reason why there are none. */
type PolicyResult =
  | { readonly policies: readonly string[] }
  | { readonly failure: string; readonly at: PathCertificate };

/**
 * Processes the policies of a path, from the certificate below the anchor to the leaf (RFC 5280
 * section 6.1). Instead of the valid policy tree, which grows exponentially, it builds the policy
 * graph of RFC 9618, with one node per policy and depth.
 */
export function processPolicies(
  path: readonly PathCertificate[],
  options: PolicyOptions,
): PolicyResult {
  const count = path.length + 1;
  const state: State = {
    levels: [new Map([[anyPolicy, node([anyPolicy], [])]])],
    explicit: options.requireExplicit ? 0 : count,
    mapping: options.inhibitMapping ? 0 : count,
    any: options.inhibitAny ? 0 : count,
  };
  for (const [i, certificate] of path.entries()) {
    const isLeaf = i === path.length - 1;
    addLevel(state, certificate, isLeaf);
    const failure =
      check(state) ?? (isLeaf ? finish(state, certificate) : prepare(state, certificate));
    if (failure !== undefined) return { failure, at: certificate };
  }
  const policies = acceptedPolicies(state, options.accepted ?? [anyPolicy]);
  const leaf = path.at(-1);
  return leaf && state.explicit === 0 && policies.length === 0
    ? { failure: "no accepted policy is valid for the whole path", at: leaf }
    : { policies };
}

const node = (expected: readonly string[], parents: readonly string[]): PolicyNode => ({
  expected: new Set(expected),
  parents: new Set(parents),
});

const check = ({ explicit, levels }: State): string | undefined =>
  explicit === 0 && levels.length === 0
    ? "a policy is required, but none is valid up to this certificate"
    : undefined;

/** Performs steps (d) and (e) of RFC 5280 section 6.1.3. */
function addLevel(
  state: State,
  { policies, isSelfIssued }: PathCertificate,
  isLeaf: boolean,
): void {
  const above = state.levels.at(-1);
  if (!above || !policies.oids) {
    state.levels = [];
    return;
  }
  const parentsOf = new Map<string, string[]>();
  for (const [policy, { expected }] of above)
    for (const one of expected) {
      const parents = parentsOf.get(one);
      if (parents) parents.push(policy);
      else parentsOf.set(one, [policy]);
    }
  const level: Level = new Map();
  for (const policy of policies.oids) {
    if (policy === anyPolicy) continue;
    const parents = parentsOf.get(policy) ?? (above.has(anyPolicy) ? [anyPolicy] : []);
    if (parents.length > 0) level.set(policy, node([policy], parents));
  }
  if (policies.oids.includes(anyPolicy) && (state.any > 0 || (!isLeaf && isSelfIssued)))
    for (const [policy, parents] of parentsOf)
      if (!level.has(policy)) level.set(policy, node([policy], parents));
  state.levels.push(level);
  prune(state);
}

/** Deletes the nodes without children. If no node is left, no policy is valid. */
function prune(state: State): void {
  for (let depth = state.levels.length - 2; depth >= 0; depth--) {
    const used = new Set<string>();
    for (const { parents } of state.levels[depth + 1]?.values() ?? [])
      for (const parent of parents) used.add(parent);
    const level = state.levels[depth];
    for (const policy of level?.keys() ?? []) if (!used.has(policy)) level?.delete(policy);
  }
  if ((state.levels.at(-1)?.size ?? 0) === 0) state.levels = [];
}

/** Prepares for the next certificate (RFC 5280 section 6.1.4). */
function prepare(state: State, { policies, isSelfIssued }: PathCertificate): string | undefined {
  if (policies.mappings.some((mapping) => mapping.includes(anyPolicy)))
    return "policy mappings must not map anyPolicy";
  if (policies.mappings.length > 0) applyMappings(state, policies.mappings);
  if (!isSelfIssued) {
    state.explicit = decrement(state.explicit);
    state.mapping = decrement(state.mapping);
    state.any = decrement(state.any);
  }
  state.explicit = Math.min(state.explicit, policies.requireExplicit);
  state.mapping = Math.min(state.mapping, policies.inhibitMapping);
  state.any = Math.min(state.any, policies.inhibitAny);
  return undefined;
}
const decrement = (count: number): number => Math.max(0, count - 1);

function applyMappings(state: State, mappings: PathCertificate["policies"]["mappings"]): void {
  const level = state.levels.at(-1);
  if (!level) return;
  const targets = new Map<string, string[]>();
  for (const [issuer, subject] of mappings) {
    const subjects = targets.get(issuer);
    if (subjects) subjects.push(subject);
    else targets.set(issuer, [subject]);
  }
  const any = level.get(anyPolicy);
  for (const [policy, subjects] of targets) {
    const mapped = level.get(policy);
    if (state.mapping === 0) level.delete(policy);
    else if (mapped) mapped.expected = new Set(subjects);
    else if (any) level.set(policy, { ...node(subjects, []), parents: any.parents });
  }
  prune(state);
}

/** Completes processing for the leaf (RFC 5280 section 6.1.5 a and b). */
function finish(state: State, { policies }: PathCertificate): string | undefined {
  state.explicit = policies.requireExplicit === 0 ? 0 : decrement(state.explicit);
  return check(state);
}

/** Returns the accepted policies that are valid for the path (RFC 5280 section 6.1.5 g). */
function acceptedPolicies({ levels }: State, accepted: readonly string[]): readonly string[] {
  const valid = new Set<string>();
  for (const level of levels.slice(1))
    for (const [policy, { parents }] of level)
      if (policy !== anyPolicy && parents.has(anyPolicy)) valid.add(policy);
  const endsInAny = levels.at(-1)?.has(anyPolicy) ?? false;
  if (accepted.includes(anyPolicy)) return [...valid, ...(endsInAny ? [anyPolicy] : [])];
  return accepted.filter((policy) => endsInAny || valid.has(policy));
}
