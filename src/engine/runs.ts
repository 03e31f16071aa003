import { withTimeout } from "../base/with-timeout.ts";

/** Runs a job of a kind for an id. */
export type Run = (kind: string, id: string) => Promise<void>;

/**
 * Maximum duration of a run in milliseconds; a longer one counts as lost, and the next run of its
 * kind begins.
 */
const maxRunDuration = 600_000;

interface Queue {
  /** The end of the last requested run; never rejects. */
  end: Promise<void>;
  /** Runs that have not begun yet, by id. */
  readonly waiting: Map<string, Promise<void>>;
}

/**
 * Runs jobs of several kinds in parallel, and those of one kind one after the other. Calls that
 * arrive before an equal run has begun share it, so each caller's run begins after its call. A job
 * must not wait for another one of its own kind.
 */
export function runsOf(run: Run): Run {
  const queues = new Map<string, Queue>();
  return (kind, id) => {
    const queue = queues.get(kind) ?? { end: Promise.resolve(), waiting: new Map() };
    queues.set(kind, queue);
    const shared = queue.waiting.get(id);
    if (shared) return shared;
    const ran = queue.end.then(() => {
      queue.waiting.delete(id);
      return run(kind, id);
    });
    queue.waiting.set(id, ran);
    const end = queue.end
      .then(() => ended(ran))
      .finally(() => {
        if (queue.end === end) queues.delete(kind);
      });
    queue.end = end;
    return ran;
  };
}
/** Returns the end of a run. Its caller gets the error; the next run begins either way. */
const ended = (ran: Promise<void>): Promise<void> =>
  withTimeout(
    ran.catch(() => undefined),
    maxRunDuration,
    () => undefined,
  );
