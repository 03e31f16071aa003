import { yieldToEventLoop } from "../../base/event-loop.ts";
import { memoize } from "../../base/memo.ts";
import type { Store } from "../../engine/ports.ts";
import { eventsFrom, logName, type AuditLog, type Numbered } from "./log.ts";

/** Number of seconds in a day. */
export const day = 86_400;

/** Properties of events that are counted together. */
export interface EventGroup {
  /** Start of the day (Unix seconds). */
  readonly begin: number;
  readonly kind: string;
  readonly endpoint: string;
  readonly role?: string;
  readonly issuer?: string;
  readonly refusal?: string;
}
/** Number of events of a mount in a group. */
interface GroupCount {
  readonly mount: string;
  readonly group: EventGroup;
  readonly count: number;
}
/** Counts for a chunk of events with consecutive numbers. */
interface Chunk {
  readonly counts: readonly GroupCount[];
  /** The last event of the chunk, encoded as a string. */
  readonly last: string;
}

/** Number of events per chunk. */
const width = 200;
/** Cached counts of a store's complete chunks, by log and chunk index. */
const chunksOf = memoize<Store, readonly [], Map<string, Map<number, Chunk>>>(() => new Map());

/**
 * Returns the counts of all stored events in a log, and its oldest event. Complete chunks are
 * counted once, because events never change. At most two chunks are read again.
 */
export async function countsOf(
  log: AuditLog,
): Promise<{ readonly counts: readonly GroupCount[]; readonly oldest: Numbered | undefined }> {
  const [oldest] = await eventsFrom(log, 1, 1);
  if (!oldest) return { counts: [], oldest };
  const chunks = await cachedChunks(log);
  const counts: GroupCount[] = [];
  const first = Math.floor((oldest.number - 1) / width);
  for (const index of chunks.keys()) if (index < first) chunks.delete(index);
  for (let index = first; index * width < log.last; index++) {
    const [begin, end] = [index * width + 1, (index + 1) * width];
    const cached = oldest.number <= begin ? chunks.get(index) : undefined;
    if (cached) {
      counts.push(...cached.counts);
      continue;
    }
    const stored = await eventsFrom(log, begin, width);
    const [{ number: next } = { number: log.last + 1 }] = stored;
    if (next > end) {
      // a restore skipped these numbers
      index = Math.floor((next - 1) / width) - 1;
      continue;
    }
    const events = stored.filter(({ number }) => number <= end);
    const chunk = countChunk(events);
    // a chunk has fewer events if some were deleted or if more will follow
    if (events.length === width) chunks.set(index, chunk);
    counts.push(...chunk.counts);
    await yieldToEventLoop();
  }
  return { counts, oldest };
}

/**
 * Returns the cached chunks of a log. Drops them if the events of the newest chunk are no longer
 * stored, for example after a restore.
 */
async function cachedChunks(log: AuditLog): Promise<Map<number, Chunk>> {
  const logs = chunksOf(log.store);
  const cached = logs.get(logName(log)) ?? new Map<number, Chunk>();
  logs.set(logName(log), cached);
  const newest = Math.max(-1, ...cached.keys());
  if (newest >= 0) {
    const [stored] = await eventsFrom(log, (newest + 1) * width, 1);
    if (!stored || textOf(stored) !== cached.get(newest)?.last) cached.clear();
  }
  return cached;
}
const textOf = ({ number, event }: Numbered): string => JSON.stringify([number, event]);

/** Counts the events of a chunk. */
function countChunk(events: readonly Numbered[]): Chunk {
  const counts = new Map<string, GroupCount>();
  for (const one of events) {
    const { mount, more = 0 } = one.event;
    const group = groupOf(one);
    const key = JSON.stringify([mount, group]);
    const count = (counts.get(key)?.count ?? 0) + 1 + more;
    counts.set(key, { mount, group, count });
  }
  const last = events.at(-1);
  return { counts: [...counts.values()], last: last ? textOf(last) : "" };
}
/** Returns the group of an event. */
function groupOf({ kind, event }: Numbered): EventGroup {
  const { role, issuer } = event.fields ?? {};
  return {
    begin: Math.floor(event.time / 1000 / day) * day,
    kind,
    endpoint: event.endpoint,
    ...(typeof role === "string" && { role }),
    ...(typeof issuer === "string" && { issuer }),
    ...(event.refusal !== undefined && { refusal: event.refusal }),
  };
}
