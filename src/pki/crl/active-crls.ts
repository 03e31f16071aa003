import { crlConfig, issuersConfig } from "../rows/settings.ts";
import { issuersById, rowPrefixes, keys } from "../rows/records.ts";
import { CaError } from "../../base/errors.ts";
import { kindOf } from "../../engine/store-context.ts";
import { storedCrl } from "../rows/crl-records.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { secondsPerWeek, crlAddresses, namedShard } from "../issuer/crl-retention.ts";
import { urlsFor } from "../issuer/urls.ts";
import { crlIdOf, crlParts, crlSets, crlSetFor } from "./crl-set.ts";

/** A parsed retention row, which records that certificates require a CRL. */
interface StoredRetention {
  readonly set: string;
  /** Number of shards, or 0 if the certificates require the unsharded CRL. */
  readonly shards: number;
  /** Time until which the CRL is required, Unix seconds. */
  readonly end: number;
  readonly addresses: readonly string[];
}
/** The CRLs that a mount must keep current, and their distribution point names. */
export interface ActiveCrls {
  has(crlId: string): boolean;
  /**
   * Returns the IDs of the active CRLs of the given sets: for each set, the unsharded CRL first.
   */
  of(sets: readonly string[]): readonly string[];
  /**
   * Returns the distribution point names by which certificates refer to the CRL of a shard. Returns
   * undefined for an unsharded CRL, which covers certificates regardless of their distribution
   * points.
   */
  names(crlId: string): readonly string[] | undefined;
  /**
   * Returns the shard that a certificate's distribution points name, if this mount has that shard.
   */
  shardOf(set: string, certificate: Certificate): string | undefined;
}

/**
 * Maximum number of distribution point names per CRL. Each change of the configured URLs adds
 * names, which remain until the certificates with the previous URLs have expired.
 */
const maxNames = 256;

/**
 * Returns the active CRLs. The CRL of a shard is active while certificates name it, or if new
 * certificates will. An unsharded CRL is active while unexpired certificates name no shard, and
 * always if new certificates name none.
 */
export async function readActiveCrls(mount: Mount, config: Snapshot): Promise<ActiveCrls> {
  const [rows, markers] = await Promise.all([
    mount.store.list(rowPrefixes.crlNeeds),
    config.get(crlConfig).shards === 0 ? [] : mount.store.get([keys.crlNeedsKnown]),
  ]);
  const needs = rows.map(([key, { value }]): StoredRetention => {
    const [, set = "", shards, end] = key.split("/");
    const { addresses } = storedCrl.listNeed(value);
    return { set, shards: Number(shards), end: Number(end) * secondsPerWeek, addresses };
  });
  const isComplete = markers[0] !== undefined && storedCrl.crlNeeds(markers[0].value).known;
  return activeAmong(config, needs, { isComplete, now: mount.ports.now() });
}

const activeCrlsKind = kindOf<ActiveCrls>();
/** Returns the active CRLs as they were at most a second ago, for public reads. */
export const recentActiveCrls = (
  mount: Mount,
  config: Snapshot,
): Promise<ActiveCrls> | ActiveCrls =>
  mount.storeContext.cache.recent(activeCrlsKind, String(config.epoch), () =>
    readActiveCrls(mount, config),
  );

/** Returns the IDs of the CRLs that list revocations for a set or one of its shards. */
export async function affectedCrls(
  mount: Mount,
  config: Snapshot,
  { crl_set, shard }: { readonly crl_set: string; readonly shard?: string },
): Promise<readonly string[]> {
  const set = crlSetFor(config, crl_set);
  if (set === undefined) return [];
  if (set !== crl_set || (shard === undefined && config.get(crlConfig).shards === 0)) return [set];
  // the active CRLs may be a second old, but a CRL that became active since then will be built with
  // the new entries
  const active = await recentActiveCrls(mount, config);
  const own = shard === undefined ? [] : [crlIdOf(set, shard)].filter(active.has);
  return own.length === 0 || active.has(set) ? [...own, set] : own;
}
/**
 * Returns the shard whose CRL covers a certificate, according to the certificate's distribution
 * points. Returns undefined if they name no shard.
 */
export const namedShardOf = async (
  mount: Mount,
  config: Snapshot,
  set: string,
  certificate: Certificate,
): Promise<string | undefined> =>
  namedShard(certificate) === undefined
    ? undefined
    : (await readActiveCrls(mount, config)).shardOf(set, certificate);

interface RetentionState {
  /** Whether retentions are recorded for all certificates without a shard. */
  readonly isComplete: boolean;
  /** Unix milliseconds. */
  readonly now: number;
}
function activeAmong(
  config: Snapshot,
  all: readonly StoredRetention[],
  { isComplete, now }: RetentionState,
): ActiveCrls {
  const needs = all.filter(({ end }) => end * 1000 > now).toSorted((a, b) => b.end - a.end);
  const sets = new Set(crlSets(config));
  const { shards: current } = config.get(crlConfig);
  const names = (crlId: string): readonly string[] | undefined =>
    distributionPointNames(config, needs, crlId);
  const has = (crlId: string): boolean => {
    const { set, shard } = crlParts(crlId);
    if (!sets.has(set)) return false;
    if (shard !== undefined) return isShard(shard) && names(crlId)?.length !== 0;
    return (
      current === 0 || !isComplete || needs.some((need) => requiresCompleteCrl(config, need, set))
    );
  };
  const generations = (set: string): readonly number[] => {
    const named = needs.filter((need) => need.set === set).map(({ shards }) => shards);
    return [...new Set([current, ...named])].filter((shards) => shards > 0);
  };
  const crlIdsOf = (set: string): readonly string[] => [
    set,
    ...generations(set).flatMap((shards) =>
      Array.from({ length: shards }, (_, i) => crlIdOf(set, `${shards}-${i}`)),
    ),
  ];
  return {
    has,
    names,
    of: (sets) => sets.flatMap(crlIdsOf).filter(has),
    shardOf: (set, certificate) => {
      const shard = namedShard(certificate);
      const shards = Number(shard?.split("-")[0]);
      const isOurs = (need: StoredRetention): boolean =>
        need.set === set && need.shards === shards && need.end >= certificate.notAfter;
      return all.some(isOurs) ? shard : undefined;
    },
  };
}
/**
 * Reports whether the unsharded CRL `crlId` must cover the certificates of a retention. It must in
 * two cases: if the certificates belong to its own set and name no shard, or if it is the CRL of
 * the default issuer and their set has no issuers.
 */
function requiresCompleteCrl(
  config: Snapshot,
  { set, shards }: StoredRetention,
  crlId: string,
): boolean {
  if (crlSets(config).includes(set)) return set === crlId && shards === 0;
  return config.get(issuersById).get(config.get(issuersConfig).default)?.crl_set === crlId;
}
function distributionPointNames(
  config: Snapshot,
  needs: readonly StoredRetention[],
  crlId: string,
): readonly string[] | undefined {
  const { set, shard } = crlParts(crlId);
  if (shard === undefined) return undefined;
  const shards = Number(shard.split("-")[0]);
  const addresses = [
    ...(shards === config.get(crlConfig).shards ? configuredAddresses(config, set) : []),
    ...needs.flatMap((need) => (need.set === set && need.shards === shards ? need.addresses : [])),
  ];
  return [...new Set(crlAddresses(addresses, shard))].slice(0, maxNames);
}
const isShard = (shard: string): boolean => {
  const [shards = 0, i = 0] = shard.split("-").map(Number);
  return i < shards;
};

/** Returns the CRL URLs that new certificates of a set's issuers contain. */
function configuredAddresses(config: Snapshot, set: string): readonly string[] {
  return [...config.get(issuersById).values()]
    .filter((row) => row.crl_set === set && row.key_id !== "")
    .flatMap((row) => {
      try {
        return urlsFor(config, row).crl_distribution_points;
      } catch (error) {
        // no certificate contains URLs whose placeholders cannot be filled in
        if (error instanceof CaError) return [];
        throw error;
      }
    });
}
