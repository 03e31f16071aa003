import type { Mount } from "../../engine/mount.ts";
import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Ports } from "../../engine/ports.ts";
import { below, type CrlRow, keys, type SupersededRow } from "../../engine/records.ts";
import { type UnpublishRow, sysKeys, storedSys } from "../../engine/sys-records.ts";
import { storedCrl } from "../../engine/crl-records.ts";

/**
 * How long the bytes of a superseded list stay published, milliseconds: for readers who hold its
 * number.
 */
const unpublishDelay = 300_000;
/**
 * How much one step removes: a run on Workers may speak to KV a thousand times, and a list may have
 * twenty pieces.
 */
const [listsPerStep, piecesPerStep] = [10, 100];
/** Lists that one step looks at: those of an issuer who revokes much lie before another one's. */
const listsPerScan = 500;

/**
 * The rows of the batch that replaces a list: what of it is to be unpublished, and the job that
 * does so.
 */
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
/** One job for all that is superseded within the grace. */
const unpublishJob = (superseded: number, now: number) =>
  jobRow(
    { due: Math.ceil(superseded / unpublishDelay + 1) * unpublishDelay, now },
    crlUnpublish.kind,
    "lists",
  );

/**
 * Removes superseded lists from where they were published, once nobody holds their number any more.
 */
export const crlUnpublish: Job = {
  kind: "crl-unpublish",
  of: "mount",
  budget: 4,
  step: async (ca, _, progress) => {
    const now = ca.ports.now();
    const { after, first } = readProgress(progress);
    const rows = (await ca.store.list(below.superseded, { after, limit: listsPerScan })).map(
      ([key, row]) => [key, storedCrl.superseded(row.value)] as const,
    );
    // one that a clock superseded which was ahead has waited long enough
    const isOld = ({ at }: SupersededRow) => at + unpublishDelay <= now || at > now;
    const old = rows.filter(([, row]) => isOld(row)).slice(0, listsPerStep);
    const isFull = old.length === listsPerStep;
    const end = (isFull ? old : rows).at(-1)?.[0] ?? after;
    const left = rows.filter(([key, row]) => key <= end && !isOld(row));
    const next = Math.min(first, ...left.map(([, { at }]) => at));
    const more = isFull || rows.length === listsPerScan;
    await unpublish(ca.ports, old.flatMap(supersededNames(ca.name)));
    const again = more || next === Infinity ? [] : [unpublishJob(next, now)];
    await ca.unit.commit({ del: old.map(([key]) => key), put: again });
    // until the next run a list may be superseded whose row lies before this one
    return more ? { after: end, first: Math.min(next, now) } : undefined;
  },
  removal: async (ca) => {
    if (!ca.ports.publish?.delete) return [];
    const old = (await ca.store.list(below.superseded)).map(
      ([key, row]) => [key, storedCrl.superseded(row.value)] as const,
    );
    const current = (await ca.store.list(below.crls)).map(
      ([key, row]) => [key, storedCrl.crl(row.value)] as const,
    );
    // of a removal that did not come to its end; read last, because it is put down before the rows
    // above go
    const [before] = await ca.sys.store.get([sysKeys.unpublish(ca.name)]);
    const names = new Set([
      ...(before ? storedSys.unpublish(before.value).names : []),
      ...old.flatMap(supersededNames(ca.name)),
      ...current.flatMap(([key, row]) =>
        publishedNames(ca.name, key.slice(below.crls.length), row.number, row.chunks),
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
/** A row that was come to, and when the first of those was superseded that were left before it. */
interface UnpublishProgress {
  readonly after: string;
  readonly first: number;
}
// progress is written only by the step above; that of before was a text
const readProgress = (progress: unknown): UnpublishProgress =>
  typeof progress === "object" && progress !== null
    ? (progress as UnpublishProgress)
    : { after: "", first: Infinity };
const supersededNames =
  (mount: string) =>
  ([key, { chunks }]: readonly [string, SupersededRow]): readonly string[] => {
    const [, set = "", number = ""] = key.split("/");
    return publishedNames(mount, set, Number(number), chunks);
  };

/** Removes what a mount had published, after the mount is gone. Runs in the store `sys`. */
export const mountUnpublish: Job = {
  kind: "mount-unpublish",
  of: "deployment",
  budget: 4,
  step: async (ca, mount, progress) => {
    const key = sysKeys.unpublish(mount);
    const [row] = await ca.sys.store.get([key]);
    // a removal that did not come to its end is done again, and puts this job again
    if (!row || (await ca.pathOf(mount)) !== undefined) return undefined;
    const { names } = storedSys.unpublish(row.value);
    const from = typeof progress === "number" ? progress : 0;
    const next = from + piecesPerStep;
    await unpublish(ca.ports, names.slice(from, next));
    if (next < names.length) return next;
    await ca.sys.commit({ expect: [[key, row.rev]], del: [key] });
    return undefined;
  },
};

/** Rejects with the first failure after all was tried: the job runs again then. */
async function unpublish({ publish }: Ports, names: readonly string[]): Promise<void> {
  const done = await Promise.allSettled(names.map(async (name) => publish?.delete?.(name)));
  const failed = done.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

/** Bytes of one piece of a published list: 1 MiB, half of what a Durable Object's row holds. */
const chunkSize = 1024 * 1024;
/** The pieces in which a list is stored and published. */
export const chunksOf = (der: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(der.length / chunkSize) }, (_, i) =>
    der.subarray(i * chunkSize, (i + 1) * chunkSize),
  );

/** Names under which the pieces of one list are published. */
export const publishedNames = (
  mount: string,
  set: string,
  number: number,
  chunks: number,
): readonly string[] =>
  Array.from({ length: chunks }, (_, chunk) => `${mount}/${keys.crlChunk(set, number, chunk)}`);

/**
 * Publishes a list. Readers that do not find it take the one of the store, so a failure here is
 * only told to the log.
 */
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
