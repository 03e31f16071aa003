import { describe, expect, it } from "vitest";
import { handleAlarm, type Clock } from "../../worker/alarm.ts";
import type { StoreOwner } from "../../worker/owner.ts";

/** Returns the delay of the alarm, milliseconds, given when the jobs ask for the next run. */
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
  // the parts that an alarm uses
  await handleAlarm(clock as Clock, owner as StoreOwner, 0);
  return armed - now;
}

describe("an alarm that has rung", () => {
  it("lets a job that is due and cannot run wait for as long as its unit says", async () => {
    expect(await waitOf(Date.now() + 30_000, 0)).toBeGreaterThan(29_000);
  });

  it("rings again soon for jobs that are due still, and not at all where there are none", async () => {
    const soon = await waitOf(0, 0);
    expect(soon).toBeGreaterThan(0);
    expect(soon).toBeLessThan(5000);
    expect(await waitOf(undefined, Infinity)).toBe(Infinity);
  });
});
