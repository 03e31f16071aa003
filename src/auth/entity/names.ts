import { hasControlCharacter } from "../../base/names.ts";
import { CaError } from "../../base/errors.ts";
import { caselessParameter } from "../../base/forms.ts";
import { policyNameForm } from "../../base/policy-name.ts";
import { text } from "../../wire/field.ts";
import type { Forms } from "../../wire/endpoint-list.ts";

/** Returns policy names as stored: case-folded, without duplicates, sorted. */
export const policyNames = (names: readonly string[]): readonly string[] =>
  [...new Set(names.map(policyNameForm).filter((name) => name !== ""))].sort();

/** Normalizes the policy names of an entity or group. Throws `malformed` if they include `root`. */
export function identityPolicies(names: readonly string[]): readonly string[] {
  const policies = policyNames(names);
  if (policies.includes("root"))
    throw new CaError("malformed", "entities and groups cannot have the policy root");
  return policies;
}

/**
 * Validates and returns the name of an entity, group or alias. Throws `malformed` if it is too long
 * or cannot be a URL path segment.
 */
export function readName(name: string): string {
  if (name === "" || name.length > 256 || name.includes("/") || hasControlCharacter(name))
    throw new CaError("malformed", "invalid name: use 1 to 256 characters without slashes");
  return name;
}

/** Case-folds the name of an entity or group for comparison. */
export const foldedName = (name: string): string => name.toLowerCase();

const metadataText = text.required("");
/** Returns metadata with all values converted to strings. */
export const readMetadata = (
  sent: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, metadataText.parse(value, name)]),
  );

/** Normal forms of path parameters: IDs in lower case, names case-folded. */
export const identityForms: Forms = { id: caselessParameter, name: caselessParameter };
/** Matches the IDs of entities, groups and aliases. */
export const idPattern = /^[\w-]{1,64}$/;
