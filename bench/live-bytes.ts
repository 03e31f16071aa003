import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
// the function exists only in contexts created after the flag was set
const collect = runInNewContext("gc") as () => void;

/** Returns the bytes of the live objects and buffers of this thread. */
export function liveBytes(): number {
  // buffers found unused by the first collection are freed by the second
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
