import type { Rows } from "../src/store/sql/rows.ts";

/** What runs the jobs of one store. */
export interface Jobs {
  /**
   * Runs what is due, and tells when it wants to be called next (Unix milliseconds): later than the
   * first job row says where that one cannot run now. Undefined: when the first row says.
   */
  tick(): Promise<number | undefined>;
  /** Runs one job now; equal calls may share a run that begins after them. */
  run(kind: string, id: string): Promise<void>;
}
/** Whose rows an object holds: a fact kept beside them, because an alarm comes without a name. */
export interface Owner {
  /** Remembers the name. Throws TypeError when it was another. */
  is(name: string): void;
  /** Stores the name, inside the transaction of a commit. */
  keep(): void;
  /** Looks whether the name is stored still. */
  check(): void;
  /** The rows are nobody's any more. */
  leave(): void;
  /** What runs its jobs; undefined while nobody has named it. */
  jobs(): Jobs | undefined;
}

/** The owner of the rows of an object; `jobsOf` gives what runs the jobs of the store of a name. */
export function ownerOf(rows: Rows, jobsOf: (name: string) => Jobs): Owner {
  const kept = rows.meta("name");
  let owner = typeof kept === "string" ? kept : undefined;
  let stored = owner !== undefined;
  let jobs: Jobs | undefined;
  return {
    is(name) {
      if (owner === name) return;
      if (owner !== undefined) throw new TypeError("the object belongs to another store");
      owner = name;
    },
    keep() {
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
