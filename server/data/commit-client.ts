import { CaError } from "../../src/base/errors.ts";
import { ownBatch, type StoreWriter } from "../../src/node/sqlite-store.ts";
import type { PackedDone } from "../../src/store/sql/packed.ts";
import type { CommitNotice, Requests } from "./commit-queue.ts";
import { type Change, errorOf } from "./commits.ts";
import { changeTracker, type ChangeTracker } from "./followed.ts";

/** Sends the changes of this process to the database writer. */
export interface CommitClient extends Pick<ChangeTracker, "follow" | "upTo"> {
  /** Returns the writer of a store. */
  writer(store: string): StoreWriter;
  /** Handles a notification from the database writer. */
  received(notice: CommitNotice): void;
  /** Records that the database writer is gone. The outcome of pending commits is then unknown. */
  lost(): void;
}

interface Pending {
  resolve(done: PackedDone): void;
  reject(error: Error): void;
}

/**
 * Creates a client for the database writer that `send` reaches. The client sends all changes made
 * in one turn of the event loop together.
 */
export function commitClient(send: (requests: Requests) => void): CommitClient {
  const pending = new Map<number, Pending>();
  let [next, isLost] = [1, false];
  let waiting: (readonly [number, Change])[] = [];
  const others = changeTracker();
  const flush = (): void => {
    const requests = waiting;
    waiting = [];
    send(requests);
  };
  const change = (request: Change): Promise<PackedDone> =>
    new Promise((resolve, reject) => {
      if (isLost) return reject(unreached());
      const id = next++;
      pending.set(id, { resolve, reject });
      if (waiting.push([id, request]) === 1) setImmediate(flush);
    });
  return {
    writer: (store) => ({
      commit: (batch) => change({ store, batch: ownBatch(batch) }),
      drop: async () => void (await change({ store })),
    }),
    follow: others.follow,
    upTo: others.upTo,
    received({ replies, number, changed }) {
      others.record(number, changed);
      for (const [id, outcome] of replies) {
        const one = pending.get(id);
        pending.delete(id);
        if ("failure" in outcome) one?.reject(errorOf(outcome.failure));
        else one?.resolve(outcome.done);
      }
    },
    lost() {
      isLost = true;
      for (const { reject } of pending.values()) reject(unreached());
      pending.clear();
      others.lost();
    },
  };
}

const unreached = (): CaError => new CaError("storage", "the storage is unreachable");
