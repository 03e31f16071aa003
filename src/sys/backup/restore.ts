import { CaError, malformed } from "../../base/errors.ts";
import { uuidPattern } from "../../base/ids.ts";
import { commitByPlace } from "../../engine/batches-by-place.ts";
import type { Deployment, MountType } from "../../engine/deployment.ts";
import type { Batch, Committed, Row } from "../../engine/ports.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { lastNumberPrefix, jobPrefix } from "../../base/row-keys.ts";
import type { Steps } from "../../engine/format.ts";
import { wakeFor } from "../../engine/jobs.ts";
import { mountKey, storedMount } from "../../engine/mount-records.ts";
import {
  checkPartitions,
  placementMembers,
  placementVersion,
  withPlacement,
} from "../../engine/mount-stores.ts";
import { mountSteps } from "../../engine/snapshot.ts";
import type { MountRoute } from "../../engine/sys-records.ts";
import { eventsFlag } from "../../events/event-stores.ts";
import { sinkNames } from "../../events/sink-rows.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import type { FormerLog } from "../../engine/rows-in-backup.ts";
import { continueNumbers, lastLogNumber } from "./last-numbers.ts";
import { commitEntries, formerLogsRow, placeEntries } from "./partition-entries.ts";
import type { Head } from "./part.ts";
import { type OpenedPart, openPart, type Unlock } from "./protection.ts";
import { findStoreKind, isOfRestore, restoreKey, stagedPrefix } from "./store-kinds.ts";

/** A row of the mount's own store with the progress of a restore. */
interface RestoreRow {
  readonly backup: string;
  /** Sequence number of the next part. */
  readonly next: number;
  /** Epoch of the mount in the backup. */
  readonly epoch: number;
  /** Restored logs of partitions that the mount does not have; absent in older rows. */
  readonly former?: readonly FormerLog[];
}
/** The result of restoring a part. */
export interface RestoreResult {
  readonly backup: string;
  readonly part: number;
  readonly last: boolean;
  readonly rows: number;
}

/** The caller's choices for a restore: how to open the backup, and the number of partitions. */
interface RestoreSettings {
  readonly unlock: Unlock;
  /** Number of partitions, if different from that in the backup. Used only with the first part. */
  readonly partitions?: number | undefined;
}

/**
 * Reports whether a row would activate a mount. The mount's own row would let it issue
 * certificates, and job rows would let its jobs run. Such rows are staged until all other rows are
 * stored.
 */
const waits = (key: string): boolean => key === mountKey || key.startsWith(jobPrefix);
/**
 * Increment of the epoch. Isolates may have cached the configuration of a deleted mount, so its
 * epochs must not be used again.
 */
export const epochJump = 2 ** 20;
/** Maximum number of rows, and of bytes, per commit. */
const [rowsAtOnce, bytesAtOnce] = [200, 1024 * 1024];

/**
 * Restores a part of a backup into a new mount at a path. The mount becomes available after the
 * last part. The first part restarts an interrupted restore; only there, `partitions` overrides the
 * number of partitions in the backup. Rejects with CaError:
 *
 * - `malformed` if the part is invalid or is not the next part,
 * - `already_exists` if the mount, its path or its store is in use,
 * - `conflict` if the restore was restarted concurrently.
 */
export async function restorePart(
  deployment: Deployment,
  path: string,
  bytes: Uint8Array,
  { unlock, partitions }: RestoreSettings,
): Promise<RestoreResult> {
  const part = await openPart(bytes, unlock);
  const { head, last } = part;
  const type = typeOf(deployment, head);
  const rows = await movedRows(deployment, type, part);
  const { uuid } = head.mount;
  const come =
    head.part === 1
      ? await begin(deployment, path, { head, partitions })
      : await comeTo(deployment, path, head);
  const progress = { backup: head.id, part: head.part, last, rows: rows.length };
  if (come === "done") {
    await deployment.openMount(path);
    return progress;
  }
  const storeContext = deployment.storeContext(uuid);
  const members = (await deployment.readMounts()).get(path) ?? {};
  const to = await store(storeContext, come, { path, rows, head, members });
  if (last) {
    await open(deployment, storeContext, type, to);
    await deployment.openMount(path);
    deployment.mount(uuid).forget();
  }
  return progress;
}

/**
 * Returns the type of a backup's mount. Throws `malformed` if this deployment does not have the
 * type, if the mount has no UUID, or if this deployment cannot read the format of the rows.
 */
export function typeOf(deployment: Deployment, { mount, format }: Head): MountType {
  const type = deployment.types.get(mount.type);
  if (!type && findStoreKind(deployment, mount.type))
    throw malformed(`this is a backup of the store ${mount.type}, not of a mount`);
  if (!type)
    throw malformed(`the mount in the backup has the unknown type ${mount.type.slice(0, 64)}`);
  // a backup with a passphrase may name any store, such as that of the variables
  if (!uuidPattern.test(mount.uuid)) throw malformed("the mount in the backup has an invalid UUID");
  refuseNewerFormat(format, mountSteps);
  return type;
}
/** Throws CaError `malformed` if only a later version can read the format of the rows. */
export function refuseNewerFormat({ number, version }: Head["format"], steps: Steps): void {
  if (number <= steps.length + 1) return;
  const needed = version === undefined ? "a later version" : `version ${version} or later`;
  throw malformed(
    `the backup is from a later version: its rows are in format ${number}: run ${needed}`,
  );
}

/** Rows to write. */
export type NewRows = NonNullable<Batch["put"]>;
/**
 * Returns the rows of a part in the form in which the restored mount stores them, with secrets
 * resealed under the deployment's own key.
 */
export async function movedRows(
  deployment: Deployment,
  type: MountType,
  { head, rows, from }: OpenedPart,
): Promise<NewRows> {
  const to = deployment.ports.vault;
  const own = from === to;
  const { uuid } = head.mount;
  const backup = await type.backup();
  const put: NewRows[number][] = [];
  for (const [at, { key, value, index }] of rows.entries()) {
    if (at % rowsAtOnce === rowsAtOnce - 1) await yieldToEventLoop();
    if (isOfRestore(key)) continue;
    // under the same key, rows stay unchanged; only the secret that every mount has is opened, to
    // check the key
    const isSecret = !own || key === type.secret.key;
    const moved = isSecret ? await backup.resealed(uuid, [key, value], { from, to }) : { value };
    if (!moved && key === type.secret.key)
      throw malformed("the sealing key cannot decrypt the secrets of the backup");
    const row = backup.restored([key, own || !moved ? value : moved.value]);
    if (row) put.push(index ? [...row, index] : row);
  }
  return put;
}

/**
 * Returns the progress row of a store, and whether a restore may use the store: it has a progress
 * row, or only rows that remain of a deleted mount.
 */
async function restoreRowOf(
  storeContext: Pick<StoreContext, "store">,
): Promise<{ readonly row?: Row; readonly isFree: boolean }> {
  const [row] = await storeContext.store.get([restoreKey]);
  if (row) return { row, isFree: true };
  // the epoch and the last log numbers of a deleted mount remain
  const some = (await storeContext.store.list("", { values: false, limit: 100 })).filter(
    ([key]) => key !== "epoch" && !key.startsWith(lastNumberPrefix),
  );
  return { isFree: some.length === 0 };
}
const readRow = ({ value }: Row): RestoreRow =>
  // only this module writes rows with this key
  value as RestoreRow;

/** A restore in progress: its progress row with the revision, and the epoch. */
interface Come {
  readonly rev: number;
  /**
   * Epoch of the store. A restarted restore raises it. Only one partition has the progress row; in
   * the others, the epoch rejects rows from an earlier attempt.
   */
  readonly at: number;
  readonly row: RestoreRow;
}
interface Begin {
  readonly head: Head;
  readonly partitions: number | undefined;
}
async function begin(
  deployment: Deployment,
  path: string,
  { head, partitions }: Begin,
): Promise<Come> {
  const { uuid, type } = head.mount;
  const routes = await deployment.readMounts();
  for (const [other, route] of routes)
    if (route.uuid === uuid && !(other === path && route.restoring))
      throw new CaError(
        "already_exists",
        `the mount of this backup exists at ${other}/: restore it on another server, or delete the mount first`,
      );
  const known = routes.get(path)?.uuid === uuid ? routes.get(path) : undefined;
  const count = countOf(deployment, head, { known, partitions });
  const route = { uuid, type, ...placementMembers(count, known && placementVersion(known)) };
  const storeContext = await deployment.openStore(route);
  const { row, isFree } = await restoreRowOf(storeContext);
  if (!isFree) throw new CaError("already_exists", "the storage of the backup's mount is in use");
  if (!known) await deployment.claimMount(path, route);
  const initial: RestoreRow = { backup: head.id, next: 1, epoch: 0 };
  // keeps the last numbers, because a mount that was restored from this backup and then deleted may
  // have assigned more numbers
  const lastNumbers = await storeContext.store.list(lastNumberPrefix);
  const begun = await commitUnaudited(storeContext, {
    epoch: "next",
    expect: [
      [restoreKey, row?.rev ?? null],
      [mountKey, null],
    ],
    clear: true,
    put: [[restoreKey, initial], ...lastNumbers.map(([key, { value }]) => [key, value] as const)],
  });
  if (!begun) throw restoreChanged();
  return revOf(storeContext, initial);
}
/** Returns the number of partitions of a restored mount. */
function countOf(
  { ports }: Deployment,
  { mount }: Head,
  { known, partitions }: { readonly known: MountRoute | undefined } & Pick<Begin, "partitions">,
): number {
  // storage without partitions restores every backup into one partition
  const { partitions: own = 1 } = ports.stores.partitions ? mount : {};
  const before = known ? (known.partitions ?? 1) : undefined;
  const count = partitions ?? before ?? own;
  checkPartitions(ports, count);
  if (before !== undefined && before !== count)
    throw new CaError(
      "already_exists",
      `a restore of this mount with ${before} partitions is not complete: delete the mount first`,
    );
  return count;
}
async function revOf(storeContext: StoreContext, row: RestoreRow): Promise<Come> {
  // the epoch is read before the revision, so that a restart in between is noticed
  const at = await storeContext.epoch();
  const [stored] = await storeContext.store.get([restoreKey]);
  if (!stored) throw restoreChanged();
  return { rev: stored.rev, at, row };
}
/** Returns the error for a restore that another request restarted or finished. */
export const restoreChanged = (): CaError =>
  new CaError("conflict", "the restore was restarted or deleted concurrently");

/**
 * Returns the progress of a restore, for any part except the first. `done` means that all rows are
 * stored, and only the activation of the mount remains.
 */
async function comeTo(deployment: Deployment, path: string, head: Head): Promise<Come | "done"> {
  const { uuid } = head.mount;
  const route = (await deployment.readMounts()).get(path);
  if (route?.uuid !== uuid || !route.restoring)
    throw malformed(`no restore of this backup into ${path}/ is in progress: send its first part`);
  const storeContext = deployment.storeContext(uuid);
  const at = await storeContext.epoch();
  const [row, mount] = await storeContext.store.get([restoreKey, mountKey]);
  if (!row && mount) return "done";
  if (!row) throw malformed("the restore must be started again: send the first part");
  const come = readRow(row);
  if (come.backup !== head.id)
    throw malformed("the part does not belong to the same backup as the parts before it");
  // also accepts the previous part, because clients send a part again if its response was lost
  if (come.next !== head.part && come.next !== head.part + 1)
    throw malformed(`part ${come.next} is expected, not part ${head.part}`);
  return { rev: row.rev, at, row: come };
}

/**
 * Commits a batch without the request's audit entry, which would take the number of a restored
 * event. The start and end of the restore are audited with the changes to the mount's route.
 */
export async function commitUnaudited(
  { store, ports }: Pick<StoreContext, "store" | "ports">,
  batch: Batch,
): Promise<Committed | undefined> {
  const done = await store.commit(batch);
  if (done) wakeFor(ports, batch);
  return done;
}

/**
 * Commits rows of a restore. Rows in other partitions are committed only at the epoch of the
 * restore.
 */
const commitRows = (
  { store, ports }: StoreContext,
  batch: Batch,
  onlyAtEpoch: number,
): Promise<unknown> =>
  commitByPlace(
    { store, commit: (part) => commitUnaudited({ store, ports }, part) },
    store.placement ? { ...batch, onlyAtEpoch } : batch,
  );

/** The rows of a part that are to be stored. */
interface Storing {
  readonly path: string;
  readonly rows: NewRows;
  readonly head: Head;
  /** The partition members of the restored mount's route. */
  readonly members: Pick<MountRoute, "partitions" | "placement">;
}
/** Stores the rows of a part, and then the progress. */
async function store(
  storeContext: StoreContext,
  come: Come,
  { path, rows, head, members }: Storing,
): Promise<Come> {
  let { epoch } = come.row;
  const { uuid, type } = head.mount;
  const placed = placeEntries(rows, members.partitions ?? 1, come.row.former);
  if (!(await commitEntries(storeContext.store, placed.entries, come.at))) throw restoreChanged();
  const expect: Batch["expect"] = [[restoreKey, come.rev]];
  let [put, bytes]: [NewRows[number][], number] = [[], 0];
  const flush = async (): Promise<void> => {
    // a row that was moved to another partition during the backup is in the backup twice
    const once = [...new Map(put.map((one) => [one[0], one])).values()];
    if (put.length > 0 && !(await commitRows(storeContext, { expect, put: once }, come.at)))
      throw restoreChanged();
    [put, bytes] = [[], 0];
  };
  for (const [key, value, index] of placed.rows) {
    if (key === "epoch") {
      epoch = typeof value === "number" ? value : 0;
      continue;
    }
    const own =
      key === mountKey
        ? { ...withPlacement(storedMount(value), members), uuid, type, path }
        : await lastLogNumber(storeContext, key, value);
    const at = waits(key) ? `${stagedPrefix}${key}` : key;
    put.push(index ? [at, own, index] : [at, own]);
    bytes += value instanceof Uint8Array ? value.length : 1024;
    if (put.length >= rowsAtOnce || bytes >= bytesAtOnce) await flush();
  }
  await flush();
  const { former } = placed;
  const row: RestoreRow = { backup: head.id, next: head.part + 1, epoch, former };
  if (!(await commitUnaudited(storeContext, { expect, put: [[restoreKey, row]] })))
    throw restoreChanged();
  return revOf(storeContext, row);
}

/** Activates the mount by storing its own row and its jobs in one commit. */
async function open(
  deployment: Deployment,
  storeContext: StoreContext,
  type: MountType,
  come: Come,
): Promise<void> {
  const waited = await storeContext.store.list(stagedPrefix);
  if (!waited.some(([key]) => key === `${stagedPrefix}${mountKey}`))
    throw malformed("the backup is incomplete: no part contains the row that describes the mount");
  const { former = [] } = come.row;
  const opening = await (await type.backup()).opening(deployment.ports, storeContext.store, former);
  const added = opening.put ?? [];
  // a new job that is due at the same time as a restored job has the same row key
  const replaced = new Set(added.map(([key]) => key));
  const put = [
    ...waited
      .map(([key, { value }]) => [key.slice(stagedPrefix.length), value] as const)
      .filter(([key]) => !replaced.has(key)),
    ...added,
    ...formerLogsRow(former),
  ];
  const stores = (await sinkNames(deployment.sys.store)).length > 0;
  if (!(await continueNumbers(storeContext.store, added))) throw restoreChanged();
  const epoch = await storeContext.epoch();
  const done = await commitUnaudited(storeContext, {
    epoch: Math.max(epoch, come.row.epoch) + epochJump,
    expect: [[restoreKey, come.rev]],
    // if there are event sinks, the mount stores events from now on, regardless of the setting in
    // the backup
    put: stores ? [...put, [eventsFlag, true] as const] : put,
    log: opening.log ?? [],
    del: [restoreKey, ...(stores ? [] : [eventsFlag]), ...waited.map(([key]) => key)],
  });
  if (!done) throw restoreChanged();
}
