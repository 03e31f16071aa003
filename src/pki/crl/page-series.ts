import { serialKey } from "../../base/ids.ts";
import { memoize } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import { isSpread, maxPartitions, slotOf, slotText, spreadOf } from "../../engine/placement.ts";
import type { Store } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { isPowerOfTwo } from "../issuer/crl-retention.ts";
import { storedCrl } from "../rows/crl-records.ts";
import { type CrlSpreadRow, keys, rowPrefixes } from "../rows/records.ts";
import { crlParts } from "./crl-set.ts";

// A series is a sequence of pages of a group. In a mount with one partition, each group has one
// series. In a mount with several partitions, it has one series per slot, so that a CRL entry is in
// the same partition as its revocation, and a series without a slot. That series contains the
// entries of issuers, and the entries that were added while the mount had one partition.
//
// The certificates of a shard have the slots that `shardOf` assigns to the shard, but certificates
// that an earlier version issued may have any slot. Before the first entry of such a certificate is
// added in another partition, a row of the group (`CrlSpreadRow`) records that the shard has such
// entries. Before the first build of the CRL, which writes this row, it is unknown whether there
// are any.

const arePagesSpread = (store: Pick<Store, "placement">): boolean =>
  isSpread(store, rowPrefixes.crlPages);

/** Returns the prefix of the pages to which a certificate's entry is appended. */
export const pagesFor = (store: Pick<Store, "placement">, group: string, serial: Uint8Array) =>
  keys.crlPages(group, arePagesSpread(store) ? slotOf(serialKey(serial)) : undefined);

/** Returns the prefix of the series to which a page belongs, given the key of the page. */
export const seriesOfPage = (page: string): string => page.slice(0, page.lastIndexOf("/") + 1);

/**
 * Returns the first slot of a shard's certificates, and the distance to the next slot. Returns
 * undefined if the group is not a shard, or if the number of shards is not a power of two.
 */
function slotsOf(group: string): readonly [first: number, step: number] | undefined {
  const [shards = 0, number = 0] = crlParts(group).shard?.split("-").map(Number) ?? [];
  const step = Math.min(shards, maxPartitions);
  return step > 0 && isPowerOfTwo(shards) ? [number % step, step] : undefined;
}
/** Reports whether a certificate has a slot of its shard, as all new certificates do. */
export function isInSlots(group: string, serial: Uint8Array): boolean {
  const slots = slotsOf(group);
  return slots !== undefined && spreadOf(serialKey(serial)) % slots[1] === slots[0];
}

const hasSlots = ({ store }: Pick<Mount, "store">, group: string): boolean =>
  arePagesSpread(store) && slotsOf(group) !== undefined;
const readSpread = async ({ store }: Pick<Mount, "store">, group: string) =>
  (await store.get([keys.crlSpread(group)]))[0];
/**
 * Reports whether the next build of a shard's CRL must record whether all entries are in the slots
 * of the shard.
 */
export const isSpreadUnknown = async (mount: Mount, group: string): Promise<boolean> =>
  hasSlots(mount, group) && (await readSpread(mount, group)) === undefined;
/**
 * Returns keys that belong to all partitions that may have entries and revocations of a group.
 * Returns undefined if any partition may have some.
 */
export async function seriesBeside(
  mount: Pick<Mount, "store">,
  group: string,
): Promise<readonly string[] | undefined> {
  const slots = arePagesSpread(mount.store) ? slotsOf(group) : undefined;
  if (!slots) return undefined;
  const { wide } = storedCrl.crlSpread((await readSpread(mount, group))?.value);
  if (wide) return undefined;
  const series = [keys.crlPages(group)];
  for (let slot = slots[0]; slot < maxPartitions; slot += slots[1])
    series.push(keys.crlPages(group, slotText(slot)));
  return series;
}

/** Cached groups whose row is known to state that their entries may be in all slots. */
const wideGroups = memoize<Snapshot, readonly [], Set<string>>(() => new Set());
/**
 * Records that entries of a group may be in all slots, unless the serial number has a slot of the
 * group's shard. Call it before the batch that adds the entry, which may be committed in another
 * partition.
 */
export async function prepareSeries(
  mount: Mount,
  config: Snapshot,
  group: string,
  serial: Uint8Array,
): Promise<void> {
  const wide = wideGroups(config);
  if (!hasSlots(mount, group) || isInSlots(group, serial) || wide.has(group)) return;
  const row: CrlSpreadRow = { wide: true };
  const key = keys.crlSpread(group);
  await mount.storeContext.commit({ put: [[key, row]], upkeep: [key] });
  wide.add(group);
}
