import type { Deployment } from "../engine/deployment.ts";
import type { Batch } from "../engine/ports.ts";
import { sysKeys } from "../engine/sys-records.ts";
import { eventStores, nextEvents, type StoredEvent } from "./event-stores.ts";
import type { CaEvent } from "./event-table.ts";
import { completeEvent } from "./prepare.ts";
import { openSink, type DeliveryFailure, type SendEvent } from "./send-event.ts";
import { compileFilters } from "./sink-filter.ts";
import { eventSinkKeys, storedEvents, type EventSinkRow, type SinkStateRow } from "./sink-rows.ts";

/** Events of a store that are read at once, and requests that run at once. */
const [eventsAtOnce, requestsAtOnce] = [64, 8];
/** Maximum rounds of one run. */
const maxRounds = 20;
/** Delay after the first failure (ms), doubled with each further one, and its maximum. */
const [firstWait, maxWait] = [10_000, 600_000];

/** Returns the key of the warning in `sys/health` about a sink. */
export const sinkNoticeKey = (name: string): string => sysKeys.notice("sys", "events", name);

/** Delivers the waiting events of a sink. Returns whether more may wait. */
export async function deliverEvents(ca: Deployment, name: string): Promise<boolean> {
  const { sys } = ca;
  const keys = [eventSinkKeys.sink(name), eventSinkKeys.state(name)] as const;
  for (let round = 0; round < maxRounds; round++) {
    const [sinkRow, stateRow] = await sys.store.get(keys);
    if (!sinkRow) return false;
    const sink = storedEvents.sink(sinkRow.value);
    const state = storedEvents.state(stateRow?.value);
    if (!sink.enabled || state.next > sys.ports.now()) return false;
    const batch = await nextBatch(ca, state);
    if (!batch) return false;
    const result =
      batch.lost > 0 ? undefined : await sendBatch(await openSink(sys, name, sink), sink, batch);
    const { put, del } = result
      ? outcomeRows(ca, name, { sink, state, batch, result })
      : lossRows(ca, name, { state, batch });
    const committed = await sys.commit({
      // a concurrent run, or a change of the sink, wins
      expect: [
        [keys[0], sinkRow.rev],
        [keys[1], stateRow?.rev ?? null],
      ],
      put,
      del,
    });
    if (!committed || result?.failure) return false;
  }
  return true;
}

/** Events to deliver next. */
interface DeliveryBatch {
  /** The stored event about dropped events, which is sent alone. */
  readonly marker: CaEvent | undefined;
  /** Number of dropped events, which must be stored before anything is sent. */
  readonly lost: number;
  readonly events: readonly StoredEvent[];
  /** Cursors before and after the events. */
  readonly begin: Cursors;
  readonly end: Cursors;
}
type Cursors = SinkStateRow["cursors"];
async function nextBatch(
  ca: Deployment,
  { cursors, marker }: SinkStateRow,
): Promise<DeliveryBatch | undefined> {
  if (marker) return { marker, lost: 0, events: [], begin: cursors, end: cursors };
  const events: StoredEvent[] = [];
  // stores that cannot be read now keep their cursors
  const begin: Record<string, number> = { ...cursors };
  const end: Record<string, number> = { ...cursors };
  let lost = 0;
  for (const store of await eventStores(ca)) {
    const next = await nextEvents(ca, store, cursors, eventsAtOnce);
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
  /** The events that were delivered or filtered out; those behind a failure are sent again. */
  readonly passed: readonly StoredEvent[];
  readonly delivered: number;
  readonly failure: DeliveryFailure | undefined;
}
async function sendBatch(
  send: SendEvent,
  sink: EventSinkRow,
  { marker, events }: DeliveryBatch,
): Promise<BatchResult> {
  const failure = marker && (await send(marker));
  if (failure) return { passed: [], delivered: 0, failure };
  const matches = compileFilters(sink);
  const passed: StoredEvent[] = [];
  let delivered = 0;
  for (let at = 0; at < events.length; at += requestsAtOnce) {
    const some = events.slice(at, at + requestsAtOnce);
    const failures = await Promise.all(
      some.map(async ({ event }) => (matches(event) ? send(event) : undefined)),
    );
    const failed = failures.findIndex((one) => one !== undefined);
    const done = failed < 0 ? some : some.slice(0, failed);
    passed.push(...done);
    delivered += done.filter(({ event }) => matches(event)).length;
    if (failed >= 0) return { passed, delivered, failure: failures[failed] };
  }
  return { passed, delivered, failure: undefined };
}

/** Rows of a commit after a round. */
interface RoundRows {
  readonly put: NonNullable<Batch["put"]>;
  readonly del: readonly string[];
}
/**
 * Returns the row that counts dropped events. It stores their marker before it is sent: a repeated
 * marker is the same event.
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

/** A sink with the result of a batch. */
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
  const { failure, passed, delivered } = result;
  if (!failure) {
    const { marker: _, ...rest } = state;
    const next: SinkStateRow = {
      ...rest,
      cursors: batch.end,
      delivered: state.delivered + delivered,
      ...(delivered > 0 || batch.marker ? { lastSuccess: now } : {}),
      failure: "",
      failures: 0,
      next: 0,
    };
    const del = state.failures > 0 ? [sinkNoticeKey(name)] : [];
    return { put: [[eventSinkKeys.state(name), next]], del };
  }
  const cursors = passed.reduce<Cursors>(
    (all, { store, number }) => ({ ...all, [store]: number }),
    batch.begin,
  );
  const wait = Math.min(firstWait * 2 ** state.failures, maxWait);
  const next: SinkStateRow = {
    ...state,
    cursors,
    delivered: state.delivered + delivered,
    lastFailure: now,
    failure: failure.text,
    failures: state.failures + 1,
    next: now + wait,
    ...(delivered > 0 ? { lastSuccess: now } : {}),
  };
  const text = `Events are not accepted by a sink: ${failure.text}`;
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
