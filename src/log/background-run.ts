import { memoize } from "../base/memo.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { Mount } from "../engine/mount.ts";
import type { StoreContext } from "../engine/store-context.ts";
import { sequencingJobAt, sequencingKind } from "./rows/signed.ts";

/** Time that a job waits for witnesses (ms), and the interval at which it looks again. */
const [maxWait, interval] = [5000, 1000];
/** Age at which a run counts as lost (ms), because its host may have ended it silently. */
const maxAge = 60_000;

/** The run of a log in this engine. */
interface Run {
  /** Start time in Unix milliseconds; -Infinity: none is running. */
  began: number;
}
const runOf = memoize<StoreContext, readonly [], Run>(() => ({ began: -Infinity }));

/**
 * Runs a step of the job that may wait for witnesses. A step that takes long continues in the
 * background, so that a slow witness does not delay the jobs of other mounts. Then the job is
 * scheduled again, because entries may have been added since the step began.
 */
export async function runInBackground(
  ca: Mount,
  step: () => Promise<true | undefined>,
): Promise<true | undefined> {
  const { ports, storeContext } = ca;
  const run = runOf(storeContext);
  const began = ports.now();
  const again = async (): Promise<undefined> => {
    const now = ports.now();
    await storeContext.commit({ put: [sequencingJobAt({ due: now + interval, now })] });
    return undefined;
  };
  if (Math.abs(began - run.began) < maxAge) return again();
  run.began = began;
  const done = step().finally(() => {
    if (run.began === began) run.began = -Infinity;
  });
  const outcome = await withTimeout(done, maxWait, () => "late" as const);
  if (outcome !== "late") return outcome;
  void done.catch((cause: unknown) => {
    ports.log?.({ endpoint: `job ${sequencingKind}`, status: 500, ms: 0, cause });
  });
  return again();
}
