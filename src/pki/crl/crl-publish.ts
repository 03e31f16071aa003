import type { Mount } from "../../engine/mount.ts";
import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Ports } from "../../engine/ports.ts";
import { rowPrefixes, type CrlRow, keys, type SupersededRow } from "../rows/records.ts";
import { type UnpublishRow, sysKeys, storedSys } from "../../engine/sys-records.ts";
import { storedCrl } from "../rows/crl-records.ts";

/**
 * Delay before superseded CRLs are unpublished, in milliseconds, for clients that still have the
 * old number.
 */
const unpublishDelay = 300_000;
/**
 * CRLs and chunks removed per step: a run on Workers may call KV a thousand times, and a CRL may
 * have twenty chunks.
 */
const [listsPerStep, piecesPerStep] = [10, 100];
/** Superseded CRLs read per step; those of a busy issuer may come before another's. */
const listsPerScan = 500;

/** Returns the rows that schedule the removal of a superseded CRL from where it was published. */
export function supersededRows(
  ca: Mount,
  set: string,
  old: CrlRow | undefined,
): readonly (readonly [key: string, value: unknown])[] {
  if (!old || !ca.ports.publish?.delete) return [];
  const now = ca.ports.now();
  const row: SupersededRow = { chunks: old.chunks, at: now };
  return [[keys.superseded(set, old.number), row], unpublishJob(now, now)];
}
/** Returns one job for all CRLs superseded within the delay. */
const unpublishJob = (superseded: number, now: number) =>
  jobRow(
    { due: Math.ceil(superseded / unpublishDelay + 1) * unpublishDelay, now },
    crlUnpublish.kind,
    "lists",
  );

/** Unpublishes superseded CRLs as soon as no client has their numbers any more. */
export const crlUnpublish: Job<UnpublishProgress> = {
  kind: "crl-unpublish",
  of: "mount",
  budget: 4,
  step: async (ca, _, progress) => {
    const now = ca.ports.now();
    const { after, first } = readProgress(progress);
    const rows = (await ca.store.list(rowPrefixes.superseded, { after, limit: listsPerScan })).map(
      ([key, row]) => [key, storedCrl.superseded(row.value)] as const,
    );
    // also if it was superseded by a clock that was ahead
    const isOld = ({ at }: SupersededRow) => at + unpublishDelay <= now || at > now;
    const old = rows.filter(([, row]) => isOld(row)).slice(0, listsPerStep);
    const isFull = old.length === listsPerStep;
    const end = (isFull ? old : rows).at(-1)?.[0] ?? after;
    const left = rows.filter(([key, row]) => key <= end && !isOld(row));
    const next = Math.min(first, ...left.map(([, { at }]) => at));
    const more = isFull || rows.length === listsPerScan;
    await unpublish(ca.ports, old.flatMap(supersededNames(ca.name)));
    const again = more || next === Infinity ? [] : [unpublishJob(next, now)];
    await ca.storeContext.commit({ del: old.map(([key]) => key), put: again });
    // a CRL superseded before the next run may have a row before this one
    return more ? { after: end, first: Math.min(next, now) } : undefined;
  },
  removal: async (ca) => {
    if (!ca.ports.publish?.delete) return [];
    const old = (await ca.store.list(rowPrefixes.superseded)).map(
      ([key, row]) => [key, storedCrl.superseded(row.value)] as const,
    );
    const current = (await ca.store.list(rowPrefixes.crls)).map(
      ([key, row]) => [key, storedCrl.crl(row.value)] as const,
    );
    // left by an unfinished deletion; read last, because it is stored before the rows above are
    // deleted
    const [before] = await ca.sys.store.get([sysKeys.unpublish(ca.name)]);
    const names = new Set([
      ...(before ? storedSys.unpublish(before.value).names : []),
      ...old.flatMap(supersededNames(ca.name)),
      ...current.flatMap(([key, row]) =>
        publishedNames(ca.name, key.slice(rowPrefixes.crls.length), row.number, row.chunks),
      ),
    ]);
    const now = ca.ports.now();
    const row: UnpublishRow = { names: [...names] };
    return names.size
      ? [
          [sysKeys.unpublish(ca.name), row],
          jobRow({ due: now + unpublishDelay, now }, mountUnpublish.kind, ca.name),
        ]
      : [];
  },
};
/** The last row processed, and the earliest supersession among the rows left before it. */
interface UnpublishProgress {
  readonly after: string;
  readonly first: number;
}
// earlier versions wrote a string
const readProgress = (progress: UnpublishProgress | string | undefined): UnpublishProgress =>
  typeof progress === "object" ? progress : { after: "", first: Infinity };
const supersededNames =
  (mount: string) =>
  ([key, { chunks }]: readonly [string, SupersededRow]): readonly string[] => {
    const [, set = "", number = ""] = key.split("/");
    return publishedNames(mount, set, Number(number), chunks);
  };

/** Unpublishes the CRLs of a mount after it was deleted. Runs in the store `sys`. */
export const mountUnpublish: Job<number> = {
  kind: "mount-unpublish",
  of: "deployment",
  budget: 4,
  step: async (ca, mount, progress) => {
    const key = sysKeys.unpublish(mount);
    const [row] = await ca.sys.store.get([key]);
    // an unfinished deletion is repeated, which schedules this job again
    if (!row || (await ca.pathOf(mount)) !== undefined) return undefined;
    const { names } = storedSys.unpublish(row.value);
    const from = progress ?? 0;
    const next = from + piecesPerStep;
    await unpublish(ca.ports, names.slice(from, next));
    if (next < names.length) return next;
    await ca.sys.commit({ expect: [[key, row.rev]], del: [key] });
    return undefined;
  },
};

/** Unpublishes CRLs. Tries all, then rejects with the first failure, so that the job runs again. */
async function unpublish({ publish }: Ports, names: readonly string[]): Promise<void> {
  const done = await Promise.allSettled(names.map(async (name) => publish?.delete?.(name)));
  const failed = done.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

/** Bytes per chunk of a CRL: 1 MiB, half of the limit for a Durable Object's row. */
const chunkSize = 1024 * 1024;
/** Splits a CRL into the chunks that are stored and published. */
export const chunksOf = (der: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(der.length / chunkSize) }, (_, i) =>
    der.subarray(i * chunkSize, (i + 1) * chunkSize),
  );

/** Returns the members of a CRL's row that depend on its bytes. */
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

/** Publishes a CRL. Failures are only logged, because readers fall back to the store. */
export async function publishCrl(
  ca: Mount,
  set: string,
  row: CrlRow,
  der: Uint8Array,
): Promise<void> {
  const { publish } = ca.ports;
  if (!publish) return;
  const chunks = chunksOf(der);
  const published = publishedNames(ca.name, set, row.number, chunks.length).map((name, i) =>
    publish.put(name, chunks[i] ?? new Uint8Array(0), row.next_update),
  );
  for (const done of await Promise.allSettled(published))
    if (done.status === "rejected")
      ca.ports.log?.({ endpoint: "publish crl", status: 500, ms: 0, cause: done.reason });
}
