import { decode, encode } from "../../base/encoding.ts";
import { CaError, malformed } from "../../base/errors.ts";
import { lastNumberPrefix } from "../../base/row-keys.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { Batch, Index } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import type { Head, Part } from "./part.ts";
import { lastLogNumber } from "./last-numbers.ts";
import { openPart, type Unlock } from "./protection.ts";
import {
  restoreChanged,
  commitUnaudited,
  epochJump,
  type NewRows,
  refuseNewerFormat,
  type RestoreResult,
} from "./restore.ts";
import { getStoreKind } from "./store-backup.ts";
import {
  rankCount,
  restoreKey,
  stagedPrefix,
  type StoreKind,
  storeContextOf,
} from "./store-kinds.ts";

/** The store's row with the progress of its restore. */
interface RestoreRow {
  readonly backup: string;
  /** Sequence number of the next part. */
  readonly next: number;
  /** Epoch of the store in the backup. */
  readonly epoch: number;
  /** Whether the required row has been received. */
  readonly complete: boolean;
  /** `staging` if nothing has changed yet, `moving` while the rows are being replaced. */
  readonly state: "staging" | "moving" | "done";
}
/** A row that is staged until the last part. */
interface StagedRow {
  readonly key: string;
  /** The encoded value of the row. */
  readonly bytes: Uint8Array;
  readonly index?: Index;
}
/** Progress of a restore, with the revision of its row. */
interface Progress {
  readonly rev: number;
  readonly row: RestoreRow;
}

/** Maximum number of staged rows, and of bytes, per commit. */
const [stagedAtOnce, stagedBytes] = [200, 1024 * 1024];
/**
 * Maximum number of rows, and of bytes, per commit while rows are replaced. A typical store needs a
 * single commit.
 */
const [movedAtOnce, movedBytes] = [10_000, 8 * 1024 * 1024];
/** Number of rows to read at a time. */
const pageSize = 200;

/**
 * Stages one part of a backup for a store that belongs to no mount. The restore takes effect only
 * with the last part. Rejects with CaError:
 *
 * - `not_found` if there is no such store,
 * - `malformed` if the part is invalid or is not the next part,
 * - `already_exists` if the store is in use,
 * - `conflict` if the restore was restarted concurrently.
 */
export async function restoreStorePart(
  deployment: Deployment,
  name: string,
  bytes: Uint8Array,
  unlock: Unlock,
): Promise<RestoreResult & { readonly repeated: boolean }> {
  const kind = getStoreKind(deployment, name);
  const part = await openPart(bytes, unlock);
  const { head, last } = part;
  if (head.mount.type !== name)
    throw malformed(
      `this is a backup of ${head.mount.path.slice(0, 64)}, not of the store ${name}`,
    );
  const rows = storeRows(kind, part);
  const storeContext = storeContextOf(deployment, kind);
  let progress = await progressOf(kind, storeContext, head);
  const repeated = progress.row.state === "done";
  if (progress.row.state === "staging")
    progress = await stage(storeContext, progress, { kind, head, rows });
  if (last && !repeated) {
    if (!progress.row.complete)
      throw malformed(
        "the backup is incomplete: no part contains the row that describes the store",
      );
    await move(kind, storeContext, progress);
    storeContext.cache.forget();
  }
  return { backup: head.id, part: head.part, last, rows: rows.length, repeated };
}

/**
 * Returns the rows of a part in the form in which they are restored. Throws `malformed` if a later
 * version wrote them.
 */
export function storeRows(kind: StoreKind, { head, rows }: Pick<Part, "head" | "rows">): NewRows {
  refuseNewerFormat(head.format, kind.formats);
  return rows.flatMap(({ key, value, index }) => {
    const own = kind.restored(key, value);
    if (own === undefined) return [];
    return [index ? ([key, own, index] as const) : ([key, own] as const)];
  });
}

/**
 * Rejects with CaError `already_exists` if a restore of this backup may neither begin nor continue.
 */
export async function refuseTarget(
  deployment: Deployment,
  kind: StoreKind,
  head: Head,
): Promise<void> {
  const current = await readProgress(storeContextOf(deployment, kind));
  if (current?.row.backup === head.id && current.row.state !== "staging") return;
  refuseOther(current);
  await kind.refuseUsed();
}
function refuseOther(current: Progress | undefined): void {
  if (current?.row.state === "moving")
    throw new CaError("already_exists", "the restore of another backup is not complete");
}

/** Parses the progress row. Members that earlier versions did not store get defaults. */
const restoreRow = (value: unknown): RestoreRow => ({
  backup: "",
  next: 1,
  epoch: 0,
  complete: false,
  state: "staging",
  ...(value as Partial<RestoreRow>),
});
async function readProgress({ store }: StoreContext): Promise<Progress | undefined> {
  const [row] = await store.get([restoreKey]);
  return row && { rev: row.rev, row: restoreRow(row.value) };
}
async function progressOf(
  kind: StoreKind,
  storeContext: StoreContext,
  head: Head,
): Promise<Progress> {
  const current = await readProgress(storeContext);
  const isSame = current?.row.backup === head.id;
  if (current && isSame && current.row.state !== "staging") return current;
  if (head.part === 1) return begin(kind, storeContext, { head, current });
  if (!current || !isSame)
    throw malformed(
      `no restore of this backup into ${kind.name} is in progress: send its first part`,
    );
  // also accepts the previous part, because clients send a part again if its response was lost
  if (current.row.next !== head.part && current.row.next !== head.part + 1)
    throw malformed(`part ${current.row.next} is expected, not part ${head.part}`);
  return current;
}
async function begin(
  kind: StoreKind,
  storeContext: StoreContext,
  { head, current }: { readonly head: Head; readonly current: Progress | undefined },
): Promise<Progress> {
  refuseOther(current);
  await kind.refuseUsed();
  const row: RestoreRow = {
    backup: head.id,
    next: 1,
    epoch: 0,
    complete: kind.required === undefined,
    state: "staging",
  };
  const begun = await saved(storeContext, { rev: current?.rev ?? null }, row);
  for await (const staged of stagedPages(storeContext))
    await commitUnaudited(storeContext, { del: staged.map(([key]) => key) });
  return begun;
}
/** Stores the progress together with other rows. */
async function saved(
  storeContext: StoreContext,
  { rev }: { readonly rev: number | null },
  row: RestoreRow,
  { put = [], ...rest }: Pick<Batch, "put" | "del" | "epoch"> = {},
): Promise<Progress> {
  const batch: Batch = {
    ...rest,
    expect: [[restoreKey, rev]],
    put: [...put, [restoreKey, row]],
  };
  const done = await commitUnaudited(storeContext, batch);
  const now = done ? await readProgress(storeContext) : undefined;
  if (!now) throw restoreChanged();
  return now;
}

/**
 * Yields the staged rows in pages. The caller may delete the rows of a page before it reads the
 * next page.
 */
async function* stagedPages({
  store,
}: StoreContext): AsyncGenerator<Awaited<ReturnType<StoreContext["store"]["list"]>>> {
  for (let after: string | undefined; ;) {
    const page = await store.list(stagedPrefix, {
      limit: pageSize,
      ...(after === undefined ? {} : { after }),
    });
    if (page.length > 0) yield page;
    after = page.at(-1)?.[0];
    if (page.length < pageSize) return;
    await yieldToEventLoop();
  }
}
const padded = (n: number): string => String(n).padStart(8, "0");

interface Staging {
  readonly kind: StoreKind;
  readonly head: Head;
  readonly rows: NewRows;
}
async function stage(
  storeContext: StoreContext,
  from: Progress,
  { kind, head, rows }: Staging,
): Promise<Progress> {
  let { epoch, complete } = from.row;
  let progress = from;
  let [put, size]: [NewRows[number][], number] = [[], 0];
  for (const [at, [key, value, index]] of rows.entries()) {
    if (key === "epoch") {
      epoch = typeof value === "number" ? value : 0;
      continue;
    }
    complete ||= key === kind.required;
    const bytes = encode(value);
    const row: StagedRow = { key, bytes, ...(index ? { index } : {}) };
    put.push([`${stagedPrefix}${padded(head.part)}/${padded(at)}`, row]);
    size += bytes.length;
    if (put.length < stagedAtOnce && size < stagedBytes) continue;
    progress = await saved(storeContext, progress, from.row, { put });
    [put, size] = [[], 0];
    await yieldToEventLoop();
  }
  return saved(
    storeContext,
    progress,
    { ...from.row, next: head.part + 1, epoch, complete },
    { put },
  );
}

/** Replaces the rows of the store with the staged rows. The first commit deletes the old rows. */
async function move(kind: StoreKind, storeContext: StoreContext, from: Progress): Promise<void> {
  const isFirst = from.row.state === "staging";
  if (isFirst) await kind.refuseUsed();
  const leave = isFirst ? await kind.vacate() : undefined;
  let progress = from;
  let epoch: NonNullable<Batch["epoch"]> = isFirst
    ? Math.max(await storeContext.epoch(), from.row.epoch) + epochJump
    : "next";
  let [put, del, size]: [NewRows[number][], string[], number] = [[], [], 0];
  if (isFirst) del = await replacedKeys(storeContext);
  const flush = async (state: RestoreRow["state"]): Promise<void> => {
    progress = await saved(storeContext, progress, { ...from.row, state }, { put, del, epoch });
    [put, del, size, epoch] = [[], [], 0, "next"];
  };
  for (let rank = 0; rank < rankCount; rank++)
    for await (const page of stagedPages(storeContext))
      for (const [at, { value }] of page) {
        const { key, bytes, index } = value as StagedRow;
        if (kind.rank(key) !== rank) continue;
        const own = await lastLogNumber(storeContext, key, decode(bytes));
        put.push(index ? [key, own, index] : [key, own]);
        del.push(at);
        size += bytes.length;
        if (put.length >= movedAtOnce || size >= movedBytes) await flush("moving");
      }
  await flush("done");
  await leave?.();
}
/** Returns the keys of old rows that are not in the backup. The restore deletes these rows. */
async function replacedKeys(storeContext: StoreContext): Promise<string[]> {
  const restored = new Set(["epoch", restoreKey]);
  for await (const page of stagedPages(storeContext))
    for (const [, { value }] of page) restored.add((value as StagedRow).key);
  const existing = await storeContext.store.list("", { values: false });
  // does not reset the last numbers of logs
  const stays = (key: string): boolean =>
    restored.has(key) || key.startsWith(stagedPrefix) || key.startsWith(lastNumberPrefix);
  return existing.map(([key]) => key).filter((key) => !stays(key));
}
