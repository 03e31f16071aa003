import { lastNumberKey, logKey, parseLastNumber } from "../base/row-keys.ts";
import type { Deployment } from "../engine/deployment.ts";
import { storesWithLogs, type NamedStore } from "../engine/partition-stores.ts";
import type { Row, Store } from "../engine/ports.ts";
import { keys } from "../pki/rows/records.ts";
import { eventLog } from "./event-log.ts";
import type { CaEvent } from "./event-table.ts";

/** A store that has a log of events. */
interface EventStore {
  /** `sys` or the UUID of a mount, followed by `.<number>` for partitions other than the first. */
  readonly name: string;
  /** `sys` or the UUID of the mount. */
  readonly context: string;
  readonly store: Store;
  /** Sequence number of the last event, or 0 if there is none. */
  readonly last: number;
  /** Whether changes in the store are stored as events. */
  readonly stores: boolean;
}
/** A stored event. */
export interface StoredEvent {
  readonly store: string;
  readonly number: number;
  readonly event: CaEvent;
}
/** Per store, the sequence number of the last delivered event. */
type Cursors = Readonly<Record<string, number>>;

const lastKey = lastNumberKey(eventLog);
/** Key of the row whose presence makes a mount store events. */
export const eventsFlag = keys.config("events");

/** Called for each mount that fails, so that it does not affect the events of other mounts. */
type MountFailure = (cause: unknown) => void;
/** Returns a function that logs the errors of mounts. */
export const logMountFailures =
  ({ ports }: Deployment): MountFailure =>
  (cause) =>
    ports.log?.({ endpoint: "event stores", status: 500, ms: 0, cause });

/**
 * Returns the stores that may have events: `sys`, and the stores of all mounts that are not being
 * restored. A mount that cannot be read is omitted.
 */
export async function eventStores(
  deployment: Deployment,
  failed = logMountFailures(deployment),
): Promise<readonly EventStore[]> {
  const routes = [...(await deployment.readMounts()).values()].filter(
    ({ restoring }) => !restoring,
  );
  const stores = await Promise.all(
    ["sys", ...routes.map(({ uuid }) => uuid)].map(async (name) => {
      try {
        return await storesOf(deployment, name);
      } catch (cause) {
        failed(cause);
        return [];
      }
    }),
  );
  return stores.flat();
}

/** Returns the stores with the events of a mount: one for each partition. */
async function storesOf(deployment: Deployment, context: string): Promise<readonly EventStore[]> {
  const [home, ...others] = storesWithLogs(deployment.storeContext(context));
  if (!home) return [];
  const [[last, flag], ...lasts] = await Promise.all([
    home.store.get([lastKey, eventsFlag]),
    ...others.map(({ store }) => store.get([lastKey])),
  ]);
  const isStoring = context === "sys" || flag?.value === true;
  const storeWith = (one: NamedStore, row: Row | undefined): EventStore => ({
    ...one,
    context,
    last: parseLastNumber(row?.value),
    stores: isStoring,
  });
  return [storeWith(home, last), ...others.map((one, at) => storeWith(one, lasts[at]?.[0]))];
}

/**
 * The amount by which log numbers are increased in a restored store. The skipped numbers were never
 * assigned. See `numberJump` in `src/sys/backup/restore.ts`.
 */
const numberJump = 2 ** 20;

/** The next events of a store, and the number of events that were dropped before them. */
interface NextEvents {
  readonly events: readonly StoredEvent[];
  readonly lost: number;
  /** The number that precedes the first event's number. */
  readonly begin: number;
  /** Sequence number of the last event that was read or lost. */
  readonly end: number;
}
/** Returns up to `limit` events of a store after its cursor. */
export async function nextEvents(
  { name, store, last }: EventStore,
  cursors: Cursors,
  limit: number,
): Promise<NextEvents> {
  // a store without a cursor is new, and a store with fewer events than were delivered was replaced
  const stored = cursors[name];
  const cursor = stored === undefined || stored > last ? undefined : stored;
  if (last === (cursor ?? 0)) return { events: [], lost: 0, begin: last, end: last };
  const rows = await store.list(eventLog, { limit, after: logKey(eventLog, cursor ?? 0) });
  const events = rows.map(([key, { value }]) => ({
    store: name,
    number: Number(key.slice(eventLog.length)),
    // all rows under this prefix have this type
    event: value as CaEvent,
  }));
  const first = events[0]?.number ?? last + 1;
  const lost = cursor === undefined ? 0 : droppedIn(first - cursor - 1);
  return { events, lost, begin: first - 1, end: events.at(-1)?.number ?? last };
}

/**
 * Returns the number of dropped events for a gap in the numbers. After a restore, the gap includes
 * the jump. It may even be slightly smaller than the jump, because the restored copy may end before
 * the last delivered event.
 */
function droppedIn(gap: number): number {
  const dropped = gap % numberJump;
  return dropped < numberJump * 0.9 ? dropped : 0;
}

/** Returns the number of events after the cursors, counted before filtering. */
export const waitingEvents = (stores: readonly EventStore[], cursors: Cursors): number =>
  stores.reduce((sum, { name, last }) => {
    const cursor = cursors[name] ?? 0;
    return sum + (cursor > last ? last : last - cursor);
  }, 0);
