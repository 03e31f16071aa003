import type { Rows } from "../src/store/sql/rows.ts";

/** The job runner of one store. */
export interface Jobs {
  /**
   * Runs due jobs and returns when to call it next (Unix ms), if later than the first job row says
   * because that job cannot run now; otherwise undefined.
   */
  tick(): Promise<number | undefined>;
  /** Runs one job now; equal calls may share a run that begins after them. */
  run(kind: string, id: string): Promise<void>;
}
/** The name of an object's store, stored with the rows because an alarm carries no name. */
export interface StoreOwner {
  /** Records the name. Throws TypeError if it differs from the recorded one. */
  claim(name: string): void;
  /** Stores the name, inside the transaction of a commit. */
  storeName(): void;
  /** Checks that the name is still stored. */
  check(): void;
  /** Forgets the owner. */
  leave(): void;
  /** Its job runner; undefined until the store is named. */
  jobs(): Jobs | undefined;
}

/** Creates the owner of an object's rows; `jobsOf` returns the job runner of a named store. */
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
