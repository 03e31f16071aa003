import {
  changedBy,
  type Change,
  type ChangedRows,
  type CommitWriter,
  type Outcome,
} from "./commits.ts";

/** Changes that are sent together, each with an ID that identifies its outcome. */
export type Requests = readonly (readonly [id: number, change: Change])[];
/** Outcomes of requested changes, by their IDs. */
type Replies = readonly (readonly [id: number, outcome: Outcome])[];

/** The message that the database writer sends to each process after a transaction. */
export interface CommitNotice {
  readonly replies: Replies;
  /** Number of committed transactions. */
  readonly number: number;
  /** Changes made by other processes. */
  readonly changed: readonly ChangedRows[];
}

/** A process that sends changes and is notified of the changes made by others. */
export interface Sender {
  send(notice: CommitNotice): void;
}

/** The queue of the changes that all processes send to the database writer. */
interface CommitQueue {
  /** Registers a process for notifications. */
  join(sender: Sender): void;
  leave(sender: Sender): void;
  receive(from: Sender, requests: Requests): void;
}

/**
 * Creates a queue that groups commits: everything that arrives during one transaction goes into the
 * next. There is no timer, so a single change is committed immediately.
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
      // everything that arrives in this turn of the event loop joins the same transaction
      if (waiting.push([from, requests]) === 1) setImmediate(flush);
    },
  };
}

/**
 * Reports whether a change may have been applied. A failed change counts, because its effect is
 * unknown.
 */
const isApplied = (outcome: Outcome | undefined): boolean =>
  outcome !== undefined && !("done" in outcome && outcome.done === null);
