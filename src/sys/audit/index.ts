import { hashName, listDevices, readStrangers } from "./devices.ts";
import { listEvents } from "./events.ts";
import { deleteSink, readSink, writeSink } from "./sink.ts";

export { sinkJob } from "./sink-job.ts";

/** The endpoints below `/v1/sys` of what is told of requests. */
export const audit = [
  listEvents,
  listDevices,
  hashName,
  readStrangers,
  writeSink,
  readSink,
  deleteSink,
] as const;
