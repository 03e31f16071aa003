import { CaError } from "../base/errors.ts";
import { policyNameForm } from "../base/policy-name.ts";
import { kindOf } from "../engine/cache.ts";
import { storedPolicy } from "../engine/policy-records.ts";
import type { Entity, Row } from "../engine/ports.ts";
import type { StoreContext } from "../engine/store-context.ts";
import { compileAcl, rootPolicy, type Acl, type NamedPolicy } from "./acl.ts";
import { defaultPolicy, responseWrapping } from "./built-in.ts";
import type { Policy } from "./policy.ts";
import { belowPolicies, policyKeys } from "../engine/policy-records.ts";

/** The texts of policies that nobody has written. */
const builtIn: ReadonlyMap<string, string> = new Map([
  [rootPolicy.name, ""],
  [defaultPolicy.name, defaultPolicy.text],
  [responseWrapping.name, responseWrapping.text],
]);
/** The text of a policy by its row, or the one that it has from the start. */
export const textOf = (name: string, row: Row | undefined): string | undefined =>
  row ? storedPolicy(row.value).text : builtIn.get(name);

/** Most characters of texts of which what was read is kept. */
const maxCached = 4_194_304;
/** A policy as it was read, with its revision. */
interface Held {
  readonly rev: number;
  readonly policy: NamedPolicy;
}
/** What was made of policies, as long as their rows are the same. */
interface Made {
  readonly policies: Map<string, Held>;
  /** By names and revisions. */
  acls: Map<string, Acl>;
  /** The same, for templates. */
  ofEntities: WeakMap<Entity, Map<string, Acl>>;
  size: number;
}
const kept = kindOf<Made>();
const madeIn = ({ cache }: StoreContext): Made =>
  cache.lasting(kept, () => ({
    policies: new Map(),
    acls: new Map(),
    ofEntities: new WeakMap(),
    size: 0,
  }));

/** Policies of some names as they were read together; null for one that is not there. */
const read = kindOf<readonly (Held | null)[]>(2000, [belowPolicies]);
/** Characters of policy names in keys and in lists: others are no text, or separate lines. */
const possible = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,256}$/u;
/** Reports whether a name can have a row: keys have at most 512 characters. */
export const isKeyName = (name: string): boolean =>
  possible.test(name) && policyKeys.policy(name).length <= 512;
/** Returns the normal form of a name; only `root` itself, and no other spelling, means `root`. */
const keyName = (given: string): string => {
  const name = policyNameForm(given);
  return name === rootPolicy.name ? given : name;
};
async function readPolicies(sys: StoreContext, given: readonly string[]): Promise<readonly Held[]> {
  const names = [...new Set(given.map(keyName))].filter(isKeyName);
  const held = await sys.cache.recent(read, names.join("\n"), async () => {
    const [language, rows] = await Promise.all([
      import("./policy.ts"),
      sys.store.get(names.map(policyKeys.policy)),
    ]);
    return names.map((name, at) => heldOf(madeIn(sys), name, rows[at], language));
  });
  return held.filter((one) => one !== null);
}
/** The policies of these names that there are, at most a second old. */
export const policiesOf = async (
  sys: StoreContext,
  names: readonly string[],
): Promise<readonly NamedPolicy[]> => (await readPolicies(sys, names)).map(({ policy }) => policy);

/** What reads policies; loaded with the first. */
type Language = typeof import("./policy.ts");
function heldOf(
  made: Made,
  name: string,
  row: Row | undefined,
  { parsePolicy }: Language,
): Held | null {
  const rev = row?.rev ?? 0;
  const before = made.policies.get(name);
  if (before?.rev === rev) return before;
  const text = textOf(name, row);
  if (text === undefined) return null;
  if (made.size + text.length > maxCached) {
    made.policies.clear();
    made.acls.clear();
    made.size = 0;
  }
  const held = { rev, policy: { name, ...parsed(name, () => parsePolicy(text)) } };
  made.policies.set(name, held);
  made.size += text.length + 1000;
  return held;
}
function parsed(name: string, parse: () => Policy): Policy {
  try {
    return parse();
  } catch (cause) {
    // what it denies must not be granted because nobody can read it
    throw new CaError("damaged", `the policy ${name} cannot be read`, { cause });
  }
}

/** Most lists of policies of which the rules are kept, of one entity and of all. */
const [maxLists, maxPerEntity] = [2000, 10];
/**
 * What policies of these names grant together, at most a second old (D 4, Freshness). Names without
 * a policy grant nothing. Throws CaError `damaged` for one that is stored and cannot be read.
 */
export async function aclOf(
  sys: StoreContext,
  names: readonly string[],
  entity?: Entity,
): Promise<Acl> {
  if (names.includes(rootPolicy.name)) return compileAcl([rootPolicy]);
  const held = await readPolicies(sys, names);
  const made = madeIn(sys);
  let acls = made.acls;
  if (entity) {
    acls = made.ofEntities.get(entity) ?? new Map<string, Acl>();
    made.ofEntities.set(entity, acls);
  }
  const key = held.map(({ rev, policy }) => `${policy.name} ${rev}`).join("\n");
  let acl = acls.get(key);
  if (!acl) {
    acl = compileAcl(
      held.map(({ policy }) => policy),
      entity,
    );
    if (acls.size >= (entity ? maxPerEntity : maxLists)) acls.clear();
    acls.set(key, acl);
  }
  return acl;
}
