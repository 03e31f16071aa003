import type { AnyJob, Job, LaterJob } from "./deployment.ts";

/**
 * Returns jobs of which only the kinds are known until they are loaded. A kind missing from the
 * loaded jobs is a defect and throws TypeError.
 */
export const laterJobs = (
  kinds: readonly string[],
  load: () => Promise<readonly Job[]>,
): readonly LaterJob[] =>
  kinds.map((kind) => ({
    kind,
    load: async () => {
      const found = (await load()).find((job) => job.kind === kind);
      if (!found) throw new TypeError(`no job of the kind ${kind} was loaded`);
      return found;
    },
  }));

/** Returns the job, loading it if necessary. */
export const loadedJob = async (job: AnyJob): Promise<Job> => ("load" in job ? job.load() : job);
