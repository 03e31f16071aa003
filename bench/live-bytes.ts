import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
// the `gc` function exists only in contexts created after the flag was set
const collect = runInNewContext("gc") as () => void;

/** Returns the size in bytes of this thread's live objects and buffers. */
export function liveBytes(): number {
  // the second collection frees the buffers that the first one found unused
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
