import type { AnyJob, Job, LazyJob } from "./deployment.ts";

/**
 * Returns jobs of which only the kinds are known until they are loaded. A kind missing from the
 * loaded jobs is a defect and throws TypeError.
 */
export const lazyJobs = (
  kinds: readonly string[],
  load: () => Promise<readonly Job[]>,
): readonly LazyJob[] =>
  kinds.map((kind) => ({
    kind,
    load: async () => {
      const loaded = (await load()).find((job) => job.kind === kind);
      if (!loaded) throw new TypeError(`no job of the kind ${kind} was loaded`);
      return loaded;
    },
  }));

/** Returns the job, loading it if necessary. */
export const loadJob = async (job: AnyJob): Promise<Job> => ("load" in job ? job.load() : job);
