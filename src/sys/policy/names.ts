import { CaError } from "../../base/errors.ts";
import { responseWrapping, rootPolicy } from "../../policy/index.ts";
import type { Caller } from "../../wire/endpoint.ts";

/** What a name may look like: one case, and no letters that look like others (security row 91). */
const name = /^(?=.{1,128}$)[\w.:@+~-]+(?:\/[\w.:@+~-]+)*$/i;

/** The name of a policy as it is stored; undefined for what can be none. */
export const nameOf = (given: string): string | undefined =>
  name.test(given) ? given.toLowerCase() : undefined;

/**
 * The name of a policy that is to be written or deleted; whoever spelled it otherwise is told.
 * Throws `malformed` for what can be none, and for those that nobody may change.
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
      "invalid policy name: use up to 128 of the letters a to z, digits and _ . : @ + ~ - /",
    );
  if (stored === rootPolicy.name || stored === responseWrapping.name)
    throw new CaError("malformed", `cannot ${doing} "${stored}" policy`);
  if (stored !== given) caller.warn(`policy name was converted to ${stored}`);
  return stored;
}
