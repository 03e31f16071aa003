import { CaError } from "../../base/errors.ts";
import { foldPolicyName } from "../../base/policy-name.ts";
import { defaultPolicy, isKeyName, responseWrapping, rootPolicy } from "../../policy/index.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { belowPolicies } from "../../engine/policy-records.ts";

/** Maximum length of the normal form in UTF-16 code units. */
const maxLength = 128;
/**
 * Pattern of normalized names: words of letters, digits and marks in any script and some other
 * characters, separated by single spaces or slashes. Commas are not allowed, because lists are
 * split at them.
 */
const shape = /^(?!\p{M})[\p{L}\p{M}\p{N}_.:@+~-]+(?:[ /](?!\p{M})[\p{L}\p{M}\p{N}_.:@+~-]+)*$/u;
/** Matches invisible characters, stacked marks, and segments that a path cannot have. */
const hidden = /\p{Default_Ignorable_Code_Point}|\p{M}{9}|(?:^|\/)\.{1,2}(?:\/|$)/u;
/** Reserved policy names. */
const reserved: ReadonlySet<string> = new Set([
  rootPolicy.name,
  defaultPolicy.name,
  responseWrapping.name,
  "control-group",
]);

/** Returns a policy name in its stored form, or undefined if the name is not allowed. */
export function nameOf(text: string): string | undefined {
  const name = foldPolicyName(text);
  if (name.length > maxLength || !shape.test(name) || hidden.test(name) || !isKeyName(name))
    return undefined;
  // rejects full-width letters and similar characters, which can look like a reserved name
  const plain = name.normalize("NFKC").toLowerCase();
  return plain !== name && reserved.has(plain) ? undefined : name;
}

/** Returns the policy name in a row key. */
export const nameInKey = (key: string): string =>
  decodeURIComponent(key.slice(belowPolicies.length));

/**
 * Returns the stored form of the name of a policy to write or delete, and warns if this form
 * differs from the name in the request. Throws `malformed` for invalid names, and for policies that
 * must not change.
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
