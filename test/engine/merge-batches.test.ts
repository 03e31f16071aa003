import { describe, expect, it } from "vitest";
import { mergeBatches } from "../../src/engine/merge-batches.ts";

describe("mergeBatches", () => {
  it("combines the changes of all batches, with one append for the same pages", () => {
    const merged = mergeBatches(
      {
        epoch: "next",
        expect: [["a", 1]],
        put: [["a", 1]],
        append: [["page/", Uint8Array.of(1)]],
        log: [["log/", 1]],
      },
      {
        onlyAtEpoch: 7,
        put: [["b", 2, { end: 2 }]],
        append: [
          ["page/", Uint8Array.of(2)],
          ["other/", Uint8Array.of(3)],
        ],
        del: ["c"],
        read: ["b"],
        log: [["log/", 2]],
        upkeep: ["b"],
      },
      { clear: true, epoch: "next" },
    );
    expect(merged).toEqual({
      epoch: "next",
      onlyAtEpoch: 7,
      expect: [["a", 1]],
      put: [
        ["a", 1],
        ["b", 2, { end: 2 }],
      ],
      append: [
        ["page/", Uint8Array.of(1, 2)],
        ["other/", Uint8Array.of(3)],
      ],
      del: ["c"],
      log: [
        ["log/", 1],
        ["log/", 2],
      ],
      read: ["b"],
      upkeep: ["b"],
      clear: true,
    });
  });

  it("keeps an empty log, which marks the batch as a change", () => {
    expect(mergeBatches({ log: [] }, {}).log).toEqual([]);
    expect(mergeBatches({}, {})).not.toHaveProperty("log");
  });

  it("throws TypeError for batches with different epochs", () => {
    expect(() => mergeBatches({ epoch: 1 }, { epoch: "next" })).toThrow(TypeError);
    expect(() => mergeBatches({ onlyAtEpoch: 1 }, {}, { onlyAtEpoch: 2 })).toThrow(TypeError);
  });
});
