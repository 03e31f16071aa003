import { CaError } from "../../base/errors.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Decision } from "../../engine/unit.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Caller } from "../../wire/endpoint.ts";

/**
 * Builds lists now, after a change that is already stored: a failure is a warning, and the stored
 * job builds again.
 */
export async function rebuildNow(
  ca: Mount,
  caller: Caller,
  lists: readonly string[],
  kind: "crl" | "crl-delta-rotation" = "crl",
): Promise<void> {
  for (const [i, list] of lists.entries()) {
    try {
      await ca.unit.once(kind, list);
    } catch (error) {
      // what is no refusal may speak of the inside
      caller.warn(
        `Warning ${i + 1} during CRL rebuild: ${error instanceof CaError ? error.message : "the CRL could not be built"}`,
      );
    }
  }
}

/**
 * The job that builds a list in case the build right after the change never ends; changes of ten
 * seconds share one. `now` in Unix milliseconds.
 */
export const buildLater = (list: string, now: number): ReturnType<typeof jobRow> =>
  jobRow({ due: Math.ceil((now + 5000) / 10_000) * 10_000, now }, "crl", list);

/** A change of configuration, and the sets whose lists it concerns. */
export interface ListDecision<T> extends Decision<T> {
  readonly lists: readonly string[];
}
/**
 * Changes the configuration as it was read, all of it unchanged, and then builds the lists that the
 * change concerns. Of the warnings only those of the attempt that counts are given.
 */
export async function configureLists<T>(
  ca: Mount,
  caller: Caller,
  decide: (config: Snapshot, caller: Caller) => Promise<ListDecision<T>> | ListDecision<T>,
): Promise<T> {
  const { reply, lists } = await ca.configureFor(
    caller,
    async (config, caller) => {
      const { reply, lists, batch, done } = await decide(config, caller);
      const now = ca.ports.now();
      const jobs = lists.map((list) => buildLater(list, now));
      // a set that is new has no lists of shards yet
      if (config.crl.shards > 0) jobs.push(jobRow({ due: now, now }, "crl-lists", "all"));
      return {
        reply: { reply, lists },
        ...(batch ? { batch: { ...batch, put: [...(batch.put ?? []), ...jobs] } } : {}),
        ...(done ? { done } : {}),
      };
    },
    { exact: true },
  );
  await rebuildNow(ca, caller, lists);
  return reply;
}
