import { crlConfig } from "../rows/settings.ts";
import { serialKey } from "../../base/ids.ts";
import { storedCrl } from "../rows/crl-records.ts";
import { jobKeys, jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import { isAtHome } from "../../engine/placement.ts";
import type { Batch } from "../../engine/ports.ts";
import { rowPrefixes, storedPki } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { crlBuild } from "../crl/crl-build.ts";
import { mayBeMissing, pageWithout, readDigestRows } from "../crl/crl-digest.ts";
import { readEntries, groupFilter, type StoredPage } from "../crl/crl-pages.ts";
import { buildJob } from "../crl/crl-schedule.ts";
import { groupOfPage } from "../crl/crl-set.ts";
import { readableRows, unreadable } from "../crl/readable-rows.ts";
import { includedOf, isSound, longestCounted } from "../crl/sound-pages.ts";
import { revokedExpiryIndex } from "../revoke/revocation.ts";
import { findExpiredEntries } from "./expired-entries.ts";
import { tidyKeys } from "./records.ts";
import { expiredBy, type Sweep, type SweepContext, type SweepResult } from "./sweep.ts";

/** Maximum delay between the recorded time of a revocation and its commit (ms). */
const maxDelay = 60_000;

/** Progress of the sweep, first over pages, then over rows without an entry in a page. */
interface RevokedProgress {
  readonly phase: "pages" | "rows";
  /**
   * The earliest expiry limit of all steps so far. Later steps use it too, so that no step removes
   * an entry that an earlier step kept.
   */
  readonly end: number;
  /**
   * Revision at the start of the sweep. Rows with a higher revision were added later, and the sweep
   * may not have seen their entries.
   */
  readonly since: number;
  /**
   * The current page, and the number of its entries that were checked and stay, or null if the page
   * is done.
   */
  readonly page: string;
  readonly from: number | null;
  /** Number of entries and rows that were checked, and of rows that stay. */
  readonly seen: number;
  readonly kept: number;
  /** Whether a page was skipped or is missing, so that rows must stay even without an entry. */
  readonly left: boolean;
  /** IDs of the CRLs that lost entries. */
  readonly crlIds: readonly string[];
}

/**
 * The sweep that removes the revocations of expired certificates. It proceeds page by page. One
 * batch removes the CRL entry, the revocation row and the certificate, so that CRLs and rows agree
 * even if a run is interrupted.
 */
export const revokedSweep: Sweep = {
  name: "tidy_revoked_certs",
  step: async (of) => {
    const { settings, now, rev } = of;
    const end = expiredBy(now, settings.revoked_safety_buffer ?? settings.safety_buffer);
    if (of.at === undefined && !(await isAny(of.mount, end)))
      return { message: progressMessage(0, 0) };
    // only this sweep writes its progress
    const at = (of.at as RevokedProgress | undefined) ?? {
      phase: "pages",
      end,
      since: rev,
      page: rowPrefixes.crlPages,
      from: null,
      seen: 0,
      kept: 0,
      left: false,
      crlIds: [],
    };
    const progress = { ...at, end: Math.min(at.end, end) };
    return progress.phase === "pages" ? sweepPage(of, progress) : sweepRows(of, progress);
  },
};
const progressMessage = (checked: number, of: number): string =>
  `Tidying revoked certificates: checking certificate ${checked} of ${of}`;

/**
 * Reports whether the certificate of any revocation may have expired. Uses the index, so that a run
 * without work reads no pages. Returns true for the first run of a mount, because revocations that
 * earlier versions wrote are not indexed.
 */
async function isAny({ store }: Mount, end: number): Promise<boolean> {
  const [isKnown] = await store.get([tidyKeys.ends]);
  if (!isKnown) return true;
  const page = { by: { name: revokedExpiryIndex, to: end }, limit: 1, values: false };
  for (const prefix of [rowPrefixes.revoked, rowPrefixes.listed])
    if ((await store.list(prefix, page)).length > 0) return true;
  return false;
}

async function sweepPage(of: SweepContext, progress: RevokedProgress): Promise<SweepResult> {
  const { mount, config, limit } = of;
  const page = await pageAt(mount, progress);
  if (!page) {
    const left = progress.left || (await isPageLost(mount));
    const message = progressMessage(progress.seen, progress.seen);
    return { message, at: { ...progress, left, phase: "rows" } };
  }
  const from = page.key === progress.page ? (progress.from ?? 0) : 0;
  const group = groupOfPage(page.key);
  const { entries } = readEntries(page.bytes);
  const isIntact = await isSoundPage(mount, config, page);
  const some = isIntact ? entries.slice(from, from + limit) : [];
  const found = await findExpiredEntries(mount, group, some, progress.end);
  const { serials, del, revoked, marks } = found;
  const change =
    serials.size > 0
      ? await pageWithout(mount, page, (serial) => serials.has(serialKey(serial)))
      : undefined;
  const isLast = from + some.length >= entries.length;
  // the next build repairs a damaged page, and the next run tidies it; until then, revocations that
  // are missing from the page keep their rows
  const isLeft = !isIntact || (serials.size > 0 && !change);
  const seen = progress.seen + some.length;
  const next = {
    ...progress,
    page: page.key,
    from: isLast || isLeft ? null : from + some.length - serials.size,
    seen,
    left: progress.left || isLeft,
  };
  const message = progressMessage(seen, seen + (isLeft ? 0 : entries.length - from - some.length));
  if (!change) return { message, at: next, batch: marks };
  const crlIds = await crlIdsOf(mount, config, group);
  const jobs = crlIds.map((crlId) => buildJob(crlId, mount.ports.now()));
  const rest = await commitBefore(mount, { key: page.key, change, del, jobs });
  // a row changed concurrently, so the page is read again
  if (!rest) return { message, at: progress };
  return {
    message,
    at: { ...next, crlIds: [...new Set([...progress.crlIds, ...crlIds])] },
    counts: { revoked_cert_deleted_count: revoked },
    batch: {
      expect: [...rest.expect, ...marks.expect],
      put: [...rest.put, ...marks.put],
      del: [...rest.del, ...del],
    },
  };
}

/**
 * The removal of entries from a page: its rewrite, the rows to delete, and the jobs to schedule.
 */
interface Removal {
  readonly key: string;
  readonly change: NonNullable<Awaited<ReturnType<typeof pageWithout>>>;
  readonly del: readonly string[];
  readonly jobs: readonly ReturnType<typeof buildJob>[];
}
/**
 * In a mount with several partitions, commits the part of a removal that must precede the batch
 * that deletes the rows: the digests of a page in another partition, or the rewrite of a page whose
 * rows are in other partitions. Returns the rest of the rewrite, or undefined if a commit failed
 * because of a concurrent change.
 */
async function commitBefore(
  { store, storeContext }: Mount,
  { key, change, del, jobs }: Removal,
): Promise<Required<Pick<Batch, "expect" | "put" | "del">> | undefined> {
  const { digests, page } = change;
  const home = { expect: digests.expect, put: [...digests.put, ...jobs] };
  if (!isAtHome(store, key)) return (await storeContext.commit(home)) && page;
  const whole = {
    expect: [...page.expect, ...home.expect],
    put: [...page.put, ...home.put],
    del: page.del,
  };
  if (del.every((row) => isAtHome(store, row))) return whole;
  return (await storeContext.commit(whole)) && { expect: [], put: [], del: [] };
}

/**
 * Reports whether a page is unaltered, that is, whether CRLs include its entries or revocations
 * confirm them.
 */
async function isSoundPage(mount: Mount, config: Snapshot, page: StoredPage): Promise<boolean> {
  const rows = await readDigestRows(mount, groupOfPage(page.key));
  const sum = longestCounted(rows.flatMap(({ pages }) => pages)).get(page.key);
  const included = await includedOf(sum, page.bytes);
  return isSound(mount, config, { ...page, before: 0, included });
}
/** Reports whether any page that a CRL includes is missing. */
async function isPageLost({ store }: Mount): Promise<boolean> {
  const sums = await store.list(rowPrefixes.crlSums);
  const pages = await store.list(rowPrefixes.crlPages, { values: false });
  const here = new Set(pages.map(([key]) => key));
  return sums.some(([, { value }]) =>
    storedCrl.crlSum(value).pages?.some((sum) => !here.has(sum.key) && !mayBeMissing(sum)),
  );
}

/** Returns the current page, or else the next one. */
async function pageAt(
  mount: Mount,
  { page, from }: RevokedProgress,
): Promise<StoredPage | undefined> {
  const [stored] = from === null ? [] : await mount.store.get([page]);
  const [key, row] = stored
    ? [page, stored]
    : ((await mount.store.list(rowPrefixes.crlPages, { after: page, limit: 1 }))[0] ?? []);
  // pages only contain bytes
  return key === undefined || !row
    ? undefined
    : { key, rev: row.rev, bytes: row.value as Uint8Array };
}

/**
 * Returns the IDs of the CRLs to rebuild after entries of a group were removed. Returns none if
 * CRLs are disabled or are rebuilt on a schedule.
 */
async function crlIdsOf(mount: Mount, config: Snapshot, group: string): Promise<readonly string[]> {
  const { auto_rebuild, disable } = config.get(crlConfig);
  if (auto_rebuild || disable) return [];
  const all = await mount.store.list(rowPrefixes.crls, { values: false });
  return all
    .map(([key]) => key.slice(rowPrefixes.crls.length))
    .filter((crlId) => groupFilter(config, crlId)(group));
}

/**
 * Removes expired revocation rows without an entry in a page: those of issuers that are on no CRL,
 * and those whose entries were lost.
 */
async function sweepRows(of: SweepContext, progress: RevokedProgress): Promise<SweepResult> {
  const { mount, limit } = of;
  const by = { name: revokedExpiryIndex, to: progress.end };
  const expired = await mount.store.list(rowPrefixes.revoked, {
    by,
    limit: progress.kept + limit,
    values: false,
  });
  const names = expired.slice(progress.kept).map(([key]) => key);
  const rows = await readableRows(mount, names);
  const removable = names.filter((key, i) => {
    const row = rows[i];
    if (!row || row === unreadable) return false;
    const { unlisted, at } = storedPki.revoked(row.value);
    // revisions of other partitions cannot be compared with that of the run
    const isOlder = isAtHome(mount.store, key) ? row.rev <= progress.since : at < of.now - maxDelay;
    return unlisted === true || (!progress.left && isOlder);
  });
  const seen = progress.seen + names.length;
  const del = removable.flatMap((key) => [
    key,
    rowPrefixes.certs + key.slice(rowPrefixes.revoked.length),
  ]);
  const isLast = names.length < limit;
  const building = isLast ? await buildNow(mount, progress.crlIds) : { put: [], del: [] };
  return {
    message: progressMessage(seen, seen),
    counts: { revoked_cert_deleted_count: removable.length },
    batch: {
      put: [...building.put, ...(isLast ? [[tidyKeys.ends, true] as const] : [])],
      del: [...del, ...building.del],
    },
    ...(isLast
      ? {}
      : { at: { ...progress, seen, kept: progress.kept + names.length - removable.length } }),
  };
}

/**
 * Returns the jobs that build CRLs immediately, and the keys of the scheduled builds that they
 * replace. In a mount with several partitions, no scheduled build is deleted: the deletion is a
 * separate commit, and could delete a build that a concurrent revocation has just scheduled.
 */
async function buildNow(
  mount: Mount,
  crlIds: readonly string[],
): Promise<Required<Pick<Batch, "put" | "del">>> {
  const now = mount.ports.now();
  const planned = mount.store.placement
    ? []
    : crlIds.map((crlId) => jobKeys(mount.store, crlBuild.kind, crlId));
  const put = crlIds.map((crlId) => jobRow({ due: now, now }, crlBuild.kind, crlId));
  const keptKeys = new Set(put.map(([key]) => key));
  return { put, del: (await Promise.all(planned)).flat().filter((key) => !keptKeys.has(key)) };
}
