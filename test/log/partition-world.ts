import { CaError, memoryStore, type Store, type Stores } from "../../src/index.ts";
import { entryPrefix } from "../../src/log/rows/records.ts";
import { followLog, type FollowResult, type LogSource } from "../../src/log/tree/follow.ts";
import type { Checkpoint } from "../../src/log/tree/checkpoint.ts";
import { parseBundle, type Entry } from "../../src/log/tree/entry.ts";
import { parseVerifierKey, type NoteKey } from "../../src/log/tree/note.ts";
import { tilePath } from "../../src/log/tree/tiles.ts";
import type { Authority } from "../support/authority.ts";

/** Stores in memory whose calls a test can make fail, and which note the order of log entries. */
export interface FaultyStores {
  readonly stores: Stores;
  /** The stores without faults. */
  readonly inner: Stores;
  /** Names of the stores that cannot be reached. */
  readonly unreachable: Set<string>;
  /** Decides the fate of a commit; by default all are applied. */
  fate: () => "applied" | "lost" | "unanswered";
  /** All entries of logs in the order of their commits, in hexadecimal. */
  readonly committed: string[];
}
const failure = (): CaError => new CaError("storage", "the store cannot be reached");

export function faultyStores(inner: Stores = memoryStore()): FaultyStores {
  const unreachable = new Set<string>();
  const committed: string[] = [];
  const world: FaultyStores = {
    inner,
    unreachable,
    committed,
    fate: () => "applied",
    stores: Object.assign(
      (name: string): Store => {
        const store = inner(name);
        const reached = async <T>(call: () => Promise<T>): Promise<T> => {
          if (unreachable.has(name)) throw failure();
          return call();
        };
        return {
          ...store,
          get: (keys) => reached(() => store.get(keys)),
          getWithIndex: (keys) => reached(async () => (await store.getWithIndex?.(keys)) ?? []),
          list: (prefix, page) => reached(() => store.list(prefix, page)),
          commit: (batch) =>
            reached(async () => {
              const fate = world.fate();
              if (fate === "lost") throw failure();
              const done = await store.commit(batch);
              for (const [prefix, bytes] of (done && batch.log) ?? [])
                // entries of this log are byte arrays
                if (prefix === entryPrefix) committed.push(hexOf(bytes as Uint8Array));
              if (fate === "unanswered") throw failure();
              return done;
            }),
        };
      },
      { durable: false as const, partitions: true },
    ),
  };
  return world;
}
export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
/** Returns the name of a partition's store. */
export const storeName = (uuid: string, partition: number): string =>
  partition === 0 ? uuid : `${uuid}.${partition}`;

/** Returns access to the log of a mount. */
export const sourceOf = (a: Authority, mount: string): LogSource => ({
  checkpoint: async () => (await a.call("GET", `${mount}/log/checkpoint`)).text,
  tile: async (path) => {
    const read = await a.call("GET", `${mount}/log/tile/${path}`);
    if (read.status !== 200) throw new Error(`${path}: ${read.status} ${read.text}`);
    return read.bytes;
  },
});
/** Returns the bytes of the first `size` entries of a log. */
export async function entriesOf(source: LogSource, size: number): Promise<readonly Uint8Array[]> {
  const entries: Uint8Array[] = [];
  for (let index = 0; entries.length < size; index++) {
    const width = Math.min(256, size - entries.length);
    entries.push(...parseBundle(await source.tile(tilePath({ level: "entries", index, width }))));
  }
  return entries;
}
/** A follower of a log, which verifies that each tree contains the earlier one unchanged. */
export interface Follower {
  /** The entries so far. */
  readonly entries: Entry[];
  previous: Checkpoint | undefined;
  follow(source: LogSource): Promise<FollowResult>;
}
export function follower(verifierKey: string): Follower {
  const key: NoteKey | undefined = parseVerifierKey(verifierKey);
  if (!key) throw new Error(verifierKey);
  const self: Follower = {
    entries: [],
    previous: undefined,
    async follow(source) {
      const seen: Entry[] = [];
      const { previous } = self;
      const result = await followLog(source, { key, previous }, (entry) => void seen.push(entry));
      if (result.fault) return result;
      self.entries.push(...seen);
      self.previous = result.checkpoint;
      return result;
    },
  };
  return self;
}
/** Advances the clock, and runs the due jobs until none remains for the log. */
export async function settle(a: Authority, seconds = 1): Promise<void> {
  for (let n = 0; n < 3; n++) {
    a.clock.advance(seconds);
    await a.ca.tick();
  }
}
