import type { LogEntry } from "../engine/ports.ts";
import type { CaEvent } from "./event-table.ts";

/** Prefix of the log of events in each store. */
export const eventLog = "event/";
/**
 * Maximum events that a store keeps for sinks; older ones are dropped, and sinks are told how many.
 */
const maxStoredEvents = 10_000;
/** Returns the log entry that stores an event for the sinks. */
export const eventEntry = (event: CaEvent): LogEntry => [eventLog, event, maxStoredEvents];
