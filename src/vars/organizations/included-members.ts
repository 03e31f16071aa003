import type { StoreContext } from "../../engine/store-context.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { documentMember, parameter } from "../jsonapi/document.ts";
import { listOf } from "../jsonapi/resource-schema.ts";
import { rowsOf } from "../rows/change.ts";
import { rowKeys } from "../rows/keys.ts";
import type { TeamRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";
import { userDocument, userSchema } from "./user-document.ts";

/** The `included` member of a response. */
export const includedMember = {
  ...documentMember<readonly ReturnType<typeof userDocument>[] | undefined>(
    listOf(userSchema),
    "The members, if requested.",
  ),
  required: false,
} as const;
/** The query parameter that requests the `included` member. */
export const includeParameter = parameter(
  "`users` includes the members in the response. Other values are ignored.",
);
/**
 * Returns the members of the given teams as included resources, if requested. An email address is
 * only visible to its user, and to the initial user, who creates users.
 */
export async function membersOf(
  storeContext: StoreContext,
  caller: Caller,
  teams: readonly TeamRow[],
  include: string | undefined,
) {
  if (!include?.split(",").includes("users")) return undefined;
  const ids = new Set(teams.flatMap(({ users }) => users));
  const users = new Map(
    (
      await rowsOf(
        storeContext,
        storedRows.user,
        [...new Set([caller.identity.id, ...ids])].map(rowKeys.user),
      )
    ).map((user) => [user.id, user]),
  );
  const all = users.get(caller.identity.id)?.admin === true;
  return [...ids].flatMap((id) => {
    const user = users.get(id);
    return user
      ? [
          userDocument(
            { ...user, email: all || id === caller.identity.id ? user.email : null },
            false,
          ),
        ]
      : [];
  });
}
