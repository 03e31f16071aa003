import type { Mount } from "../../engine/mount.ts";
import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Ports } from "../../engine/ports.ts";
import { rowPrefixes, type CrlRow, keys, type SupersededRow } from "../rows/records.ts";
import { type UnpublishRow, sysKeys, storedSys } from "../../engine/sys-records.ts";
import { storedCrl } from "../rows/crl-records.ts";

/**
 * Delay (ms) before superseded CRLs are unpublished, because processes may still know the old CRL
 * number.
 */
const unpublishDelay = 300_000;
/**
 * Number of CRLs and of chunks to remove per step. A Worker invocation may call KV at most a
 * thousand times, and a CRL may have twenty chunks.
 */
const [listsPerStep, piecesPerStep] = [10, 100];
/**
 * Number of superseded CRLs to read per step. It is larger than `listsPerStep`, because many CRLs
 * of a busy issuer that are not yet due may precede due CRLs of other issuers.
 */
const listsPerScan = 500;

/**
 * Returns the rows that schedule the removal of a superseded CRL from the place where it was
 * published.
 */
export function supersededRows(
  mount: Mount,
  set: string,
  old: CrlRow | undefined,
): readonly (readonly [key: string, value: unknown])[] {
  if (!old || !mount.ports.publish?.delete) return [];
  const now = mount.ports.now();
  const row: SupersededRow = { chunks: old.chunks, at: now };
  return [[keys.superseded(set, old.number), row], unpublishJob(now, now)];
}
/**
 * Returns the job that unpublishes a superseded CRL. All CRLs superseded in the same interval of
 * `unpublishDelay` share a job.
 */
const unpublishJob = (superseded: number, now: number) =>
  jobRow(
    { due: Math.ceil(superseded / unpublishDelay + 1) * unpublishDelay, now },
    crlUnpublish.kind,
    "lists",
  );

/** The job that unpublishes superseded CRLs once no process can still know their numbers. */
export const crlUnpublish: Job<UnpublishProgress> = {
  kind: "crl-unpublish",
  of: "mount",
  budget: 4,
  step: async (mount, _, progress) => {
    const now = mount.ports.now();
    const { after, first } = readProgress(progress);
    const rows = (
      await mount.store.list(rowPrefixes.superseded, { after, limit: listsPerScan })
    ).map(([key, row]) => [key, storedCrl.superseded(row.value)] as const);
    // a time in the future comes from a clock that was ahead
    const isOld = ({ at }: SupersededRow) => at + unpublishDelay <= now || at > now;
    const old = rows.filter(([, row]) => isOld(row)).slice(0, listsPerStep);
    const isFull = old.length === listsPerStep;
    const end = (isFull ? old : rows).at(-1)?.[0] ?? after;
    const left = rows.filter(([key, row]) => key <= end && !isOld(row));
    const next = Math.min(first, ...left.map(([, { at }]) => at));
    const more = isFull || rows.length === listsPerScan;
    await unpublish(mount.ports, old.flatMap(supersededNames(mount.name)));
    const again = more || next === Infinity ? [] : [unpublishJob(next, now)];
    await mount.storeContext.commit({ del: old.map(([key]) => key), put: again });
    // if another CRL is superseded before the next step, its row may sort before `end`, but its
    // time is at least `now`
    return more ? { after: end, first: Math.min(next, now) } : undefined;
  },
  removal: async (mount) => {
    if (!mount.ports.publish?.delete) return [];
    const old = (await mount.store.list(rowPrefixes.superseded)).map(
      ([key, row]) => [key, storedCrl.superseded(row.value)] as const,
    );
    const current = (await mount.store.list(rowPrefixes.crls)).map(
      ([key, row]) => [key, storedCrl.crl(row.value)] as const,
    );
    // also returns the names that an unfinished deletion stored before it deleted the rows above;
    // reads them last, so that no name is missed
    const [before] = await mount.sys.store.get([sysKeys.unpublish(mount.name)]);
    const names = new Set([
      ...(before ? storedSys.unpublish(before.value).names : []),
      ...old.flatMap(supersededNames(mount.name)),
      ...current.flatMap(([key, row]) =>
        publishedNames(mount.name, key.slice(rowPrefixes.crls.length), row.number, row.chunks),
      ),
    ]);
    const now = mount.ports.now();
    const row: UnpublishRow = { names: [...names] };
    return names.size
      ? [
          [sysKeys.unpublish(mount.name), row],
          jobRow({ due: now + unpublishDelay, now }, mountUnpublish.kind, mount.name),
        ]
      : [];
  },
};
/**
 * Progress of a run: the last row that was processed, and the earliest time of supersession among
 * the remaining rows up to that row (Unix ms).
 */
interface UnpublishProgress {
  readonly after: string;
  readonly first: number;
}
// earlier versions stored the progress as a string
const readProgress = (progress: UnpublishProgress | string | undefined): UnpublishProgress =>
  typeof progress === "object" ? progress : { after: "", first: Infinity };
const supersededNames =
  (mount: string) =>
  ([key, { chunks }]: readonly [string, SupersededRow]): readonly string[] => {
    const [, set = "", number = ""] = key.split("/");
    return publishedNames(mount, set, Number(number), chunks);
  };

/** The job that unpublishes the CRLs of a deleted mount. It runs in the `sys` store. */
export const mountUnpublish: Job<number> = {
  kind: "mount-unpublish",
  of: "deployment",
  budget: 4,
  step: async (deployment, mount, progress) => {
    const key = sysKeys.unpublish(mount);
    const [row] = await deployment.sys.store.get([key]);
    // if the mount still exists, its deletion is unfinished; when retried, it schedules this job
    // again
    if (!row || (await deployment.pathOf(mount)) !== undefined) return undefined;
    const { names } = storedSys.unpublish(row.value);
    const from = progress ?? 0;
    const next = from + piecesPerStep;
    await unpublish(deployment.ports, names.slice(from, next));
    if (next < names.length) return next;
    await deployment.sys.commit({ expect: [[key, row.rev]], del: [key] });
    return undefined;
  },
};

/**
 * Unpublishes chunks of CRLs. Attempts all of them, then rejects with the first failure, so that
 * the job runs again.
 */
async function unpublish({ publish }: Ports, names: readonly string[]): Promise<void> {
  const done = await Promise.allSettled(names.map(async (name) => publish?.delete?.(name)));
  const failed = done.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

/** Size of a chunk of a CRL in bytes: 1 MiB, half of the limit for a row of a Durable Object. */
const chunkSize = 1024 * 1024;
/** Splits a CRL into the chunks in which it is stored and published. */
export const chunksOf = (der: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(der.length / chunkSize) }, (_, i) =>
    der.subarray(i * chunkSize, (i + 1) * chunkSize),
  );

/** Returns the CRL row members that state the CRL's size. */
export const sizeMembers = (der: Uint8Array): Pick<CrlRow, "chunks" | "size"> => ({
  chunks: chunksOf(der).length,
  size: der.length,
});

/** Returns the names under which the chunks of a CRL are published. */
export const publishedNames = (
  mount: string,
  set: string,
  number: number,
  chunks: number,
): readonly string[] =>
  Array.from({ length: chunks }, (_, chunk) => `${mount}/${keys.crlChunk(set, number, chunk)}`);

/** Publishes a CRL. Only logs failures, because readers fall back to the store. */
export async function publishCrl(
  mount: Mount,
  set: string,
  row: CrlRow,
  der: Uint8Array,
): Promise<void> {
  const { publish } = mount.ports;
  if (!publish) return;
  const chunks = chunksOf(der);
  const published = publishedNames(mount.name, set, row.number, chunks.length).map((name, i) =>
    publish.put(name, chunks[i] ?? new Uint8Array(0), row.next_update),
  );
  for (const done of await Promise.allSettled(published))
    if (done.status === "rejected")
      mount.ports.log?.({ endpoint: "publish crl", status: 500, ms: 0, cause: done.reason });
}
