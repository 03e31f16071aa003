import { describe, expect, it } from "vitest";
import { groupCommit } from "../../src/store/sql/group.ts";
import type { PackedBatch } from "../../src/store/sql/packed.ts";

/** Returns storage that records its transactions, and whose syncs a test completes. */
function noting(applies: (batch: PackedBatch) => number | null = () => 0) {
  const groups: PackedBatch[][] = [];
  const syncs: { readonly done: () => void; readonly failed: (cause: Error) => void }[] = [];
  let forgotten = 0;
  const rows = {
    apply(batch: PackedBatch) {
      groups.at(-1)?.push(batch);
      return applies(batch);
    },
    refresh: () => false,
    complete: () => undefined,
    forget: () => void (forgotten += 1),
  };
  const storage = {
    transactionSync<T>(run: () => T): T {
      groups.push([]);
      return run();
    },
    sync: () => new Promise<void>((done, failed) => void syncs.push({ done, failed })),
  };
  // only the members that a commit uses
  const commit = groupCommit(storage as never, rows as never, {
    applied: (batches) => void applied.push(batches.length),
  });
  const applied: number[] = [];
  return { commit, groups, syncs, applied, forgotten: () => forgotten };
}
const batch = (key: string): PackedBatch => ({ del: [key] });

describe("groupCommit", () => {
  it("waits for earlier writes only, and then commits all batches received until then", async () => {
    const { commit, groups, syncs, applied } = noting();
    const first = ["a", "b"].map((key) => commit(batch(key)));
    expect([groups.length, syncs.length]).toEqual([0, 1]);
    syncs[0]?.done();
    expect(await Promise.all(first)).toEqual([0, 0]);
    const second = ["c", "d", "e"].map((key) => commit(batch(key)));
    expect([groups.length, syncs.length]).toEqual([1, 2]);
    syncs[1]?.done();
    expect(await Promise.all(second)).toEqual([0, 0, 0]);
    expect(groups).toEqual([["a", "b"].map(batch), ["c", "d", "e"].map(batch)]);
    expect(applied).toEqual([2, 3]);
  });

  it("rejects all waiting batches if earlier writes fail, and accepts the next one", async () => {
    const { commit, groups, syncs, forgotten } = noting();
    const waiting = Promise.allSettled(["b", "c"].map((key) => commit(batch(key))));
    const cause = new Error("no space left on device");
    syncs[0]?.failed(cause);
    for (const one of await waiting)
      expect(one).toMatchObject({
        status: "rejected",
        reason: { name: "CaError", code: "storage", cause },
      });
    expect([groups.length, forgotten()]).toEqual([0, 1]);
    const next = commit(batch("d"));
    syncs[1]?.done();
    expect(await next).toBe(0);
  });

  it("rejects only the group whose transaction fails", async () => {
    let full = true;
    const { commit, syncs } = noting(() => {
      if (full) throw new Error("database or disk is full");
      return null;
    });
    const failing = commit(batch("a"));
    syncs[0]?.done();
    await expect(failing).rejects.toMatchObject({ code: "storage" });
    full = false;
    const next = commit(batch("b"));
    syncs[1]?.done();
    expect(await next).toBeNull();
  });
});
