import { describe, expect, it } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import { demandOf, obtain, obtainSoon, strict, tracing } from "../../src/pki/judge.ts";

describe("a judge", () => {
  const refusal = () => {
    throw new CaError("bad_key", "too small");
  };
  const mistake = () => {
    throw new TypeError("a mistake of ours");
  };

  it("that is strict ends at the first rule that says no", () => {
    demandOf(strict, "key_bits", "256", () => undefined);
    expect(() => demandOf(strict, "key_bits", "256", refusal)).toThrow(expect.objectContaining({ code: "bad_key", message: "too small" }));
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
    expect([obtain(judge, "ttl", "1h", () => 7), await obtainSoon(judge, "issuer_ref", "root", Promise.resolve(8))]).toEqual([7, 8]);
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
    await expect(obtainSoon(fault, "ttl", "", Promise.reject(new TypeError("a mistake of ours")))).rejects.toThrow(TypeError);
    expect(fault.steps).toEqual([]);
  });

  it("takes no mistake of ours for a refusal", () => {
    for (const judge of [strict, tracing()]) expect(() => demandOf(judge, "key_bits", "", mistake)).toThrow(TypeError);
  });
});
