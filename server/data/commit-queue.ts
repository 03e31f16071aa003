import {
  changedBy,
  type Change,
  type ChangedRows,
  type CommitWriter,
  type Outcome,
} from "./commits.ts";

/** Changes that were sent together, each with a number that identifies its outcome. */
export type Requests = readonly (readonly [id: number, change: Change])[];
/** The outcomes of some of them. */
type Replies = readonly (readonly [id: number, outcome: Outcome])[];

/** Message of the writer to each process after a transaction. */
export interface CommitNotice {
  readonly replies: Replies;
  /** Number of committed transactions. */
  readonly number: number;
  /** Changes made by other processes. */
  readonly changed: readonly ChangedRows[];
}

/** A process that sends changes and is notified of the changes of others. */
export interface Sender {
  send(notice: CommitNotice): void;
}

/** Queues the changes of all processes for the database. */
interface CommitQueue {
  /** Notifies a process from now on. */
  join(sender: Sender): void;
  leave(sender: Sender): void;
  receive(from: Sender, requests: Requests): void;
}

/**
 * Groups commits: everything that arrived during one transaction goes into the next. There is no
 * timer, so a single change is committed immediately.
 */
export function commitQueue(writer: Pick<CommitWriter, "apply" | "number">): CommitQueue {
  const senders = new Set<Sender>();
  let waiting: (readonly [from: Sender, requests: Requests])[] = [];
  const flush = (): void => {
    const group = waiting;
    waiting = [];
    const outcomes = writer.apply(
      group.flatMap(([, requests]) => requests.map(([, change]) => change)),
    );
    const done: { from: Sender; replies: Replies; changed: readonly ChangedRows[] }[] = [];
    let at = 0;
    for (const [from, requests] of group) {
      const own = outcomes.slice(at, (at += requests.length));
      const applied = requests.filter((_, n) => isApplied(own[n]));
      const replies = requests.flatMap(([id], n) => (own[n] ? [[id, own[n]] as const] : []));
      done.push({ from, replies, changed: applied.map(([, change]) => changedBy(change)) });
    }
    const { number } = writer;
    for (const sender of senders)
      sender.send({
        replies: done.flatMap(({ from, replies }) => (from === sender ? replies : [])),
        number,
        changed: done.flatMap(({ from, changed }) => (from === sender ? [] : changed)),
      });
  };
  return {
    join(sender) {
      senders.add(sender);
      sender.send({ replies: [], number: writer.number, changed: [] });
    },
    leave: (sender) => void senders.delete(sender),
    receive(from, requests) {
      // everything that arrives in this turn of the event loop joins
      if (waiting.push([from, requests]) === 1) setImmediate(flush);
    },
  };
}

/** Reports whether a change may have been applied; the effect of a failed one is unknown. */
const isApplied = (outcome: Outcome | undefined): boolean =>
  outcome !== undefined && !("done" in outcome && outcome.done === null);
