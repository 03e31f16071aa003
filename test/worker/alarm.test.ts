import { describe, expect, it } from "vitest";
import { handleAlarm, type Clock } from "../../worker/alarm.ts";
import type { StoreOwner } from "../../worker/owner.ts";

/** Returns the delay of the next alarm in milliseconds, if the jobs ask for a run at `next`. */
async function waitOf(next: number | undefined, firstDue: number): Promise<number> {
  let armed = Infinity;
  const clock: Pick<Clock, "arm" | "recordFired" | "firstDue"> = {
    arm: (at) => void (armed = Math.min(armed, at)),
    recordFired: () => undefined,
    firstDue: () => firstDue,
  };
  const owner: Pick<StoreOwner, "jobs"> = {
    jobs: () => ({ tick: async () => next, run: async () => undefined }),
  };
  const now = Date.now();
  // only the members that an alarm uses
  await handleAlarm(clock as Clock, owner as StoreOwner, 0);
  return armed - now;
}

describe("handleAlarm", () => {
  it("delays a due job that cannot run for as long as the jobs request", async () => {
    expect(await waitOf(Date.now() + 30_000, 0)).toBeGreaterThan(29_000);
  });

  it("rearms soon while jobs are still due, and not at all without jobs", async () => {
    const soon = await waitOf(0, 0);
    expect(soon).toBeGreaterThan(0);
    expect(soon).toBeLessThan(5000);
    expect(await waitOf(undefined, Infinity)).toBe(Infinity);
  });
});
