import { CaError } from "../../base/errors.ts";
import { matchesGlob } from "../../base/glob.ts";
import { foldPolicyName, policyNameForm } from "../../base/policy-name.ts";
import type { TokenRoleRow } from "../rows/tokens.ts";
import { policyNames as storedNames } from "../entity/names.ts";

/**
 * Returns the policy names of a token as stored: case-folded, without duplicates, sorted. If they
 * include `root`, returns only `root`.
 */
export function policyNames(names: readonly string[]): readonly string[] {
  const named = storedNames(names);
  return named.includes("root") ? ["root"] : named;
}
const withDefault = (names: readonly string[], add: boolean): readonly string[] =>
  policyNames(add ? [...names, "default"] : names);

/** The input for the policies of a new token. */
interface PolicyInput {
  /** Requested policies. */
  readonly requested: readonly string[];
  readonly no_default_policy: boolean;
  /** Names of the policies of the caller's token. */
  readonly parent: readonly string[];
  /** Whether the caller has sudo on the path. */
  readonly isSudo: boolean;
  readonly role?: TokenRoleRow | undefined;
}
/** Names of policies that no token may have. */
const unassignable = ["response-wrapping", "control-group"];

/**
 * Returns the policies of a new token (P 9.6). Throws `malformed` if the caller may not grant them.
 */
export function policiesFor(request: PolicyInput): readonly string[] {
  const allowed =
    request.role && restricts(request.role) ? ofRole(request, request.role) : ofParent(request);
  // with no_default_policy, the token does not inherit `default` from the parent or the role either
  const policies = request.no_default_policy
    ? allowed.filter((name) => name !== "default")
    : allowed;
  const bad = unassignable.find((name) => policies.includes(name));
  if (bad !== undefined) throw new CaError("malformed", `cannot assign policy "${bad}"`);
  if (policies.includes("root") && !request.parent.includes("root"))
    throw new CaError(
      "malformed",
      "root tokens may not be created without parent token being root",
    );
  return policies;
}

function ofParent(request: PolicyInput): readonly string[] {
  const { requested, parent, isSudo, role } = request;
  const add = !request.no_default_policy && role?.token_no_default_policy !== true;
  if (requested.length === 0) return policyNames(parent);
  if (isSudo) return withDefault(requested, add);
  const had = new Set(parent.map(policyNameForm));
  if (!policyNames(requested).every((name) => had.has(name)))
    throw new CaError("malformed", "child policies must be subset of parent");
  return withDefault(requested, add && had.has("default"));
}

const restricts = (role: TokenRoleRow): boolean =>
  [
    role.allowed_policies,
    role.allowed_policies_glob,
    role.disallowed_policies,
    role.disallowed_policies_glob,
  ].some((names) => names.length > 0);
/**
 * Returns the policies of a token that is created with a role, regardless of the parent's policies.
 */
function ofRole(
  { requested: names, parent, no_default_policy }: PolicyInput,
  role: TokenRoleRow,
): readonly string[] {
  const forbidden = (name: string): boolean =>
    storedNames(role.disallowed_policies).includes(name) ||
    fitsOne(role.disallowed_policies_glob, name);
  const add = !no_default_policy && !role.token_no_default_policy && !forbidden("default");
  const allowed = withDefault(role.allowed_policies, add);
  const isAllowed = (name: string): boolean =>
    allowed.includes(name) || fitsOne(role.allowed_policies_glob, name);
  const limited = role.allowed_policies.length > 0 || role.allowed_policies_glob.length > 0;
  const requested = names.length > 0 ? withDefault(names, add) : limited ? allowed : undefined;
  if (limited && requested && !requested.every(isAllowed))
    throw new CaError(
      "malformed",
      `token policies (${quoted(requested)}) must be subset of the role's allowed policies (${quoted(allowed)}) or glob policies (${quoted(role.allowed_policies_glob)})`,
    );
  const policies = requested ?? withDefault(parent, add);
  const bad = policies.find(forbidden);
  if (bad !== undefined)
    throw new CaError("malformed", `token policy "${bad}" is disallowed by this role`);
  return policies;
}
const fitsOne = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => matchesGlob(foldPolicyName(pattern), name));
/** Quotes policy names for an error message. */
const quoted = (names: readonly string[]): string =>
  JSON.stringify(names.slice(0, 100)).replaceAll('","', '" "').slice(0, 2000);
