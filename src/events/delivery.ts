import { toHex } from "../base/bytes.ts";
import { memoize } from "../base/memo.ts";
import type { Deployment } from "../engine/deployment.ts";
import type { Batch, Row } from "../engine/ports.ts";
import type { StoreContext } from "../engine/store-context.ts";
import { sysKeys } from "../engine/sys-records.ts";
import { eventStores, nextEvents, type StoredEvent } from "./event-stores.ts";
import type { CaEvent } from "./event-table.ts";
import { completeEvent } from "./prepare.ts";
import { eventKey, progressAfter, type Rejections } from "./delivery-progress.ts";
import { openSink, type DeliveryFailure, type SendEvent } from "./send-event.ts";
import { compileFilters } from "./sink-filter.ts";
import { eventSinkKeys, storedEvents, type EventSinkRow, type SinkStateRow } from "./sink-rows.ts";

/**
 * Maximum number of events to read at a time from all stores, and maximum number of concurrent
 * requests.
 */
const [eventsAtOnce, requestsAtOnce] = [64, 8];
/** Number of rejected attempts after which an event is skipped. */
const maxRejections = 5;
/** Time in ms after which a batch starts no further requests. */
const maxBatchTime = 20_000;
/**
 * Time in ms for which a process claims a sink. It is longer than a batch takes, including its last
 * requests.
 */
const claimTime = 45_000;
/** Maximum number of batches per run. */
const maxRounds = 20;
/**
 * Delay after the first failure, which doubles with each further failure, and maximum delay, both
 * in ms.
 */
const [firstWait, maxWait] = [10_000, 600_000];

/** Returns the key of the warning in `sys/health` about a sink. */
export const sinkNoticeKey = (name: string): string => sysKeys.notice("sys", "events", name);

/** Returns the random name with which this process claims sinks. */
const engineOf = memoize<StoreContext, readonly [], string>(({ ports }) => toHex(ports.random(16)));

/**
 * Claims a sink, which is necessary before anything is sent to it. Returns false if another process
 * has claimed the sink. Ignores a claim that lasts too long, because the clock of the other process
 * must have been ahead.
 */
async function claimSink(
  { sys }: Deployment,
  name: string,
  row: Row | undefined,
): Promise<boolean> {
  const [owner, now] = [engineOf(sys), sys.ports.now()];
  const { owner: other, until } = storedEvents.claim(row?.value);
  if (other !== owner && until > now && until <= now + claimTime) return false;
  const key = eventSinkKeys.claim(name);
  const put = [[key, { owner, until: now + claimTime }]] as const;
  return (await sys.commit({ expect: [[key, row?.rev ?? null]], put })) !== undefined;
}

/** Delivers waiting events to a sink. Resolves with true if more events may be waiting. */
export async function deliverEvents(deployment: Deployment, name: string): Promise<boolean> {
  const { sys } = deployment;
  const keys = [eventSinkKeys.sink(name), eventSinkKeys.state(name)] as const;
  for (let round = 0; round < maxRounds; round++) {
    const [sinkRow, stateRow, claimRow] = await sys.store.get([...keys, eventSinkKeys.claim(name)]);
    if (!sinkRow) return false;
    const sink = storedEvents.sink(sinkRow.value);
    const state = storedEvents.state(stateRow?.value);
    if (!sink.enabled || state.next > sys.ports.now()) return false;
    const batch = await nextBatch(deployment, state);
    if (!batch) return false;
    const isSent = batch.lost === 0 && mustSend(sink, batch);
    if (isSent && !(await claimSink(deployment, name, claimRow))) return false;
    const result =
      batch.lost > 0
        ? undefined
        : await sendBatch(await openSink(sys, name, sink), sink, state, {
            batch,
            now: () => sys.ports.now(),
          });
    const { put, del } = result
      ? outcomeRows(deployment, name, { sink, state, batch, result })
      : lossRows(deployment, name, { state, batch });
    const committed = await sys.commit({
      // a concurrent run or a change of the sink takes precedence
      expect: [
        [keys[0], sinkRow.rev],
        [keys[1], stateRow?.rev ?? null],
      ],
      put,
      del: isSent ? [...del, eventSinkKeys.claim(name)] : del,
    });
    if (!committed || result?.failure) return false;
  }
  return true;
}

/** Reports whether a batch has something to send. */
function mustSend(sink: EventSinkRow, { marker, events }: DeliveryBatch): boolean {
  const matches = compileFilters(sink);
  return marker !== undefined || events.some(({ event }) => matches(event));
}

/** The events to deliver next. */
interface DeliveryBatch {
  /** The event that reports dropped events. It is sent alone. */
  readonly marker: CaEvent | undefined;
  /** Number of newly dropped events. It must be stored before anything is sent. */
  readonly lost: number;
  readonly events: readonly StoredEvent[];
  /** The cursors before and after the events. */
  readonly begin: Cursors;
  readonly end: Cursors;
}
type Cursors = SinkStateRow["cursors"];
async function nextBatch(
  deployment: Deployment,
  { cursors, marker }: SinkStateRow,
): Promise<DeliveryBatch | undefined> {
  if (marker) return { marker, lost: 0, events: [], begin: cursors, end: cursors };
  const events: StoredEvent[] = [];
  // the cursors of stores that cannot be read at the moment stay unchanged
  const begin: Record<string, number> = { ...cursors };
  const end: Record<string, number> = { ...cursors };
  let lost = 0;
  const stores = await eventStores(deployment);
  const waiting = stores.filter(({ name, last }) => last !== (cursors[name] ?? 0));
  const limit = Math.ceil(eventsAtOnce / Math.max(waiting.length, 1));
  for (const store of stores) {
    const next = await nextEvents(store, cursors, limit);
    begin[store.name] = next.begin;
    end[store.name] = next.end;
    lost += next.lost;
    events.push(...next.events);
  }
  if (events.length === 0 && lost === 0) return undefined;
  return { events, lost, begin, end, marker: undefined };
}

/** The result of sending a batch. */
interface BatchResult {
  /** Events that need no further attempt: delivered, filtered out, or rejected too often. */
  readonly settled: readonly StoredEvent[];
  /** Whether the marker needs no further attempt, which is also the case if there is no marker. */
  readonly isMarked: boolean;
  /** Numbers of rejected attempts for the events to retry, by event key. */
  readonly rejections: Rejections;
  readonly delivered: number;
  /** Number of events that were skipped after too many rejections. */
  readonly skipped: number;
  readonly failure: DeliveryFailure | undefined;
  /** Whether the time limit ended the batch, so that events are left for the next batch. */
  readonly isCut: boolean;
}
const markerKey = "marker";

/**
 * Sends a batch. Continues after an event that the receiver rejects. The batch ends with any other
 * failure, or at the time limit.
 */
async function sendBatch(
  send: SendEvent,
  sink: EventSinkRow,
  state: SinkStateRow,
  { batch: { marker, events }, now }: { readonly batch: DeliveryBatch; now(): number },
): Promise<BatchResult> {
  const end = now() + maxBatchTime;
  const rejections: Record<string, number> = {};
  const isSkipped = (key: string, failure: DeliveryFailure): boolean => {
    if (!failure.isRejected) return false;
    rejections[key] = (state.rejections[key] ?? 0) + 1;
    return (rejections[key] ?? 0) >= maxRejections;
  };
  const failedMarker = marker && (await send(marker));
  const isMarked = !failedMarker || isSkipped(markerKey, failedMarker);
  const matches = compileFilters(sink);
  const settledBefore = new Set(state.settled);
  const settled: StoredEvent[] = [];
  let [delivered, skipped, failure] = [0, 0, isMarked ? undefined : failedMarker];
  let at = 0;
  for (; at < events.length && (!failure || failure.isRejected); at += requestsAtOnce) {
    if (now() >= end) break;
    const some = events.slice(at, at + requestsAtOnce);
    const results = await Promise.all(
      some.map(async (one) => {
        const isSent = !settledBefore.has(eventKey(one)) && matches(one.event);
        return { one, isSent, failed: isSent ? await send(one.event) : undefined };
      }),
    );
    for (const { one, isSent, failed } of results) {
      if (failed && !isSkipped(eventKey(one), failed)) {
        // a failure of the receiver as a whole takes precedence over a rejected event
        failure = failure && failed.isRejected ? failure : failed;
        continue;
      }
      settled.push(one);
      if (failed) skipped += 1;
      else if (isSent) delivered += 1;
    }
  }
  const isCut = at < events.length;
  return { settled, isMarked, rejections, delivered, skipped, failure, isCut };
}

/** The rows to write and delete after a batch. */
interface RoundRows {
  readonly put: NonNullable<Batch["put"]>;
  readonly del: readonly string[];
}
/**
 * Returns the rows that record dropped events. They contain the marker, so that a retry sends the
 * same event.
 */
function lossRows(
  { sys }: Deployment,
  name: string,
  { state, batch }: { readonly state: SinkStateRow; readonly batch: DeliveryBatch },
): RoundRows {
  const data = { sink: name, count: batch.lost };
  const about = { type: "sealwright.events.lost", subject: name, data } as const;
  const next: SinkStateRow = {
    ...state,
    cursors: batch.begin,
    lost: state.lost + batch.lost,
    marker: completeEvent(sys, "sys", about),
  };
  return { put: [[eventSinkKeys.state(name), next]], del: [] };
}

/** A sink and the result of a batch. */
interface SinkOutcome {
  readonly sink: EventSinkRow;
  readonly state: SinkStateRow;
  readonly batch: DeliveryBatch;
  readonly result: BatchResult;
}
/** Returns the rows to store after a batch. */
function outcomeRows(
  { ports }: Deployment,
  name: string,
  { sink, state, batch, result }: SinkOutcome,
): RoundRows {
  const now = ports.now();
  const { failure, delivered, skipped, isMarked } = result;
  const { marker, ...rest } = state;
  const counted = {
    ...rest,
    delivered: state.delivered + delivered,
    lost: state.lost + skipped,
    ...(delivered > 0 || (marker && isMarked) ? { lastSuccess: now } : {}),
  };
  if (!failure) {
    const next: SinkStateRow = {
      ...counted,
      ...(result.isCut
        ? progressAfter(state, batch, result)
        : { cursors: batch.end, settled: [], rejections: {} }),
      failure: "",
      failures: 0,
      next: 0,
    };
    const del = state.failures > 0 ? [sinkNoticeKey(name)] : [];
    return { put: [[eventSinkKeys.state(name), next]], del };
  }
  const next: SinkStateRow = {
    ...counted,
    ...progressAfter(state, batch, result),
    ...(marker && !isMarked ? { marker } : {}),
    lastFailure: now,
    failure: failure.text,
    failures: state.failures + 1,
    next: now + Math.min(firstWait * 2 ** state.failures, maxWait),
  };
  const text = "An event sink does not accept events; see sys/events/sinks for the reason";
  return {
    put: [
      [eventSinkKeys.state(name), next],
      [sinkNoticeKey(name), { text }],
      ...(failure.isGone
        ? [[eventSinkKeys.sink(name), { ...sink, enabled: false, modified: now }] as const]
        : []),
    ],
    del: [],
  };
}
