import { afterEach, describe, expect, it, vi } from "vitest";
import { runsOf } from "../../src/engine/jobs.ts";

afterEach(() => void vi.unstubAllGlobals());
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Returns runs that a test completes, in the order in which they began. */
function held() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = runsOf((kind, id) => {
    begun.push(`${kind} ${id}`);
    return new Promise((resolve) => void ends.push(resolve));
  });
  return { begun, ends, run };
}

describe("runs of jobs", () => {
  it("are shared by equal calls that arrive before they begin, but not by later ones", async () => {
    const { begun, ends, run } = held();
    const done: string[] = [];
    const call = (name: string) => void run("crl", "i").then(() => done.push(name));
    call("first");
    await turn();
    call("second");
    call("third");
    await turn();
    expect([begun.length, done]).toEqual([1, []]);
    ends[0]?.();
    await turn();
    expect([begun.length, done]).toEqual([2, ["first"]]);
    call("fourth");
    ends[1]?.();
    await turn();
    expect([begun.length, done]).toEqual([3, ["first", "second", "third"]]);
    ends[2]?.();
    await turn();
    expect(done).toEqual(["first", "second", "third", "fourth"]);
    call("fifth");
    await turn();
    expect(begun).toHaveLength(4);
  });

  it("of several kinds are concurrent, and those of one kind sequential", async () => {
    const { begun, ends, run } = held();
    for (const [kind, id] of [
      ["crl", "a"],
      ["crl", "b"],
      ["drop", "a"],
    ] as const)
      void run(kind, id);
    await turn();
    expect(begun).toEqual(["crl a", "drop a"]);
    ends[0]?.();
    await turn();
    expect(begun).toEqual(["crl a", "drop a", "crl b"]);
  });

  it("begin again after a failure, which only the callers of that run see", async () => {
    let runs = 0;
    const run = runsOf(() => {
      runs += 1;
      if (runs === 1) throw new Error("first");
      return runs === 2 ? Promise.reject(new Error("second")) : Promise.resolve();
    });
    const first = run("k", "1");
    await turn();
    const results = await Promise.allSettled([first, run("k", "1"), run("k", "1")]);
    expect(
      results.map((result) => (result.status === "rejected" ? String(result.reason) : "done")),
    ).toEqual(["Error: first", "Error: second", "Error: second"]);
    await run("k", "1");
    expect(runs).toBe(3);
  });

  it("that never end delay those of their kind for ten minutes only", async () => {
    // a clock moved by ten minutes would also fire the timers of other files in the thread
    const expiries: (() => void)[] = [];
    const { setTimeout: real } = globalThis;
    vi.stubGlobal("setTimeout", (expire: () => void, delay: number) =>
      delay === 600_000 ? expiries.push(expire) : real(expire, delay),
    );
    const { begun, run } = held();
    void run("crl", "lost");
    void run("crl", "next");
    await turn();
    expect(begun).toEqual(["crl lost"]);
    for (const expire of expiries) expire();
    await turn();
    expect(begun).toEqual(["crl lost", "crl next"]);
  });
});
