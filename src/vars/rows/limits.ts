import type { StoreContext } from "../../engine/store-context.ts";
import { invalidError, requestFault } from "../jsonapi/fault.ts";
import { rowKeys } from "./keys.ts";
import type { Principal } from "./rows.ts";

/** Limits per owner, which bound the reads per request and the time that other requests wait. */
const maxCounts = {
  organizations: 100,
  joins: 100,
  memberships: 200,
  tokens: 100,
  workspaces: 1000,
  teams: 500,
} as const;

const full = (detail: string) => invalidError([requestFault("/data", detail)]);
/** Margin for concurrent writes of one kind; within it, each retry counts again. */
const slack = 100;
/**
 * Rejects if a listing has reached its limit, and returns whether it is near the limit. Near it,
 * each attempt must check again and expect a row that every such write changes, which serializes
 * the writes. Further away, no attempt needs to count a thousand rows.
 */
async function requireRoom(
  storeContext: StoreContext,
  prefix: string,
  limit: number,
  detail: string,
): Promise<boolean> {
  const existing = await storeContext.store.list(prefix, { limit, values: false });
  if (existing.length >= limit) throw full(detail);
  return existing.length >= limit - slack;
}

/** Checks that an organization may have one more workspace. Throws 422. */
export const roomForWorkspace = (
  storeContext: StoreContext,
  organization: string,
): Promise<boolean> =>
  requireRoom(
    storeContext,
    rowKeys.workspaceNames(organization),
    maxCounts.workspaces,
    `an organization can have at most ${maxCounts.workspaces} workspaces`,
  );
/** Checks that an organization may have one more team. Throws 422. */
export const roomForTeam = (storeContext: StoreContext, organization: string): Promise<boolean> =>
  requireRoom(
    storeContext,
    rowKeys.teamNames(organization),
    maxCounts.teams,
    `an organization can have at most ${maxCounts.teams} teams`,
  );
/** Checks that a user, a team or an organization may have one more token. Throws 422. */
export const roomForToken = (storeContext: StoreContext, principal: Principal): Promise<boolean> =>
  requireRoom(
    storeContext,
    rowKeys.tokensOf(principal),
    maxCounts.tokens,
    `a user or team can have at most ${maxCounts.tokens} tokens; delete one first`,
  );
/** Checks that a user may be in one more team. Throws 422. */
export const roomForMembership = (storeContext: StoreContext, user: string): Promise<boolean> =>
  requireRoom(
    storeContext,
    rowKeys.memberships(user),
    maxCounts.memberships,
    `a user can be in at most ${maxCounts.memberships} teams`,
  );
/** Checks that a user may agree to join one more organization. Throws 422. */
export function roomForJoins(organizations: readonly string[]): void {
  if (organizations.length >= maxCounts.joins)
    throw full(
      `a user can agree to join at most ${maxCounts.joins} organizations; leave one first`,
    );
}
/** Checks that a user in these organizations may be in one more. Throws 422. */
export function roomForOrganization(organizations: ReadonlySet<string>): void {
  if (organizations.size >= maxCounts.organizations)
    throw full(`a user can have at most ${maxCounts.organizations} organizations`);
}
