import {
  deleteEventSink,
  listEventSinks,
  readEventSink,
  testEventSink,
  writeEventSink,
} from "./sinks.ts";

/** The endpoints for event sinks under `/v1/sys`. */
export const eventSinks = [
  listEventSinks,
  testEventSink,
  readEventSink,
  writeEventSink,
  deleteEventSink,
] as const;
