import { CaError } from "../base/errors.ts";
import { policyNameForm } from "../base/policy-name.ts";
import { storedPolicy, belowPolicies, policyKeys } from "../engine/policy-records.ts";
import type { Entity, Row } from "../engine/ports.ts";
import { kindOf, type StoreContext } from "../engine/store-context.ts";
import { compileAcl, rootPolicy, type Acl, type NamedPolicy } from "./acl.ts";
import { defaultPolicy, responseWrapping } from "./built-in.ts";
import type { Policy } from "./policy.ts";

/** Texts of the built-in policies, which apply until an operator writes them. */
const builtIn: ReadonlyMap<string, string> = new Map([
  [rootPolicy.name, ""],
  [defaultPolicy.name, defaultPolicy.text],
  [responseWrapping.name, responseWrapping.text],
]);
/**
 * Returns the text in a policy's row. Without a row, returns the built-in text of the policy, if
 * any.
 */
export const textOf = (name: string, row: Row | undefined): string | undefined =>
  row ? storedPolicy(row.value).text : builtIn.get(name);

/** Maximum total length in characters of the policy texts whose parsed form is cached. */
const maxCached = 4_194_304;
/** A parsed policy, with the revision of its row. */
interface RevisedPolicy {
  readonly rev: number;
  readonly policy: NamedPolicy;
}
/**
 * Cached policies and their combined rules, which are valid while the rows of the policies are
 * unchanged.
 */
interface PolicyCache {
  readonly policies: Map<string, RevisedPolicy>;
  /** Combined rules, by names and revisions of the policies. */
  acls: Map<string, Acl>;
  /** Combined rules of policies with templates, by entity, then by names and revisions. */
  ofEntities: WeakMap<Entity, Map<string, Acl>>;
  size: number;
}
const policyCache = kindOf<PolicyCache>();
const cacheOf = ({ cache }: StoreContext): PolicyCache =>
  cache.lasting(policyCache, () => ({
    policies: new Map(),
    acls: new Map(),
    ofEntities: new WeakMap(),
    size: 0,
  }));

/** Policies that were read together. Null represents a policy that does not exist. */
const readTogether = kindOf<readonly (RevisedPolicy | null)[]>(2000, [belowPolicies]);
/**
 * Matches names that are allowed in keys and lists: they contain no control characters, surrogates
 * or line separators.
 */
const keyPattern = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,256}$/u;
/** Reports whether a policy name can be part of a row key. A row key has at most 512 characters. */
export const isKeyName = (name: string): boolean =>
  keyPattern.test(name) && policyKeys.policy(name).length <= 512;
/** Normalizes a policy name, but leaves other spellings of `root` unchanged. */
const keyName = (text: string): string => {
  const name = policyNameForm(text);
  return name === rootPolicy.name ? text : name;
};
async function readPolicies(
  sys: StoreContext,
  requested: readonly string[],
): Promise<readonly RevisedPolicy[]> {
  const names = [...new Set(requested.map(keyName))].filter(isKeyName);
  const cached = await sys.cache.recent(readTogether, names.join("\n"), async () => {
    const [language, rows] = await Promise.all([
      import("./policy.ts"),
      sys.store.get(names.map(policyKeys.policy)),
    ]);
    return names.map((name, at) => parseRow(cacheOf(sys), name, rows[at], language));
  });
  return cached.filter((one) => one !== null);
}
/** Returns the existing policies with the given names, cached for at most one second. */
export const policiesOf = async (
  sys: StoreContext,
  names: readonly string[],
): Promise<readonly NamedPolicy[]> => (await readPolicies(sys, names)).map(({ policy }) => policy);

/** The module with the policy parser, which is imported on first use. */
type Language = typeof import("./policy.ts");
function parseRow(
  cache: PolicyCache,
  name: string,
  row: Row | undefined,
  { parsePolicy }: Language,
): RevisedPolicy | null {
  const rev = row?.rev ?? 0;
  const before = cache.policies.get(name);
  if (before?.rev === rev) return before;
  const text = textOf(name, row);
  if (text === undefined) return null;
  if (cache.size + text.length > maxCached) {
    cache.policies.clear();
    cache.acls.clear();
    cache.size = 0;
  }
  const parsedPolicy = { rev, policy: { name, ...parseOrRefuse(name, () => parsePolicy(text)) } };
  cache.policies.set(name, parsedPolicy);
  cache.size += text.length + 1000;
  return parsedPolicy;
}
function parseOrRefuse(name: string, parse: () => Policy): Policy {
  try {
    return parse();
  } catch (cause) {
    // fails, because otherwise the denials in the policy would be ignored
    throw new CaError(
      "damaged",
      `the stored policy ${name} is damaged and cannot be parsed; write it again`,
      { cause },
    );
  }
}

/** Maximum number of cached combinations of policies, in total and per entity. */
const [maxLists, maxPerEntity] = [2000, 10];
/**
 * Returns the combined rules of the policies with the given names, cached for at most one second (D
 * 4, Freshness). Names of policies that do not exist grant nothing. Throws CaError `damaged` if a
 * stored policy cannot be parsed.
 */
export async function aclOf(
  sys: StoreContext,
  names: readonly string[],
  entity?: Entity,
): Promise<Acl> {
  if (names.includes(rootPolicy.name)) return compileAcl([rootPolicy]);
  const policies = await readPolicies(sys, names);
  const cache = cacheOf(sys);
  let acls = cache.acls;
  if (entity) {
    acls = cache.ofEntities.get(entity) ?? new Map<string, Acl>();
    cache.ofEntities.set(entity, acls);
  }
  const key = policies.map(({ rev, policy }) => `${policy.name} ${rev}`).join("\n");
  let acl = acls.get(key);
  if (!acl) {
    acl = compileAcl(
      policies.map(({ policy }) => policy),
      entity,
    );
    if (acls.size >= (entity ? maxPerEntity : maxLists)) acls.clear();
    acls.set(key, acl);
  }
  return acl;
}
