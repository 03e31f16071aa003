import { slotStart } from "../../base/slot-ids.ts";
import { isSpread } from "../../engine/placement.ts";
import type { Page, Store } from "../../engine/ports.ts";

/**
 * Lists rows of one account: orders or authorizations, whose IDs have the slot of the account's ID.
 * `prefix` is that of all accounts. In a partitioned mount, this asks one partition. The rows of an
 * account without a slot are in the mount's own store.
 */
export function listOfAccount(
  store: Store,
  prefix: string,
  account: string,
  page: Page,
): ReturnType<Store["list"]> {
  const slot = slotStart(account);
  if (slot !== undefined) return store.list(prefix + slot, page);
  // rows without a slot never move, so the listing needs no further checks
  const home = isSpread(store, prefix) ? store.partitions?.[0] : undefined;
  return (home ?? store).list(prefix, page);
}
