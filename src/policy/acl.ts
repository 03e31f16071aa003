import { type Grant, denyRule } from "./merge.ts";
import { type RuleIndex, selectionOf } from "./selection.ts";
import { memoize } from "../base/memo.ts";
import type { AccessRequest, Capability, Entity, Identity, PathForms } from "../engine/ports.ts";
import { renderPattern, type RenderedPattern } from "./pattern.ts";
import type { PathRule, Policy } from "./policy.ts";

/**
 * A character that represents a wildcard in a sample path. It ends the path of a URL, so useful
 * patterns do not contain it.
 */
const any = "?";
const grantsAny = (grant: Grant | undefined): boolean =>
  grant !== undefined && grant.capabilities.length > 0 && !grant.capabilities.includes("deny");

/**
 * Returns a sample path that a pattern matches under a prefix, or undefined if the pattern matches
 * no path there. The prefix ends with a slash.
 */
function sampleOf(pattern: string, prefix: string): string | undefined {
  const glob = pattern.endsWith("*");
  const segments = (glob ? pattern.slice(0, -1) : pattern).split("/");
  const above = prefix.split("/").slice(0, -1);
  const last = segments.length - 1;
  for (const [at, named] of above.entries()) {
    const segment = segments[at];
    if (glob && at === last) return named.startsWith(segment ?? "") ? prefix + any : undefined;
    // the prefix itself is not a path under it
    if (at >= last || (segment !== "+" && segment !== named)) return undefined;
  }
  const below = segments.slice(above.length).map((segment) => (segment === "+" ? any : segment));
  return prefix + below.join("/") + (glob ? any : "");
}

/**
 * Reports whether any capability is granted on a path prefix, which ends with a slash, or on a path
 * under it (P 9.3).
 */
function grantsBelow({ find, exact, wild }: RuleIndex, prefix: string): boolean {
  if ([prefix, prefix + any].some((path) => grantsAny(find(path)))) return true;
  const isReached = (pattern: string, grant: Grant): boolean => {
    if (!grantsAny(grant)) return false;
    const sample = sampleOf(pattern, prefix);
    // check the grant of the sample path, because another rule may take precedence there
    return sample !== undefined && grantsAny(find(sample));
  };
  for (const [path, grant] of exact)
    if (path.startsWith(prefix) && isReached(path, grant)) return true;
  return wild.some((grant) => isReached(grant.pattern, grant));
}

/** A policy with its name. */
export interface NamedPolicy extends Policy {
  readonly name: string;
}
/** The policy with full access, which has no text. */
export const rootPolicy: NamedPolicy = { name: "root", rules: [] };

/** Combined rules of several policies. */
export interface Acl {
  readonly root: boolean;
  can(capability: Capability, path: string, forms?: PathForms): boolean;
  /**
   * Reports whether any capability is granted on a path prefix, which ends with a slash, or on a
   * path under it.
   */
  reaches(prefix: string): boolean;
  /** Reports whether the rules allow a request with its path and its parameters. */
  permits(request: AccessRequest): boolean;
  /**
   * Returns the rule that applies to a path. Returns undefined if no rule applies, so that nothing
   * is granted.
   */
  explain(capability: Capability, path: string, forms?: PathForms): Grant | undefined;
  /** All rules: those for single paths, and those with wildcards, in order of precedence. */
  readonly rules: Pick<RuleIndex, "exact" | "wild">;
}

const everything: Grant = {
  pattern: "*",
  policies: [rootPolicy.name],
  capabilities: [],
  allowed: new Map(),
  denied: new Map(),
  required: [],
  minWrap: 0,
  maxWrap: 0,
};
const rootAcl: Acl = {
  root: true,
  can: () => true,
  reaches: () => true,
  permits: () => true,
  explain: () => everything,
  rules: { exact: new Map(), wild: [] },
};

/**
 * Returns a rule whose pattern is rendered for an entity. Returns undefined if a template has no
 * value.
 */
function ruledBy(
  name: string,
  { pattern, rule }: PathRule,
  entity?: Entity,
): readonly [RenderedPattern, Grant] | undefined {
  const rendered = renderPattern(pattern, entity);
  if (!rendered) return undefined;
  const grant = rendered.denies
    ? denyRule(rendered.text, name)
    : { ...rule, pattern: rendered.text, policies: [name] };
  return [rendered, grant];
}
/** The rendered rules of a policy that have no templates and are thus the same for all entities. */
const sharedRules = memoize(({ name, rules }: NamedPolicy) =>
  rules.map((one) => (one.pattern.pieces.length === 1 ? ruledBy(name, one) : undefined)),
);

/**
 * Combines policies (P 9.5.1). `entity` provides the values of templates in paths. Rules whose
 * templates have no value are ignored.
 */
export function compileAcl(policies: readonly NamedPolicy[], entity?: Entity): Acl {
  if (policies.some(({ name }) => name === rootPolicy.name)) return rootAcl;
  const selection = selectionOf(
    policies.flatMap((policy) => {
      const shared = sharedRules(policy);
      return policy.rules.flatMap((one, at) => {
        const ruled = shared[at] ?? ruledBy(policy.name, one, entity);
        return ruled ? [ruled] : [];
      });
    }),
  );
  // every parsed policy with rules has this function, and without rules nothing is granted
  const decidingPolicy = policies.find(({ admits }) => admits);
  const ruleFor = (capability: Capability, path: string, forms?: PathForms) =>
    // patterns match the path of a listing with a trailing slash
    selection.find(capability === "list" && !path.endsWith("/") ? `${path}/` : path, forms);
  return {
    root: false,
    can: (capability, path, forms) => grants(ruleFor(capability, path, forms), capability),
    reaches: (prefix) => grantsBelow(selection, prefix),
    permits: (request) =>
      permitted(
        ruleFor(request.capability, request.path, request.forms),
        request,
        decidingPolicy?.admits,
      ),
    explain: ruleFor,
    rules: selection,
  };
}

const grants = (grant: Grant | undefined, capability: Capability): grant is Grant =>
  grant?.capabilities.includes(capability) === true;
/** The capabilities of requests that have parameters. */
const parameterCapabilities: ReadonlySet<Capability> = new Set([
  "create",
  "read",
  "update",
  "patch",
]);
function permitted(
  grant: Grant | undefined,
  { capability, parameters, declared, wrapTtl }: AccessRequest,
  admits: Policy["admits"],
): boolean {
  if (!grants(grant, capability)) return false;
  const { minWrap, maxWrap } = grant;
  if (maxWrap > 0 && (wrapTtl === undefined || wrapTtl > maxWrap)) return false;
  if (minWrap > 0 && (wrapTtl === undefined || wrapTtl < minWrap)) return false;
  return !parameterCapabilities.has(capability) || admits?.(grant, parameters, declared) === true;
}

const askable: readonly Capability[] = [
  "create",
  "delete",
  "list",
  "patch",
  "read",
  "sudo",
  "update",
];
/**
 * Returns the sorted capabilities of an identity on a path. Returns only `root` for the `root`
 * policy, and only `deny` if there are none (P 9.5.2).
 */
export function capabilitiesOf(
  identity: Pick<Identity, "policies" | "can">,
  path: string,
  forms?: PathForms,
): readonly string[] {
  if (identity.policies?.includes(rootPolicy.name)) return [rootPolicy.name];
  const granted = askable.filter((capability) => identity.can(capability, path, forms));
  return granted.length === 0 ? ["deny"] : granted;
}
