import { byCodePoint } from "../../base/code-point.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { rowsOf, textIn } from "./change.ts";
import { rowKeys } from "./keys.ts";
import type { NamedWorkspace, TeamRow } from "./rows.ts";
import { storedRows } from "./stored.ts";

/** Returns the teams of an organization. */
export async function teamsIn(
  storeContext: StoreContext,
  organization: string,
): Promise<readonly TeamRow[]> {
  const names = await storeContext.store.list(rowKeys.teamNames(organization));
  // rows under teamname/ contain IDs
  return rowsOf(
    storeContext,
    storedRows.team,
    names.map(([, row]) => rowKeys.team(textIn(row.value))),
  );
}
/** Returns the workspaces of an organization, sorted by name. */
export async function workspacesIn(
  storeContext: StoreContext,
  organization: string,
): Promise<readonly NamedWorkspace[]> {
  const prefix = rowKeys.workspaceNames(organization);
  const rows = await storeContext.store.list(prefix);
  // the key ends with the workspace's name, and the row contains its ID
  return rows
    .map(([key, row]) => ({ id: textIn(row.value), name: key.slice(prefix.length) }))
    .sort((one, other) => byCodePoint(one.name, other.name));
}
