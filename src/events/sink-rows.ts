import { rowReader } from "../engine/row-reader.ts";
import type { Store } from "../engine/ports.ts";
import type { CaEvent } from "./event-table.ts";

/** An event sink, stored in `sys`. An empty filter matches everything. */
export interface EventSinkRow {
  readonly url: string;
  /** The secret that signs the requests, sealed. */
  readonly sealed: Uint8Array;
  /** Trust anchors (DER) for the receiver. If empty, the platform's trust anchors are used. */
  readonly roots: readonly Uint8Array[];
  /** Globs of event types. */
  readonly types: readonly string[];
  /** Globs of mount paths. */
  readonly mounts: readonly string[];
  /** Globs of role names. */
  readonly roles: readonly string[];
  /** Globs for the names and IDs of issuers. */
  readonly issuers: readonly string[];
  /** Globs of names in certificates, or of the name under validation. */
  readonly names: readonly string[];
  readonly enabled: boolean;
  /** Time of the last change in Unix ms. */
  readonly modified: number;
}
/** The progress of a sink, stored in `sys`. Times are in Unix ms, or 0 if there is none. */
export interface SinkStateRow {
  /** Per store, the sequence number of the last event that was delivered or filtered out. */
  readonly cursors: Readonly<Record<string, number>>;
  readonly delivered: number;
  /** Number of events that were dropped before they could be delivered. */
  readonly lost: number;
  readonly lastSuccess: number;
  readonly lastFailure: number;
  /** The reason for the last failure; "" after a success. */
  readonly failure: string;
  /** Number of failures since the last success. */
  readonly failures: number;
  /** Time of the next attempt, if the last one failed. */
  readonly next: number;
  /** Keys of the events after the cursors that need no further attempt. */
  readonly settled: readonly string[];
  /** Number of rejected attempts, by key of the event. */
  readonly rejections: Readonly<Record<string, number>>;
  /** The event that reports dropped events. It is sent before all others. */
  readonly marker?: CaEvent | undefined;
}

/** The claim of a process that is sending to a sink, stored in `sys`. */
interface SinkClaimRow {
  /** Random name of the process, in hexadecimal. */
  readonly owner: string;
  /** Time in Unix ms until which other processes wait. */
  readonly until: number;
}

/** Prefix of the row keys of sinks. */
export const belowEventSinks = "eventsink/";
/** Row keys of sinks in the `sys` store. */
export const eventSinkKeys = {
  sink: (name: string) => `${belowEventSinks}${name}`,
  state: (name: string) => `eventstate/${name}`,
  claim: (name: string) => `eventclaim/${name}`,
} as const;
/** Returns the associated data with which the secret of a sink is sealed. */
export const eventSinkBinding = (name: string): string => `sys/events/sinks/${name}`;

/** Parsers for the rows of sinks. */
export const storedEvents = {
  sink: rowReader<EventSinkRow>({
    url: "",
    sealed: new Uint8Array(),
    roots: [],
    types: [],
    mounts: [],
    roles: [],
    issuers: [],
    names: [],
    enabled: true,
    modified: 0,
  }),
  state: rowReader<SinkStateRow>({
    cursors: {},
    delivered: 0,
    lost: 0,
    lastSuccess: 0,
    lastFailure: 0,
    failure: "",
    failures: 0,
    next: 0,
    settled: [],
    rejections: {},
  }),
  claim: rowReader<SinkClaimRow>({ owner: "", until: 0 }),
} as const;

/** Returns the names of all sinks. */
export async function sinkNames(store: Pick<Store, "list">): Promise<readonly string[]> {
  const rows = await store.list(belowEventSinks, { values: false });
  return rows.map(([key]) => key.slice(belowEventSinks.length));
}
