import { CaError } from "../../base/errors.ts";
import { foldPolicyName } from "../../base/policy-name.ts";
import { defaultPolicy, isKeyName, responseWrapping, rootPolicy } from "../../policy/index.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { belowPolicies } from "../../engine/policy-records.ts";

/** Longest name, in UTF-16 units of its normal form. */
const maxLength = 128;
/**
 * Names in their normal form: words of letters, digits and marks of any script and some signs,
 * with single spaces and slashes between them. Lists are split at commas, so names have none.
 */
const shape = /^(?!\p{M})[\p{L}\p{M}\p{N}_.:@+~-]+(?:[ /](?!\p{M})[\p{L}\p{M}\p{N}_.:@+~-]+)*$/u;
/** Characters that are not seen, piles of marks, and segments that a path cannot have. */
const hidden = /\p{Default_Ignorable_Code_Point}|\p{M}{9}|(?:^|\/)\.{1,2}(?:\/|$)/u;
/** Names with a meaning of their own. */
const reserved: ReadonlySet<string> = new Set([
  rootPolicy.name,
  defaultPolicy.name,
  responseWrapping.name,
  "control-group",
]);

/** Returns the name of a policy as it is stored; undefined where no policy can have the name. */
export function nameOf(given: string): string | undefined {
  const name = foldPolicyName(given);
  if (name.length > maxLength || !shape.test(name) || hidden.test(name) || !isKeyName(name))
    return undefined;
  // letters of full width and the like: to the eye the name is a reserved one
  const plain = name.normalize("NFKC").toLowerCase();
  return plain !== name && reserved.has(plain) ? undefined : name;
}

/** Returns the name of the policy whose row has a key. */
export const nameInKey = (key: string): string =>
  decodeURIComponent(key.slice(belowPolicies.length));

/**
 * Returns the name of a policy that is to be written or deleted, and warns the caller who spelled
 * it otherwise. Throws `malformed` for a name that no policy can have, and for those that nobody
 * may change.
 */
export function writableName(
  given: string,
  caller: Pick<Caller, "warn">,
  doing: "update" | "delete",
): string {
  const stored = nameOf(given);
  if (stored === undefined)
    throw new CaError(
      "malformed",
      "invalid policy name: use up to 128 letters (fewer of other scripts), digits and _ . : @ + ~ - with single spaces or / between them, and no look-alike of a reserved name",
    );
  if (stored === rootPolicy.name || stored === responseWrapping.name)
    throw new CaError("malformed", `cannot ${doing} "${stored}" policy`);
  if (stored !== given) caller.warn(`policy name was converted to ${stored}`);
  return stored;
}
