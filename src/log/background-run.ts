import { memoize } from "../base/memo.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { Mount } from "../engine/mount.ts";
import type { StoreContext } from "../engine/store-context.ts";
import { sequencingJobAt, sequencingKind } from "./rows/signed.ts";

/** Maximum time for which a job waits for witnesses, and delay before the next run (ms). */
const [maxWait, interval] = [5000, 1000];
/** Age at which a run is presumed lost (ms), because its host may have ended it silently. */
const maxAge = 60_000;

/** The current run of a mount's sequencing job in this process. */
interface Run {
  /** Start time in Unix ms; -Infinity if no run is in progress. */
  began: number;
}
const runOf = memoize<StoreContext, readonly [], Run>(() => ({ began: -Infinity }));

/**
 * Runs a step of the sequencing job, which may wait for witnesses. A slow step continues in the
 * background, so that a slow witness does not delay the jobs of other mounts. The job is then
 * scheduled again, because entries may have been added since the step began.
 */
export async function runInBackground(
  mount: Mount,
  step: () => Promise<true | undefined>,
): Promise<true | undefined> {
  const { ports, storeContext } = mount;
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
