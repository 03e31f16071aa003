import type { Rows } from "../src/store/sql/rows.ts";

/** The job runner of a store. */
export interface Jobs {
  /**
   * Runs due jobs. Resolves with the time of the next call (Unix ms) if the first job is already
   * due but cannot run before that time; otherwise with undefined.
   */
  tick(): Promise<number | undefined>;
  /** Runs a job now. Identical calls may share a run that begins after all of them. */
  run(kind: string, id: string): Promise<void>;
}
/**
 * The owner of an object's rows: its store's name. The name is stored with the rows, because an
 * alarm does not include it.
 */
export interface StoreOwner {
  /** Records the store's name. Throws TypeError if another name is already recorded. */
  claim(name: string): void;
  /** Stores the recorded name, inside the transaction of a commit. */
  storeName(): void;
  /** Reads the stored name again, because it may have been deleted. */
  check(): void;
  /** Forgets the owner. */
  leave(): void;
  /** Returns the store's job runner, or undefined until the store's name is known. */
  jobs(): Jobs | undefined;
}

/** Creates the owner of an object's rows. `jobsOf` returns the job runner of a named store. */
export function ownerOf(rows: Rows, jobsOf: (name: string) => Jobs): StoreOwner {
  const storedName = rows.meta("name");
  let owner = typeof storedName === "string" ? storedName : undefined;
  let stored = owner !== undefined;
  let jobs: Jobs | undefined;
  return {
    claim(name) {
      if (owner === name) return;
      if (owner !== undefined) throw new TypeError("the object belongs to another store");
      owner = name;
    },
    storeName() {
      if (stored || owner === undefined) return;
      rows.setMeta("name", owner);
      stored = true;
    },
    check: () => void (stored = rows.meta("name") === owner),
    leave() {
      owner = jobs = undefined;
      stored = false;
    },
    jobs() {
      if (owner !== undefined) jobs ??= jobsOf(owner);
      return jobs;
    },
  };
}
