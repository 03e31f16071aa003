import { hasControlCharacter } from "../../base/names.ts";
import { CaError } from "../../base/errors.ts";
import { caselessParameter } from "../../base/forms.ts";
import { policyNameForm } from "../../base/policy-name.ts";
import { text } from "../../wire/field.ts";
import type { Forms } from "../../wire/endpoint-list.ts";

/** Returns names of policies as rows have them: in their normal form, each once, sorted. */
export const policyNames = (names: readonly string[]): readonly string[] =>
  [...new Set(names.map(policyNameForm).filter((name) => name !== ""))].sort();

/** Policies that an entity or a group may bring: never `root`. Throws `malformed`. */
export function identityPolicies(names: readonly string[]): readonly string[] {
  const policies = policyNames(names);
  if (policies.includes("root"))
    throw new CaError("malformed", "entities and groups cannot have the policy root");
  return policies;
}

/** The name of an entity, a group or an alias. Throws `malformed` for one that no path can hold. */
export function readName(name: string): string {
  if (name === "" || name.length > 256 || name.includes("/") || hasControlCharacter(name))
    throw new CaError("malformed", "invalid name: use 1 to 256 characters without slashes");
  return name;
}

/** Returns a name of an entity or a group as it is compared: names that differ in case are one. */
export const foldedName = (name: string): string => name.toLowerCase();

const metadataText = text.required("");
/** Metadata as sent, its values as texts. */
export const readMetadata = (
  sent: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, metadataText.parse(value, name)]),
  );

/** Forms of ids and names in paths: ids are in lower case, and names have no case. */
export const identityForms: Forms = { id: caselessParameter, name: caselessParameter };
/** What ids look like. */
export const idPattern = /^[\w-]{1,64}$/;
