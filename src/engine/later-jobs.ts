import type { AnyJob, Job, LaterJob } from "./deployment.ts";

/**
 * Jobs of which nothing is loaded but their kinds. A kind that is not among what is loaded is a
 * mistake of ours: a TypeError.
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

/** The job itself. */
export const loadedJob = async (job: AnyJob): Promise<Job> => ("load" in job ? job.load() : job);
