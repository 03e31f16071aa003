import { describe, expect, it } from "vitest";
import { CaError } from "../../../src/base/errors.ts";
import {
  checkRule,
  readChecked,
  settle,
  failFast,
  recordingChecker,
} from "../../../src/pki/request/rule-checker.ts";

describe("a rule checker", () => {
  const refusal = () => {
    throw new CaError("bad_key", "too small");
  };
  const mistake = () => {
    throw new TypeError("a mistake of ours");
  };

  it("throws at the first broken rule if it fails fast", () => {
    checkRule(
      failFast,
      { rule: "key_bits", input: "256" },
      () => undefined,
      () => undefined,
    );
    expect(() =>
      checkRule(failFast, { rule: "key_bits", input: "256" }, refusal, () => undefined),
    ).toThrow(expect.objectContaining({ code: "bad_key", message: "too small" }));
  });

  it("continues if it records, and reports what was rejected and why", () => {
    const checker = recordingChecker();
    checkRule(
      checker,
      { rule: "key_bits", input: "256" },
      () => undefined,
      () => undefined,
    );
    checkRule(checker, { rule: "key_bits", input: "255" }, refusal, () => undefined);
    expect(checker.steps).toEqual([
      { rule: "key_bits", input: "256", allowed: true },
      { rule: "key_bits", input: "255", allowed: false, reason: "too small" },
    ]);
  });

  it("returns the value of a rule, and throws if there is none", async () => {
    const checker = recordingChecker();
    expect([
      checkRule(checker, { rule: "ttl", input: "1h" }, () => 7),
      checkRule(checker, { rule: "issuer_ref", input: "root" }, await settle(Promise.resolve(8))),
    ]).toEqual([7, 8]);
    const no = new CaError("validity", "too long");
    for (const one of [failFast, checker]) {
      expect(() =>
        checkRule(one, { rule: "ttl", input: "2h" }, () => {
          throw no;
        }),
      ).toThrow(no);
      const none = await settle(Promise.reject(no));
      expect(() => checkRule(one, { rule: "issuer_ref", input: "none" }, none)).toThrow(no);
    }
    expect(checker.steps).toEqual([
      { rule: "ttl", input: "1h", allowed: true },
      { rule: "issuer_ref", input: "root", allowed: true },
      { rule: "ttl", input: "2h", allowed: false, reason: "too long" },
      { rule: "issuer_ref", input: "none", allowed: false, reason: "too long" },
    ]);
    const fault = recordingChecker();
    expect(() => checkRule(fault, { rule: "ttl", input: "" }, mistake)).toThrow(TypeError);
    await expect(
      settle(Promise.reject(new TypeError("a mistake of ours"))).then((give) =>
        checkRule(fault, { rule: "ttl", input: "" }, give),
      ),
    ).rejects.toThrow(TypeError);
    expect(fault.steps).toEqual([]);
  });

  it("continues with the first alternative if it records, and with none if it fails fast", async () => {
    const no = () => {
      throw new CaError("validity", "no");
    };
    const other = () => {
      throw new CaError("validity", "not this either");
    };
    const checker = recordingChecker();
    expect([
      checkRule(checker, { rule: "a", input: "1" }, no, other, () => 7, mistake),
      readChecked(checker, { rule: "b", input: "2" }, no, () => 8),
    ]).toEqual([7, 8]);
    expect(
      checkRule(
        checker,
        { rule: "c", input: "3" },
        await settle(Promise.reject(new CaError("validity", "no"))),
        () => 9,
      ),
    ).toBe(9);
    expect([
      readChecked(checker, { rule: "d", input: "4" }, no, () => false),
      readChecked(
        checker,
        { rule: "e", input: "5" },
        () => true,
        () => false,
      ),
      readChecked(checker, { rule: "f", input: "6" }, () => 10),
    ]).toEqual([false, true, 10]);
    // the error is that of the rule, not that of a missing alternative
    expect(() => readChecked(checker, { rule: "g", input: "7" }, no, other)).toThrow("no");
    expect(() => readChecked(checker, { rule: "g", input: "7" }, no, mistake)).toThrow(TypeError);
    expect(checker.steps.map(({ rule, allowed, reason }) => [rule, allowed, reason])).toEqual(
      ["a", "b", "c", "d", "g", "g"].map((rule) => [rule, false, "no"]),
    );
    for (const asked of [
      () => checkRule(failFast, { rule: "a", input: "1" }, no, () => 7),
      () => readChecked(failFast, { rule: "a", input: "1" }, no, () => 7),
      () => readChecked(failFast, { rule: "a", input: "1" }, no, () => false),
    ])
      expect(asked).toThrow("no");
    await expect(
      settle(Promise.reject(new CaError("validity", "no"))).then((give) =>
        checkRule(failFast, { rule: "a", input: "1" }, give, () => 7),
      ),
    ).rejects.toThrow("no");
  });

  it("does not record bugs as rejections", () => {
    for (const checker of [failFast, recordingChecker()])
      expect(() =>
        checkRule(checker, { rule: "key_bits", input: "" }, mistake, () => undefined),
      ).toThrow(TypeError);
  });
});
