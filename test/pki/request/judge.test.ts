import { describe, expect, it } from "vitest";
import { CaError } from "../../../src/base/errors.ts";
import {
  demandOf,
  obtain,
  obtainSoon,
  passes,
  quietly,
  strict,
  tracing,
} from "../../../src/pki/request/judge.ts";

describe("a judge", () => {
  const refusal = () => {
    throw new CaError("bad_key", "too small");
  };
  const mistake = () => {
    throw new TypeError("a mistake of ours");
  };

  it("that is strict ends at the first rule that says no", () => {
    demandOf(strict, "key_bits", "256", () => undefined);
    expect(() => demandOf(strict, "key_bits", "256", refusal)).toThrow(
      expect.objectContaining({ code: "bad_key", message: "too small" }),
    );
  });

  it("that writes down goes on, and tells what was refused and why", () => {
    const judge = tracing();
    demandOf(judge, "key_bits", "256", () => undefined);
    demandOf(judge, "key_bits", "255", refusal);
    expect(judge.steps).toEqual([
      { rule: "key_bits", input: "256", allowed: true },
      { rule: "key_bits", input: "255", allowed: false, reason: "too small" },
    ]);
  });

  it("hands out what a rule gives, and ends at the rule that gives nothing, whoever asks", async () => {
    const judge = tracing();
    expect([
      obtain(judge, "ttl", "1h", () => 7),
      await obtainSoon(judge, "issuer_ref", "root", Promise.resolve(8)),
    ]).toEqual([7, 8]);
    const no = new CaError("validity", "too long");
    for (const one of [strict, judge]) {
      expect(() =>
        obtain(one, "ttl", "2h", () => {
          throw no;
        }),
      ).toThrow(no);
      await expect(obtainSoon(one, "issuer_ref", "none", Promise.reject(no))).rejects.toBe(no);
    }
    expect(judge.steps).toEqual([
      { rule: "ttl", input: "1h", allowed: true },
      { rule: "issuer_ref", input: "root", allowed: true },
      { rule: "ttl", input: "2h", allowed: false, reason: "too long" },
      { rule: "issuer_ref", input: "none", allowed: false, reason: "too long" },
    ]);
    const fault = tracing();
    expect(() => obtain(fault, "ttl", "", mistake)).toThrow(TypeError);
    await expect(
      obtainSoon(fault, "ttl", "", Promise.reject(new TypeError("a mistake of ours"))),
    ).rejects.toThrow(TypeError);
    expect(fault.steps).toEqual([]);
  });

  it("goes on with the first value that can stand instead where it writes down, and with none where it is strict", async () => {
    const no = () => {
      throw new CaError("validity", "no");
    };
    const other = () => {
      throw new CaError("validity", "not this either");
    };
    const judge = tracing();
    expect([
      obtain(judge, "a", "1", no, other, () => 7, mistake),
      quietly(judge, "b", "2", no, () => 8),
    ]).toEqual([7, 8]);
    expect(
      await obtainSoon(judge, "c", "3", Promise.reject(new CaError("validity", "no")), () => 9),
    ).toBe(9);
    expect([
      passes(judge, "d", "4", no),
      passes(judge, "e", "5", () => undefined),
      quietly(judge, "f", "6", () => 10),
    ]).toEqual([false, true, 10]);
    // what is told is what was refused, not that nothing stands instead
    expect(() => quietly(judge, "g", "7", no, other)).toThrow("no");
    expect(() => quietly(judge, "g", "7", no, mistake)).toThrow(TypeError);
    expect(judge.steps.map(({ rule, allowed, reason }) => [rule, allowed, reason])).toEqual(
      ["a", "b", "c", "d", "g", "g"].map((rule) => [rule, false, "no"]),
    );
    for (const asked of [
      () => obtain(strict, "a", "1", no, () => 7),
      () => quietly(strict, "a", "1", no, () => 7),
      () => passes(strict, "a", "1", no),
    ])
      expect(asked).toThrow("no");
    await expect(
      obtainSoon(strict, "a", "1", Promise.reject(new CaError("validity", "no")), () => 7),
    ).rejects.toThrow("no");
  });

  it("takes no mistake of ours for a refusal", () => {
    for (const judge of [strict, tracing()])
      expect(() => demandOf(judge, "key_bits", "", mistake)).toThrow(TypeError);
  });
});
