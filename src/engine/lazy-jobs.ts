import type { AnyJob, Job, LazyJob } from "./deployment.ts";

/**
 * Returns a job for each kind, with code that is loaded on the first run. Loading a job rejects
 * with TypeError if `load` returns no job of its kind, which is a bug.
 */
export const lazyJobs = (
  kinds: readonly string[],
  load: () => Promise<readonly Job[]>,
): readonly LazyJob[] =>
  kinds.map((kind) => ({
    kind,
    load: async () => {
      const loaded = (await load()).find((job) => job.kind === kind);
      if (!loaded) throw new TypeError(`no job of kind ${kind} was loaded`);
      return loaded;
    },
  }));

/** Returns the job, loading its code if necessary. */
export const loadJob = async (job: AnyJob): Promise<Job> => ("load" in job ? job.load() : job);
