import { rowReader } from "../engine/row-reader.ts";
import type { Store } from "../engine/ports.ts";
import type { CaEvent } from "./event-table.ts";

/** An event sink, in the store `sys`. An empty filter matches everything. */
export interface EventSinkRow {
  readonly url: string;
  /** The secret that signs the requests, sealed. */
  readonly sealed: Uint8Array;
  /** Trusted CA certificates of the server, DER; empty: the platform's. */
  readonly roots: readonly Uint8Array[];
  /** Globs of event types. */
  readonly types: readonly string[];
  /** Globs of mount paths. */
  readonly mounts: readonly string[];
  /** Globs of role names. */
  readonly roles: readonly string[];
  /** Globs of the names and IDs of issuers. */
  readonly issuers: readonly string[];
  /** Globs of names in certificates, or of the name under validation. */
  readonly names: readonly string[];
  readonly enabled: boolean;
  /** Unix milliseconds. */
  readonly modified: number;
}
/** The progress of a sink, in the store `sys`. Times are Unix milliseconds; 0 means never. */
export interface SinkStateRow {
  /** Number of the last event of each store that was delivered or filtered out. */
  readonly cursors: Readonly<Record<string, number>>;
  readonly delivered: number;
  /** Number of events that were dropped before they could be delivered. */
  readonly lost: number;
  readonly lastSuccess: number;
  readonly lastFailure: number;
  /** The last failure in one sentence; "" after a success. */
  readonly failure: string;
  /** Number of failures since the last success. */
  readonly failures: number;
  /** Time of the next attempt after a failure. */
  readonly next: number;
  /** Keys of events after the cursors that need no further attempt. */
  readonly settled: readonly string[];
  /** Attempts that the receiver rejected, by the keys of events. */
  readonly rejections: Readonly<Record<string, number>>;
  /** Event about dropped events, which is sent before all others. */
  readonly marker?: CaEvent | undefined;
}

/** A batch for a sink that one engine sends at the moment, in the store `sys`. */
interface SinkClaimRow {
  /** Names the engine: hexadecimal octets. */
  readonly owner: string;
  /** Time until which other engines wait, Unix milliseconds. */
  readonly until: number;
}

/** Prefix of the keys of sinks. */
export const belowEventSinks = "eventsink/";
/** Keys of the rows of sinks in the store `sys`. */
export const eventSinkKeys = {
  sink: (name: string) => `${belowEventSinks}${name}`,
  state: (name: string) => `eventstate/${name}`,
  claim: (name: string) => `eventclaim/${name}`,
} as const;
/** Binding of the sealed secret of a sink. */
export const eventSinkBinding = (name: string): string => `sys/events/sinks/${name}`;

/** Readers of the rows of sinks. */
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
