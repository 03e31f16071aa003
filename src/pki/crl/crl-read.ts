import { issuersById, type CrlRow, keys } from "../rows/records.ts";
import { concat } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { memoize } from "../../base/memo.ts";
import { storedCrl } from "../rows/crl-records.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Row } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { kindOf } from "../../engine/store-context.ts";
import { parseCrl } from "../../x509/crl.ts";
import { readIssuingDistributionPoint } from "../../x509/distribution-points.ts";
import type { Extension } from "../../x509/extension.ts";
import { extensionOid } from "../../x509/oid.ts";
import { verifySignature } from "../../x509/public-key.ts";
import { shardAt } from "../issuer/crl-retention.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { recentActiveCrls, type ActiveCrls } from "./active-crls.ts";
import { crlDeltaRenewal } from "./crl-delta.ts";
import { publishedNames } from "./crl-publish.ts";
import {
  deltaInterval,
  hasDeltas,
  crlRenewal,
  isDue,
  isOutdated,
  isRenewed,
} from "./crl-schedule.ts";
import { crlParts, crlSigner } from "./crl-set.ts";
import { crlState, deltaOf, crlOfId } from "./crl-state.ts";

/** A CRL: its DER, and its stored row. */
interface PublishedCrl {
  readonly der: Uint8Array;
  readonly row: CrlRow;
}
/** The current CRL, and the time at which its row was read (Unix ms). */
export interface CurrentCrl extends PublishedCrl {
  readonly read: number;
}
/** The CRL to read, and the job that builds it when it is due. */
interface CrlQuery {
  readonly crlId: string;
  /** The ID under which the CRL or delta is stored. */
  readonly id: string;
  /** The kind of the job that builds the CRL. */
  readonly job: string;
  /** Whether the job can build the CRL. */
  readonly isBuilt: boolean;
  readonly isLate: (row: CrlRow) => boolean;
}

/** Cache of the current CRLs, by ID. */
const cachedCrls = memoize<Mount, readonly [], Map<string, PublishedCrl>>(() => new Map());
/**
 * Reports whether two rows describe the same CRL. The number alone identifies a CRL, unless the
 * store was restored to an older state.
 */
const isSameCrl = (one: CrlRow, other: CrlRow): boolean =>
  one.number === other.number && one.this_update === other.this_update && one.size === other.size;

/**
 * Returns the current complete CRL, as of at most a second ago. Returns undefined if the CRL is not
 * active. If the CRL is due or was never built, builds it first, unless a build failed recently.
 */
export async function currentCrl(
  mount: Mount,
  config: Snapshot,
  crlId: string,
): Promise<CurrentCrl | undefined> {
  const active = await recentActiveCrls(mount, config);
  if (!active.has(crlId)) return undefined;
  const query = completeQuery(mount, config, active, crlId);
  return withBytes(mount, config, query, await readState(mount, query));
}
const completeQuery = (
  mount: Mount,
  config: Snapshot,
  active: ActiveCrls,
  crlId: string,
): CrlQuery => ({
  crlId,
  id: crlId,
  job: crlRenewal.kind,
  isBuilt: isRenewed(config, crlParts(crlId).set),
  isLate: (row) => isOutdated({ config, active, now: mount.ports.now() }, crlId, row),
});

/**
 * Returns the current delta of a CRL, or undefined if there is none. While delta CRLs are disabled,
 * the first read after a complete build creates the empty delta.
 */
export async function currentDelta(
  mount: Mount,
  config: Snapshot,
  crlId: string,
): Promise<CurrentCrl | undefined> {
  const active = await recentActiveCrls(mount, config);
  if (!active.has(crlId)) return undefined;
  // renews the complete CRL first, because a delta based on an expired CRL is useless
  const base = await readState(mount, completeQuery(mount, config, active, crlId));
  const id = deltaOf(crlId);
  const isOld = hasDeltas(config) ? staleDelta(mount, config, id) : isOfEarlierCrl(base?.row.value);
  const isBuilt = base !== undefined && crlSigner(config, crlId) !== undefined;
  const query: CrlQuery = { crlId, id, job: crlDeltaRenewal.kind, isBuilt, isLate: isOld };
  return withBytes(mount, config, query, await readState(mount, query));
}
/**
 * Returns a function that reports whether a delta is based on an earlier complete CRL than the
 * current one.
 */
const isOfEarlierCrl =
  (complete: CrlRow | undefined) =>
  (row: CrlRow): boolean =>
    // the row of a delta states on which complete CRL it is based
    complete === undefined || storedCrl.delta(row).base < complete.number;
/**
 * Returns a function that reports whether a delta must be renewed or checked for new revocations.
 */
function staleDelta(mount: Mount, config: Snapshot, id: string): (row: CrlRow) => boolean {
  const interval = deltaInterval(config);
  return (row) => {
    const now = mount.ports.now();
    // if nothing runs the jobs, only reads add new revocations
    const since = now - Math.max(row.this_update * 1000, lastChecks(mount).get(id) ?? 0);
    return isDue(config, row, now) || since >= interval || since < 0;
  };
}

interface CachedState {
  readonly at: number;
  readonly row: Row<CrlRow>;
}
const cachedStates = kindOf<CachedState | undefined>();
/** Returns the current row of a CRL, after building the CRL if it is due. */
async function readState(mount: Mount, query: CrlQuery): Promise<CachedState | undefined> {
  const { id, isLate } = query;
  const read = () =>
    mount.storeContext.cache.recent(cachedStates, id, async () => {
      const at = mount.ports.now();
      const row = await crlState(mount, id);
      return row && { at, row };
    });
  const current = await read();
  if (current && !isLate(current.row.value)) return current;
  return query.isBuilt && (await renewOnce(mount, query)) ? read() : current;
}
async function withBytes(
  mount: Mount,
  config: Snapshot,
  { id }: CrlQuery,
  current: CachedState | undefined,
): Promise<CurrentCrl | undefined> {
  if (!current) return undefined;
  const row = current.row.value;
  const last = cachedCrls(mount).get(id);
  const der =
    last && isSameCrl(last.row, row) ? last.der : await readCrlBytes(mount, config, id, row);
  cacheCrl(cachedCrls(mount), id, { row, der });
  return { row, der, read: current.at };
}

/** Maximum size of the cache in bytes. There is a limit because there may be hundreds of shards. */
const maxCachedBytes = 48 * 1024 * 1024;
/** Caches a CRL, and evicts the least recently read CRLs while the cache is too large. */
function cacheCrl(all: Map<string, PublishedCrl>, id: string, crl: PublishedCrl): void {
  all.delete(id);
  all.set(id, crl);
  let total = 0;
  for (const { der } of all.values()) total += der.length;
  for (const [other, { der }] of all) {
    if (total <= maxCachedBytes || other === id) return;
    all.delete(other);
    total -= der.length;
  }
}

/**
 * Pause (ms) after a failed build, so that unauthenticated reads do not each trigger another build.
 */
const waitAfterFailure = 30_000;
const failures = memoize<Mount, readonly [], Map<string, number>>(() => new Map());
/** Times of the last successful renewals or checks of CRLs and deltas, by ID (Unix ms). */
const lastChecks = memoize<Mount, readonly [], Map<string, number>>(() => new Map());

/**
 * Renews a CRL that is due, with one build for all concurrent readers. Returns false without a
 * build if one failed recently.
 */
async function renewOnce(mount: Mount, { crlId, id, job, isLate }: CrlQuery): Promise<boolean> {
  const failed = failures(mount);
  const since = mount.ports.now() - (failed.get(id) ?? -Infinity);
  // if the clock was set back, the elapsed time is unknown
  if (since >= 0 && since < waitAfterFailure) return false;
  try {
    const at = mount.ports.now();
    await mount.storeContext.once(job, crlId);
    lastChecks(mount).set(id, at);
    const state = await crlState(mount, id);
    if (state && !isLate(state.value)) failed.delete(id);
    else failed.set(id, mount.ports.now());
  } catch (cause) {
    failed.set(id, mount.ports.now());
    mount.ports.log?.({ endpoint: "renew crl", status: 500, ms: 0, cause });
  }
  return true;
}

/**
 * Reports whether published bytes are the CRL that a row describes: they have its size, date and
 * shard, and the signature of an issuer of its set. All issuers of a set share one key. If the set
 * has no issuer, only the size must match.
 */
async function isPublishedCrl(
  config: Snapshot,
  id: string,
  row: CrlRow,
  der: Uint8Array,
): Promise<boolean> {
  if (der.length !== row.size) return false;
  const { set, shard } = crlParts(crlOfId(id));
  const issuer = [...config.get(issuersById).values()].find(({ crl_set }) => crl_set === set);
  if (!issuer) return true;
  try {
    const { thisUpdate, algorithm, tbs, signature, extensions } = parseCrl(der);
    const { spki } = certificateOf(issuer);
    const isSigned = await verifySignature(spki, algorithm, tbs, signature);
    return isSigned && thisUpdate === row.this_update && isOfShard(extensions, shard);
  } catch (error) {
    if (error instanceof CaError) return false;
    throw error;
  }
}

/**
 * Reports whether the issuing distribution point of a CRL names a shard or, for an unsharded CRL,
 * whether the extension is absent.
 */
function isOfShard(extensions: readonly Extension[], shard: string | undefined): boolean {
  const point = extensions.find(({ oid }) => oid === extensionOid.issuingDistributionPoint);
  if (shard === undefined) return point === undefined;
  const [name] = point ? readIssuingDistributionPoint(point.value) : [];
  return name !== undefined && shardAt(name) === shard;
}

/**
 * Returns the DER of a CRL or delta, from the place where it was published, or else from the store.
 */
async function readCrlBytes(
  mount: Mount,
  config: Snapshot,
  id: string,
  row: CrlRow,
): Promise<Uint8Array> {
  const published = publishedNames(mount.name, id, row.number, row.chunks);
  const parts = await Promise.all(
    published.map(async (name) => mount.ports.publish?.get(name).catch(() => undefined)),
  );
  if (parts.every((part) => part !== undefined)) {
    const whole = concat(parts);
    if (await isPublishedCrl(config, id, row, whole)) return whole;
    const cause = new Error("the published bytes of a CRL do not match its stored state");
    mount.ports.log?.({ endpoint: "read crl", status: 500, ms: 0, cause });
  }
  const rows = await Promise.all(
    published.map(
      async (_, chunk) => (await mount.store.get([keys.crlChunk(id, row.number, chunk)]))[0],
    ),
  );
  // the CRL was replaced twice during the read; the next read gets the new number
  if (rows.some((row) => !row))
    throw new CaError("busy", "the CRL was replaced while it was being read; try again");
  return concat(rows.map((row) => row?.value as Uint8Array));
}
