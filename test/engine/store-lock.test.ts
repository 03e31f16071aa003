import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withStoreLock } from "../../src/engine/store-lock.ts";
import { memoryStoreOf } from "../../src/store/memory.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns a store with a lock, and a log of the work under it. */
function locking() {
  const store = memoryStoreOf();
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const sys = { ports: { random }, store, commit: store.commit.bind(store) };
  const working: string[] = [];
  const lock = (name: string, milliseconds: number) =>
    withStoreLock({ sys }, "test", async () => {
      working.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      working.push(`${name} ends`);
      return name;
    });
  return { store, lock, working };
}
const key = "lock/test";

describe("a lock in a store", () => {
  it("lets one owner work at a time, even for longer than a lease", async () => {
    const { store, lock, working } = locking();
    const first = lock("a", 100_000);
    await vi.advanceTimersByTimeAsync(1);
    const second = lock("b", 10);
    await vi.advanceTimersByTimeAsync(99_000);
    expect(working).toEqual(["a begins"]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await Promise.all([first, second])).toEqual(["a", "b"]);
    expect(working).toEqual(["a begins", "a ends", "b begins", "b ends"]);
    expect(await store.get([key])).toEqual([undefined]);
  });
  it("is taken over if its owner has not renewed it for 30 seconds, regardless of the owner's clock", async () => {
    const { store, lock, working } = locking();
    await store.commit({ put: [[key, { owner: "crashed", renewals: 7 }]] });
    const both = Promise.all([lock("a", 10), lock("b", 10)]);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(working).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    await both;
    expect(working.map((line) => line.split(" ")[1])).toEqual(["begins", "ends", "begins", "ends"]);
  });
  it("survives a failed renewal", async () => {
    const { store, lock, working } = locking();
    const first = lock("a", 60_000);
    await vi.advanceTimersByTimeAsync(4900);
    vi.spyOn(store, "get").mockRejectedValueOnce(new Error("the disk is full"));
    await vi.advanceTimersByTimeAsync(200);
    const second = lock("b", 10);
    await vi.advanceTimersByTimeAsync(54_000);
    expect(working).toEqual(["a begins"]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await Promise.all([first, second])).toEqual(["a", "b"]);
  });
  it("makes a waiting caller fail as busy after five minutes", async () => {
    const { lock } = locking();
    const first = lock("a", 400_000);
    await vi.advanceTimersByTimeAsync(1);
    const refused = expect(lock("b", 10)).rejects.toMatchObject({ code: "busy" });
    await vi.advanceTimersByTimeAsync(400_000);
    await refused;
    await first;
  });
  it("that cannot be released does not affect the result of the work", async () => {
    const { store, lock } = locking();
    const first = lock("a", 10);
    await vi.advanceTimersByTimeAsync(1);
    vi.spyOn(store, "commit").mockRejectedValue(new Error("the disk is full"));
    await vi.advanceTimersByTimeAsync(100);
    expect(await first).toBe("a");
  });
  it("is not released by an owner that has lost it", async () => {
    const { store, lock } = locking();
    const first = lock("a", 1000);
    await vi.advanceTimersByTimeAsync(1);
    await store.commit({ put: [[key, { owner: "other", renewals: 0 }]] });
    await vi.advanceTimersByTimeAsync(2000);
    await first;
    expect(await store.get([key])).toMatchObject([{ value: { owner: "other" } }]);
  });
});
