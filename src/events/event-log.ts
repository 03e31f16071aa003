import type { LogEntry } from "../engine/ports.ts";
import type { CaEvent } from "./event-table.ts";

/** Key prefix of the event log in each store. */
export const eventLog = "event/";
/**
 * Maximum number of events that a store keeps for sinks. Older events are dropped, and each sink
 * receives an event with their number.
 */
const maxStoredEvents = 10_000;
/** Returns the log entry that stores an event for the sinks. */
export const eventEntry = (event: CaEvent): LogEntry => [eventLog, event, maxStoredEvents];
