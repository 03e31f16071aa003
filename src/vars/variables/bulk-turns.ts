import { CaError } from "../../base/errors.ts";
import { memoize } from "../../base/memo.ts";
import { selfOf, type StoreContext } from "../../engine/store-context.ts";

/**
 * A turn that was not given back, because its request ended early, ends after these milliseconds.
 */
const maxWait = 30_000;
const turnsOf = memoize((_: StoreContext): Map<string, number> => new Map(), selfOf);
/**
 * One large write of a workspace at a time in this process: several would undo each other's tries,
 * of megabytes each. Throws `busy`; nobody waits, because on Workers what waits for another request
 * may wait forever.
 */
export function takeBulkTurn(storeContext: StoreContext, workspace: string): () => void {
  const held = turnsOf(storeContext);
  const now = storeContext.ports.now();
  const since = held.get(workspace);
  if (since !== undefined && now >= since && now - since < maxWait)
    throw new CaError("busy", "another large write to this workspace is in progress; try again");
  held.set(workspace, now);
  return () => void (held.get(workspace) === now && held.delete(workspace));
}
