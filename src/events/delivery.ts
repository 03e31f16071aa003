import type { Deployment } from "../engine/deployment.ts";
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
    const batch = await nextBatch(ca, name, state);
    if (!batch) return false;
    const result = await sendBatch(await openSink(sys, name, sink), sink, batch);
    const { put, del } = outcomeRows(ca, name, { sink, state, batch, result });
    const committed = await sys.commit({
      // a concurrent run, or a change of the sink, wins
      expect: [
        [keys[0], sinkRow.rev],
        [keys[1], stateRow?.rev ?? null],
      ],
      put,
      del,
    });
    if (!committed || result.failure) return false;
  }
  return true;
}

/** Events to deliver next. */
interface DeliveryBatch {
  /** The marker of dropped events, sent before the others. */
  readonly marker: CaEvent | undefined;
  readonly lost: number;
  readonly events: readonly StoredEvent[];
  /** Cursors before and after the events. */
  readonly begin: Readonly<Record<string, number>>;
  readonly end: Readonly<Record<string, number>>;
}
async function nextBatch(
  ca: Deployment,
  sink: string,
  { cursors: before }: SinkStateRow,
): Promise<DeliveryBatch | undefined> {
  const events: StoredEvent[] = [];
  const begin: Record<string, number> = {};
  const end: Record<string, number> = {};
  let lost = 0;
  for (const store of await eventStores(ca)) {
    const next = await nextEvents(ca, store, before, eventsAtOnce);
    begin[store.name] = next.begin;
    end[store.name] = next.end;
    lost += next.lost;
    events.push(...next.events);
  }
  if (events.length === 0 && lost === 0) return undefined;
  const data = { sink, count: lost };
  const about = { type: "sealwright.events.lost", subject: sink, data } as const;
  const marker = lost > 0 ? completeEvent(ca.sys, "sys", about) : undefined;
  return { events, lost, begin, end, marker };
}

/** The result of sending a batch. */
interface BatchResult {
  /** Whether events before the batch are settled: there are none, or the marker was delivered. */
  readonly begun: boolean;
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
  if (failure) return { begun: false, passed: [], delivered: 0, failure };
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
    if (failed >= 0) return { begun: true, passed, delivered, failure: failures[failed] };
  }
  return { begun: true, passed, delivered, failure: undefined };
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
) {
  const now = ports.now();
  const { failure, begun, passed, delivered } = result;
  if (!failure) {
    const next: SinkStateRow = {
      ...state,
      cursors: batch.end,
      delivered: state.delivered + delivered,
      lost: state.lost + batch.lost,
      ...(delivered > 0 || batch.marker ? { lastSuccess: now } : {}),
      failure: "",
      failures: 0,
      next: 0,
    };
    const del = state.failures > 0 ? [sinkNoticeKey(name)] : [];
    return { put: [[eventSinkKeys.state(name), next] as const], del };
  }
  const cursors = passed.reduce<Readonly<Record<string, number>>>(
    (all, { store, number }) => ({ ...all, [store]: number }),
    begun ? batch.begin : state.cursors,
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
    lost: state.lost + (begun ? batch.lost : 0),
    ...(delivered > 0 ? { lastSuccess: now } : {}),
  };
  const text = `Events are not accepted by a sink: ${failure.text}`;
  return {
    put: [
      [eventSinkKeys.state(name), next] as const,
      [sinkNoticeKey(name), { text }] as const,
      ...(failure.isGone
        ? [[eventSinkKeys.sink(name), { ...sink, enabled: false, modified: now }] as const]
        : []),
    ],
    del: [],
  };
}
