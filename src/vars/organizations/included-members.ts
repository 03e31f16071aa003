import type { StoreContext } from "../../engine/store-context.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { documentMember, parameter } from "../jsonapi/document.ts";
import { listOf } from "../jsonapi/resource-schema.ts";
import { rowsOf } from "../rows/change.ts";
import { rowKeys } from "../rows/keys.ts";
import type { TeamRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";
import { userDocument, userSchema } from "./user-document.ts";

/** The member `includedMember` of an answer. */
export const includedMember = {
  ...documentMember<readonly ReturnType<typeof userDocument>[] | undefined>(
    listOf(userSchema),
    "The members, if requested.",
  ),
  required: false,
} as const;
/** The parameter that asks for it. */
export const includeParameter = parameter(
  "`users` includes the members in the response. Other values are ignored.",
);
/**
 * The members of some teams as further resources, if they were asked for. Mail addresses are shown
 * to their owners, and to the first user, who makes users.
 */
export async function membersOf(
  storeContext: StoreContext,
  caller: Caller,
  teams: readonly TeamRow[],
  asked: string | undefined,
) {
  if (!asked?.split(",").includes("users")) return undefined;
  const ids = new Set(teams.flatMap(({ users }) => users));
  const known = new Map(
    (
      await rowsOf(
        storeContext,
        storedRows.user,
        [...new Set([caller.id, ...ids])].map(rowKeys.user),
      )
    ).map((user) => [user.id, user]),
  );
  const all = known.get(caller.id)?.admin === true;
  return [...ids].flatMap((id) => {
    const user = known.get(id);
    return user
      ? [userDocument({ ...user, email: all || id === caller.id ? user.email : null }, false)]
      : [];
  });
}
