import type { StoreContext } from "../../engine/store-context.ts";
import { invalidError, requestFault } from "../jsonapi/fault.ts";
import { rowKeys } from "./keys.ts";
import type { Principal } from "./rows.ts";

/**
 * Maximum numbers of objects per owner. They limit the reads of a request, and thus the time for
 * which other requests wait.
 */
const maxCounts = {
  organizations: 100,
  joins: 100,
  memberships: 200,
  tokens: 100,
  workspaces: 1000,
  teams: 500,
} as const;

const full = (detail: string) => invalidError([requestFault("/data", detail)]);
/**
 * Distance from a limit within which concurrent writes are serialized and each retry counts again.
 */
const slack = 100;
/**
 * Rejects with 422 if the number of rows under a prefix has reached a limit. Returns whether the
 * number is near the limit. If so, each attempt of the write must check again, and expect a row
 * that every such write changes, which serializes these writes. Otherwise, retries need not count
 * the rows again.
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

/**
 * Rejects with 422 if an organization has reached its workspace limit. Otherwise resolves with
 * whether it is close to the limit.
 */
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
/**
 * Rejects with 422 if an organization must not have another team. Returns whether it is near the
 * limit.
 */
export const roomForTeam = (storeContext: StoreContext, organization: string): Promise<boolean> =>
  requireRoom(
    storeContext,
    rowKeys.teamNames(organization),
    maxCounts.teams,
    `an organization can have at most ${maxCounts.teams} teams`,
  );
/**
 * Rejects with 422 if a user, team or organization must not have another token. Returns whether it
 * is near the limit.
 */
export const roomForToken = (storeContext: StoreContext, principal: Principal): Promise<boolean> =>
  requireRoom(
    storeContext,
    rowKeys.tokensOf(principal),
    maxCounts.tokens,
    `a user or team can have at most ${maxCounts.tokens} tokens; delete a token first`,
  );
/**
 * Rejects with 422 if a user must not be in another team. Returns whether the user is near the
 * limit.
 */
export const roomForMembership = (storeContext: StoreContext, user: string): Promise<boolean> =>
  requireRoom(
    storeContext,
    rowKeys.memberships(user),
    maxCounts.memberships,
    `a user can be in at most ${maxCounts.memberships} teams`,
  );
/**
 * Throws 422 if a user who has agreed to join the given organizations must not join another one.
 */
export function roomForJoins(organizations: readonly string[]): void {
  if (organizations.length >= maxCounts.joins)
    throw full(
      `a user can agree to join at most ${maxCounts.joins} organizations; leave an organization first`,
    );
}
/** Throws 422 if a user in the given organizations must not be in another one. */
export function roomForOrganization(organizations: ReadonlySet<string>): void {
  if (organizations.size >= maxCounts.organizations)
    throw full(`a user can have at most ${maxCounts.organizations} organizations`);
}
