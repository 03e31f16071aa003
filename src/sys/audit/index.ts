import { countEvents } from "./counts.ts";
import {
  disableDevice,
  enableDevice,
  hashName,
  listDevices,
  countAnonymousCalls,
} from "./devices.ts";
import { listEvents } from "./events.ts";
import { deleteSink, readSink, writeSink } from "./sink.ts";

export { sinkJob } from "./sink-job.ts";

/** The audit endpoints under `/v1/sys`. */
export const audit = [
  listEvents,
  countEvents,
  listDevices,
  hashName,
  countAnonymousCalls,
  writeSink,
  readSink,
  deleteSink,
  // these follow the endpoints above, whose paths they would also match
  enableDevice,
  disableDevice,
] as const;
