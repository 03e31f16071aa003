import { expect, it } from "vitest";
import { runFlow, type FlowState } from "../../../demo/lib/flow.ts";
import { nextName } from "../../../demo/lib/names.ts";

it("a flow stops at the step that fails, and continues there with the results of the earlier steps", async () => {
  const calls: string[] = [];
  let broken = true;
  const step = (title: string, fails = false) => ({
    title,
    run: async (made: readonly string[]) => {
      calls.push(title);
      if (fails && broken) throw new Error("no connection");
      return [...made, title];
    },
  });
  const steps = [step("create"), step("sign", true), step("switch")];
  const states: FlowState<readonly string[]>[] = [];
  const failed = await runFlow(steps, { done: 0, value: [] }, (state) => states.push(state));
  expect(failed).toEqual({ done: 1, value: ["create"], error: new Error("no connection") });
  broken = false;
  const finished = await runFlow(steps, failed, (state) => states.push(state));
  expect(finished).toEqual({ done: 3, value: ["create", "sign", "switch"] });
  expect(calls).toEqual(["create", "sign", "sign", "switch"]);
  expect(states.map(({ done, error }) => [done, error?.message])).toEqual([
    [0, undefined],
    [1, undefined],
    [1, "no connection"],
    [1, undefined],
    [2, undefined],
    [3, undefined],
  ]);
});

it.each([
  ["Acme Root", "Acme Root G2"],
  ["Acme Root G1", "Acme Root G2"],
  ["Acme Root R09", "Acme Root R10"],
  ["Issuing CA 2026", "Issuing CA 2026 G2"],
])("the suggested successor of %s is %s", (name, next) => {
  expect(nextName(name)).toBe(next);
});
