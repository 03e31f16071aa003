import { jobPrefix } from "../base/job-key.ts";
import type { Batch, LogEntry } from "./ports.ts";

/** Commits a batch, and tells what came of it; undefined: a condition did not hold. */
type Commit<T> = (batch: Batch) => Promise<T | undefined>;
/** Puts what is to be told of a call into the batch of its first change, in whatever store. */
export interface Carrier {
  /** Commits a batch of the call to the store of a name. */
  commit<T>(store: string, batch: Batch, commit: Commit<T>): Promise<T | undefined>;
  /** Whether a change has carried it. */
  readonly isDelivered: boolean;
  /** Ends the call: what goes on after it speaks for itself. */
  end(): void;
}

const isJob = (key: string): boolean => key.startsWith(jobPrefix);
/**
 * Reports whether a batch changes something for the caller; one with a log, even an empty one, says
 * so itself. `jobs`: planning a job is a change.
 */
const isChange = (
  { put = [], del = [], append = [], log, clear, epoch, upkeep = [] }: Batch,
  jobs: boolean,
): boolean =>
  epoch === "next" ||
  log !== undefined ||
  clear === true ||
  append.length > 0 ||
  put.some(([key]) => (isJob(key) ? jobs : !upkeep.includes(key))) ||
  del.some((key) => !isJob(key));

/**
 * A carrier of what `tell` says when a batch is about to change something. `jobs`: planning a job
 * is a change.
 */
export function carrierOf(tell: () => Promise<LogEntry>, jobs = false): Carrier {
  let [delivered, ended] = [false, false];
  let underWay: Promise<unknown> | undefined;
  const deliver = async <T>(batch: Batch, commit: Commit<T>) => {
    const entry = await tell();
    const done = await commit({ ...batch, log: [...(batch.log ?? []), entry] });
    delivered ||= done !== undefined;
    return done;
  };
  return {
    async commit(_, batch, commit) {
      // of several at once one carries it, and the next one where that did not apply
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
