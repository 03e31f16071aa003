import type { Mount } from "../../engine/mount.ts";
import { below } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { groupOf, partsOf } from "./crl-list.ts";
import { crlSets } from "./crl-set.ts";

/** A page as it is stored: joined entries of one group. */
export interface StoredPage {
  readonly key: string;
  readonly rev: number;
  readonly bytes: Uint8Array;
}
/**
 * Which groups a list takes: its own, for a complete list those of the shards of its set, and for
 * the default issuer's also those of sets that have no issuer any more (B 1.8 rule 4).
 */
export function takes(config: Snapshot, list: string): (group: string) => boolean {
  const { set, shard } = partsOf(list);
  if (shard !== undefined) return (group) => group === list;
  const held = new Set(crlSets(config));
  const isDefault = config.issuers.get(config.issuersConfig.default)?.crl_set === set;
  return (group) => {
    const of = partsOf(group).set;
    return of === set || (isDefault && !held.has(of));
  };
}
/** The keys of the pages of a list, in order. */
export async function pageKeys(
  ca: Mount,
  config: Snapshot,
  list: string,
): Promise<readonly string[]> {
  const { shard } = partsOf(list);
  const prefix = shard === undefined ? below.crlPages : `${below.crlPages}${list}/`;
  const isTaken = takes(config, list);
  const all = await ca.store.list(prefix, { values: false });
  return all.map(([key]) => key).filter((key) => isTaken(groupOf(key)));
}
/** The pages of these keys, without those that are gone. */
export async function readPages(
  ca: Mount,
  wanted: readonly string[],
): Promise<readonly StoredPage[]> {
  if (wanted.length === 0) return [];
  const rows = await ca.store.get(wanted);
  return wanted.flatMap((key, i) => {
    const row = rows[i];
    // pages hold bytes
    return row ? [{ key, rev: row.rev, bytes: row.value as Uint8Array }] : [];
  });
}
