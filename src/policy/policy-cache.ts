import { CaError } from "../base/errors.ts";
import { policyNameForm } from "../base/policy-name.ts";
import { storedPolicy, belowPolicies, policyKeys } from "../engine/policy-records.ts";
import type { Entity, Row } from "../engine/ports.ts";
import { kindOf, type StoreContext } from "../engine/store-context.ts";
import { compileAcl, rootPolicy, type Acl, type NamedPolicy } from "./acl.ts";
import { defaultPolicy, responseWrapping } from "./built-in.ts";
import type { Policy } from "./policy.ts";

/** Texts of built-in policies, which apply until they are written. */
const builtIn: ReadonlyMap<string, string> = new Map([
  [rootPolicy.name, ""],
  [defaultPolicy.name, defaultPolicy.text],
  [responseWrapping.name, responseWrapping.text],
]);
/** Returns the text in a policy's row, or its built-in text. */
export const textOf = (name: string, row: Row | undefined): string | undefined =>
  row ? storedPolicy(row.value).text : builtIn.get(name);

/** Maximum characters of policy texts whose parsed form is cached. */
const maxCached = 4_194_304;
/** A parsed policy with its revision. */
interface RevisedPolicy {
  readonly rev: number;
  readonly policy: NamedPolicy;
}
/** Combined rules, valid while the rows of their policies are unchanged. */
interface PolicyCache {
  readonly policies: Map<string, RevisedPolicy>;
  /** By names and revisions. */
  acls: Map<string, Acl>;
  /** The same per entity, for policies with templates. */
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

/** Policies that were read together; null for a missing one. */
const readTogether = kindOf<readonly (RevisedPolicy | null)[]>(2000, [belowPolicies]);
/**
 * Allowed characters of policy names in keys and lists: no control characters, surrogates or line
 * separators.
 */
const keyPattern = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,256}$/u;
/** Reports whether a name can be part of a key; keys have at most 512 characters. */
export const isKeyName = (name: string): boolean =>
  keyPattern.test(name) && policyKeys.policy(name).length <= 512;
/** Normalizes a policy name. Only the exact spelling `root` means `root`. */
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
/** Returns the existing policies among these names, at most a second old. */
export const policiesOf = async (
  sys: StoreContext,
  names: readonly string[],
): Promise<readonly NamedPolicy[]> => (await readPolicies(sys, names)).map(({ policy }) => policy);

/** The parser of policies, loaded on first use. */
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
    // a policy that cannot be parsed must not disable its denials
    throw new CaError("damaged", `the policy ${name} cannot be read`, { cause });
  }
}

/** Maximum cached combinations of policies, in total and per entity. */
const [maxLists, maxPerEntity] = [2000, 10];
/**
 * Returns the combined rules of policies, at most a second old (D 4, Freshness). Unknown names
 * grant nothing. Throws CaError `damaged` for a stored policy that cannot be parsed.
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
