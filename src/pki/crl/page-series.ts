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

// The pages of a group form one series or, in a mount with several partitions, a series for each
// slot, so that an entry is in the partition of its revocation. The series without a slot contains
// the entries of issuers, and entries from the time when the mount had one partition.
//
// The certificates of a shard have the slots that `shardOf` assigns to it. Those of an earlier
// version may have any slot: a row of the group records that there are such entries, before the
// first one is added in another partition. Until the first build, it is unknown whether there are.

const arePagesSpread = (store: Pick<Store, "placement">): boolean =>
  isSpread(store, rowPrefixes.crlPages);

/** Returns the prefix of the pages to which a certificate's entry is appended. */
export const pagesFor = (store: Pick<Store, "placement">, group: string, serial: Uint8Array) =>
  keys.crlPages(group, arePagesSpread(store) ? slotOf(serialKey(serial)) : undefined);

/** Returns the prefix of the series to which a page belongs, given the key of the page. */
export const seriesOfPage = (page: string): string => page.slice(0, page.lastIndexOf("/") + 1);

/** Returns the first slot of a shard's certificates, and the distance to the next slot. */
function slotsOf(group: string): readonly [first: number, step: number] | undefined {
  const [shards = 0, number = 0] = crlParts(group).shard?.split("-").map(Number) ?? [];
  const step = Math.min(shards, maxPartitions);
  return step > 0 && isPowerOfTwo(shards) ? [number % step, step] : undefined;
}
/** Reports whether a certificate has a slot of its shard, as all new certificates have. */
export function isInSlots(group: string, serial: Uint8Array): boolean {
  const slots = slotsOf(group);
  return slots !== undefined && spreadOf(serialKey(serial)) % slots[1] === slots[0];
}

const hasSlots = ({ store }: Pick<Mount, "store">, group: string): boolean =>
  arePagesSpread(store) && slotsOf(group) !== undefined;
const readSpread = async ({ store }: Pick<Mount, "store">, group: string) =>
  (await store.get([keys.crlSpread(group)]))[0];
/** Reports whether the next build of a shard must record whether its entries are in its slots. */
export const isSpreadUnknown = async (ca: Mount, group: string): Promise<boolean> =>
  hasSlots(ca, group) && (await readSpread(ca, group)) === undefined;
/**
 * Returns keys that belong to all partitions that may have entries and revocations of a group.
 * Returns undefined if any partition may have some.
 */
export async function seriesBeside(
  ca: Pick<Mount, "store">,
  group: string,
): Promise<readonly string[] | undefined> {
  const slots = arePagesSpread(ca.store) ? slotsOf(group) : undefined;
  if (!slots) return undefined;
  const { wide } = storedCrl.crlSpread((await readSpread(ca, group))?.value);
  if (wide) return undefined;
  const series = [keys.crlPages(group)];
  for (let slot = slots[0]; slot < maxPartitions; slot += slots[1])
    series.push(keys.crlPages(group, slotText(slot)));
  return series;
}

/** Cached groups whose row is known to state that their entries may be in all slots. */
const wideGroups = memoize<Snapshot, readonly [], Set<string>>(() => new Set());
/**
 * Stores that entries of a group may be in all slots, unless the serial number has a slot of the
 * group's shard. Must precede the batch that adds the entry, which may be of another partition.
 */
export async function prepareSeries(
  ca: Mount,
  config: Snapshot,
  group: string,
  serial: Uint8Array,
): Promise<void> {
  const wide = wideGroups(config);
  if (!hasSlots(ca, group) || isInSlots(group, serial) || wide.has(group)) return;
  const row: CrlSpreadRow = { wide: true };
  const key = keys.crlSpread(group);
  await ca.storeContext.commit({ put: [[key, row]], upkeep: [key] });
  wide.add(group);
}
