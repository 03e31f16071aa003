import { CaError } from "../../base/errors.ts";
import { foldPolicyName } from "../../base/policy-name.ts";
import { defaultPolicy, isKeyName, responseWrapping, rootPolicy } from "../../policy/index.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { belowPolicies } from "../../engine/policy-records.ts";

/** Maximum length in UTF-16 units of the normal form. */
const maxLength = 128;
/**
 * Pattern of normalized names: words of letters, digits and marks of any script and some signs,
 * separated by single spaces and slashes. No commas, because lists are split at them.
 */
const shape = /^(?!\p{M})[\p{L}\p{M}\p{N}_.:@+~-]+(?:[ /](?!\p{M})[\p{L}\p{M}\p{N}_.:@+~-]+)*$/u;
/** Invisible characters, stacked marks, and segments that a path cannot have. */
const hidden = /\p{Default_Ignorable_Code_Point}|\p{M}{9}|(?:^|\/)\.{1,2}(?:\/|$)/u;
/** Reserved names. */
const reserved: ReadonlySet<string> = new Set([
  rootPolicy.name,
  defaultPolicy.name,
  responseWrapping.name,
  "control-group",
]);

/** Returns a policy name in its stored form; undefined if it is not allowed. */
export function nameOf(text: string): string | undefined {
  const name = foldPolicyName(text);
  if (name.length > maxLength || !shape.test(name) || hidden.test(name) || !isKeyName(name))
    return undefined;
  // detects full-width letters and the like, which look like a reserved name
  const plain = name.normalize("NFKC").toLowerCase();
  return plain !== name && reserved.has(plain) ? undefined : name;
}

/** Returns the policy name in a key. */
export const nameInKey = (key: string): string =>
  decodeURIComponent(key.slice(belowPolicies.length));

/**
 * Returns the stored name of a policy to write or delete, with a warning if it differs from the
 * sent one. Throws `malformed` for invalid names and for policies that must not change.
 */
export function writableName(
  text: string,
  caller: Pick<Caller, "reply">,
  doing: "update" | "delete",
): string {
  const stored = nameOf(text);
  if (stored === undefined)
    throw new CaError(
      "malformed",
      "invalid policy name: use at most 128 letters, digits and _ . : @ + ~ - (fewer if not ASCII), with single spaces or / only between them; names that look like a reserved name are not allowed",
    );
  if (stored === rootPolicy.name || stored === responseWrapping.name)
    throw new CaError("malformed", `cannot ${doing} "${stored}" policy`);
  if (stored !== text) caller.reply.warn(`policy name was converted to ${stored}`);
  return stored;
}
