import { describe, expect, it } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import { demandOf, strict, tracing } from "../../src/pki/judge.ts";

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

  it("takes no mistake of ours for a refusal", () => {
    for (const judge of [strict, tracing()]) expect(() => demandOf(judge, "key_bits", "", mistake)).toThrow(TypeError);
  });
});
