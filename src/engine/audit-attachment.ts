import { jobPrefix } from "../base/job-key.ts";
import type { Batch, LogEntry } from "./ports.ts";

/** Commits a batch and returns the result; undefined if a condition did not hold. */
type Commit<T> = (batch: Batch) => Promise<T | undefined>;
/** Adds the audit entry of a call to the batch of its first change, in whichever store. */
export interface AuditAttachment {
  /** Commits a batch of the call to the store `store`. */
  commit<T>(store: string, batch: Batch, commit: Commit<T>): Promise<T | undefined>;
  /** Whether a committed change included the entry. */
  readonly isDelivered: boolean;
  /** Ends the call; later changes do not include the entry. */
  end(): void;
}

/**
 * Reports whether a batch changes something for the caller. A batch with a log, even an empty one,
 * does. `jobs`: planning a job counts as a change.
 */
function isChange(
  { put = [], del = [], append = [], log, clear, epoch, upkeep = [] }: Batch,
  jobs: boolean,
): boolean {
  if (epoch === "next" || log !== undefined || clear === true || append.length > 0) return true;
  for (const [key] of put)
    if (key.startsWith(jobPrefix) ? jobs : !upkeep.includes(key)) return true;
  return del.some((key) => !key.startsWith(jobPrefix));
}

/**
 * Returns an attachment whose entry is computed when a batch is about to change something. `jobs`:
 * planning a job counts as a change.
 */
export function attachAudit(entryOf: () => Promise<LogEntry>, jobs = false): AuditAttachment {
  let [delivered, ended] = [false, false];
  let underWay: Promise<unknown> | undefined;
  const deliver = async <T>(batch: Batch, commit: Commit<T>) => {
    const entry = await entryOf();
    const done = await commit({ ...batch, log: [...(batch.log ?? []), entry] });
    delivered ||= done !== undefined;
    return done;
  };
  return {
    async commit(_, batch, commit) {
      // of concurrent commits one includes the entry; if it does not apply, the next one does
      while (underWay) await underWay.catch(() => undefined);
      if (delivered || ended || !isChange(batch, jobs)) return commit(batch);
      const own = deliver(batch, commit);
      underWay = own;
      try {
        return await own;
      } finally {
        underWay = undefined;
      }
    },
    get isDelivered() {
      return delivered;
    },
    end: () => void (ended = true),
  };
}
