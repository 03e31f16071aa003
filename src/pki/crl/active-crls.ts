import { CaError } from "../../base/errors.ts";
import { kindOf } from "../../engine/cache.ts";
import type { Mount } from "../../engine/mount.ts";
import { below, keys } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { week, listAddresses, namedShard } from "../issuer/crl-retention.ts";
import { urlsFor } from "../issuer/urls.ts";
import { listId, partsOf, crlSets, listOf } from "./crl-set.ts";
import { storedCrl } from "../../engine/crl-records.ts";

/** What certificates need, as it was stored. */
interface Need {
  readonly set: string;
  /** 0: the complete list. */
  readonly shards: number;
  /** Unix seconds. */
  readonly end: number;
  readonly addresses: readonly string[];
}
/** Which lists of a mount are kept current, and which names they have. */
export interface Living {
  has(list: string): boolean;
  /** The lists of these sets, complete ones first. */
  of(sets: readonly string[]): readonly string[];
  /**
   * The names under which certificates know the list of a shard; undefined for a complete one,
   * which lists whatever their names are.
   */
  names(list: string): readonly string[] | undefined;
  /** The shard of a set whose list a certificate names, if it is one that was made here. */
  shardOf(set: string, certificate: Certificate): string | undefined;
}

/**
 * Most names of a list: each change of addresses adds some, for as long as certificates with the
 * old ones live.
 */
const mostNames = 256;

/**
 * The lists that live now: those of a shard while any certificate names it or new ones do, complete
 * ones while a certificate that has not ended names no shard, and always where no new ones do.
 */
export async function livingLists(ca: Mount, config: Snapshot): Promise<Living> {
  const [rows, known] = await Promise.all([
    ca.store.list(below.listNeeds),
    config.crl.shards === 0 ? [] : ca.store.get([keys.listNeedsKnown]),
  ]);
  const needs = rows.map(([key, { value }]): Need => {
    const [, set = "", shards, end] = key.split("/");
    const { addresses } = storedCrl.listNeed(value);
    return { set, shards: Number(shards), end: Number(end) * week, addresses };
  });
  const isKnown = known[0] !== undefined && storedCrl.listNeeds(known[0].value).known;
  return living(config, needs, { isKnown, now: ca.ports.now() });
}

const kept = kindOf<Living>();
/** The same, at most a second old, for reads. */
export const recentLists = (ca: Mount, config: Snapshot): Promise<Living> =>
  ca.unit.cache.recent(kept, String(config.epoch), () => livingLists(ca, config));

/** The lists that name what is revoked of a set, or of one of its shards. */
export async function concernedLists(
  ca: Mount,
  config: Snapshot,
  { crl_set, shard }: { readonly crl_set: string; readonly shard?: string },
): Promise<readonly string[]> {
  const set = listOf(config, crl_set);
  if (set === undefined) return [];
  if (set !== crl_set || (shard === undefined && config.crl.shards === 0)) return [set];
  // at most a second old: a list that came meanwhile is built for what it came for
  const living = await recentLists(ca, config);
  const own = shard === undefined ? [] : [listId(set, shard)].filter(living.has);
  return own.length === 0 || living.has(set) ? [...own, set] : own;
}
/** The shard of a set on whose list a certificate is, by what it says itself. */
export const placedShard = async (
  ca: Mount,
  config: Snapshot,
  set: string,
  certificate: Certificate,
): Promise<string | undefined> =>
  namedShard(certificate) === undefined
    ? undefined
    : (await livingLists(ca, config)).shardOf(set, certificate);

interface At {
  /** Whether the needs of all certificates without a shard are among the needs. */
  readonly isKnown: boolean;
  /** Unix milliseconds. */
  readonly now: number;
}
function living(config: Snapshot, all: readonly Need[], { isKnown, now }: At): Living {
  const needs = all.filter(({ end }) => end * 1000 > now).toSorted((a, b) => b.end - a.end);
  const sets = new Set(crlSets(config));
  const { shards: current } = config.crl;
  const names = (list: string): readonly string[] | undefined => namesAmong(config, needs, list);
  const has = (list: string): boolean => {
    const { set, shard } = partsOf(list);
    if (!sets.has(set)) return false;
    if (shard !== undefined) return isShard(shard) && names(list)?.length !== 0;
    return current === 0 || !isKnown || needs.some((need) => needsComplete(config, need, set));
  };
  const generations = (set: string): readonly number[] => {
    const named = needs.filter((need) => need.set === set).map(({ shards }) => shards);
    return [...new Set([current, ...named])].filter((shards) => shards > 0);
  };
  const listsOf = (set: string): readonly string[] => [
    set,
    ...generations(set).flatMap((shards) =>
      Array.from({ length: shards }, (_, i) => listId(set, `${shards}-${i}`)),
    ),
  ];
  return {
    has,
    names,
    of: (wanted) => wanted.flatMap(listsOf).filter(has),
    shardOf: (set, certificate) => {
      const shard = namedShard(certificate);
      const shards = Number(shard?.split("-")[0]);
      const isOurs = (need: Need): boolean =>
        need.set === set && need.shards === shards && need.end >= certificate.notAfter;
      return all.some(isOurs) ? shard : undefined;
    },
  };
}
/** Whether certificates are on the complete list of a set: its own, or of one without issuers. */
function needsComplete(config: Snapshot, { set, shards }: Need, list: string): boolean {
  if (crlSets(config).includes(set)) return set === list && shards === 0;
  return config.issuers.get(config.issuersConfig.default)?.crl_set === list;
}
function namesAmong(
  config: Snapshot,
  needs: readonly Need[],
  list: string,
): readonly string[] | undefined {
  const { set, shard } = partsOf(list);
  if (shard === undefined) return undefined;
  const shards = Number(shard.split("-")[0]);
  const addresses = [
    ...(shards === config.crl.shards ? configured(config, set) : []),
    ...needs.flatMap((need) => (need.set === set && need.shards === shards ? need.addresses : [])),
  ];
  return [...new Set(listAddresses(addresses, shard))].slice(0, mostNames);
}
const isShard = (shard: string): boolean => {
  const [shards = 0, i = 0] = shard.split("-").map(Number);
  return i < shards;
};

/** The addresses that new certificates of a set's issuers have. */
function configured(config: Snapshot, set: string): readonly string[] {
  return [...config.issuers.values()]
    .filter((row) => row.crl_set === set && row.key_id !== "")
    .flatMap((row) => {
      try {
        return urlsFor(config, row).crl_distribution_points;
      } catch (error) {
        // addresses that cannot be filled in are in no certificate
        if (error instanceof CaError) return [];
        throw error;
      }
    });
}
