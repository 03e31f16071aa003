import type { StoredEvent } from "./event-stores.ts";
import type { SinkStateRow } from "./sink-rows.ts";

/** The numbers of rejected attempts, by key of the event. */
export type Rejections = SinkStateRow["rejections"];

/** Returns the key of an event in a sink's progress. */
export const eventKey = ({ store, number }: Pick<StoredEvent, "store" | "number">): string =>
  `${store}/${number}`;

/** A batch that was sent: its events, in order, and the cursors before them. */
interface SentBatch {
  readonly begin: SinkStateRow["cursors"];
  readonly events: readonly StoredEvent[];
}
/**
 * The events in a batch that need no further attempt, and the numbers of rejected attempts for the
 * others.
 */
interface SettledEvents {
  readonly settled: readonly StoredEvent[];
  readonly rejections: Rejections;
}

/**
 * Returns the progress after a batch in which some events may have failed. Each cursor stops before
 * the first event to retry. Later events that need no further attempt are listed in `settled`.
 */
export function progressAfter(
  before: Pick<SinkStateRow, "settled" | "rejections">,
  { begin, events }: SentBatch,
  { settled, rejections }: SettledEvents,
): Pick<SinkStateRow, "cursors" | "settled" | "rejections"> {
  const all = new Set([...before.settled, ...settled.map(eventKey)]);
  const cursors: Record<string, number> = { ...begin };
  const blocked = new Set<string>();
  for (const one of events)
    if (!all.has(eventKey(one))) blocked.add(one.store);
    else if (!blocked.has(one.store)) cursors[one.store] = one.number;
  const isAhead = (key: string): boolean => {
    const [store = "", number] = key.split("/");
    return Number(number) > (cursors[store] ?? 0);
  };
  const counts = Object.entries({ ...before.rejections, ...rejections });
  return {
    cursors,
    settled: [...all].filter(isAhead),
    rejections: Object.fromEntries(
      counts.filter(([key]) => !all.has(key) && (!key.includes("/") || isAhead(key))),
    ),
  };
}
