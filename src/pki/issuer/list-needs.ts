import { toHex, utf8 } from "../../base/bytes.ts";
import { memoize } from "../../base/memo.ts";
import { sha1 } from "../../base/sha1.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import { keys, type ListNeedRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";

/** Seconds of a week. */
export const week = 604_800;

/** A certificate that names a list, or none. */
export interface Naming {
  readonly set: string;
  /** `<n>-<i>`; absent: it is on the complete list only. */
  readonly shard: string | undefined;
  /** Unix seconds. */
  readonly notAfter: number;
  /** The addresses of the complete list that are configured for it. */
  readonly addresses: readonly string[];
  /** Nothing else will tell of it when there are shards one day: it is not stored. */
  readonly unstored?: boolean;
}
/** What a batch puts for a certificate's list, and what is to be called when it is stored. */
export interface ListNeed {
  readonly put: readonly (readonly [key: string, value: unknown])[];
  readonly done?: () => void;
}
const nothing: ListNeed = { put: [] };

/** The needs that are in the store for certain, of each configuration that was read. */
const noted = memoize<Snapshot, readonly [], Set<string>>(() => new Set());
/** Callers choose how long certificates live: what they make up must not fill the memory. */
const mostNoted = 10_000;
const nameOf = memoize((addresses: readonly string[]) =>
  toHex(sha1(utf8(addresses.join("\n")))).slice(0, 16),
);

/**
 * What says that a list lives until a certificate ends, to be put in the batch that stores it.
 * Nothing where it is stored already, or where there are no shards, since complete lists stay then,
 * and stored certificates are looked through when there are shards.
 */
export function listNeed(ca: Mount, config: Snapshot, naming: Naming): ListNeed {
  const isSharded = config.crl.shards > 0;
  if (!isSharded && !naming.unstored) return nothing;
  const { set, shard, notAfter, addresses } = naming;
  const [shards = "0"] = shard?.split("-") ?? [];
  const key = keys.listNeed(set, Number(shards), Math.ceil(notAfter / week), nameOf(addresses));
  const known = noted(config);
  if (known.has(key)) return nothing;
  const row: ListNeedRow = { addresses };
  const now = ca.ports.now();
  return {
    put: [
      [key, row],
      // the complete list may have been removed, because nobody needed it
      ...(isSharded && shard === undefined ? [jobRow({ due: now, now }, "crl-renewal", set)] : []),
    ],
    done: () => {
      if (known.size >= mostNoted) known.clear();
      known.add(key);
    },
  };
}
