import { CaError } from "../../base/errors.ts";
import { memoize } from "../../base/memo.ts";
import type { StoreContext } from "../../engine/store-context.ts";

/**
 * Milliseconds after which a large write counts as abandoned, because its request was cancelled.
 */
const maxWait = 30_000;
const turnsOf = memoize((_storeContext: StoreContext): Map<string, number> => new Map());
/**
 * Reserves the workspace for a large write, and returns a function that releases it. A process runs
 * only one such write per workspace at a time, because concurrent writes of several megabytes would
 * invalidate each other's attempts. Throws `busy` instead of waiting, because on Workers, a request
 * that waits for another one may wait forever.
 */
export function startBulkTurn(storeContext: StoreContext, workspace: string): () => void {
  const turns = turnsOf(storeContext);
  const now = storeContext.ports.now();
  const since = turns.get(workspace);
  if (since !== undefined && now >= since && now - since < maxWait)
    throw new CaError("busy", "another large write to this workspace is in progress; try again");
  turns.set(workspace, now);
  return () => void (turns.get(workspace) === now && turns.delete(workspace));
}
