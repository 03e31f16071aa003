import { disableDevice, enableDevice, hashName, listDevices, readStrangers } from "./devices.ts";
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
  // behind the paths that are one of these
  enableDevice,
  disableDevice,
] as const;
