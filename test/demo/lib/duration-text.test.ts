import { expect, it } from "vitest";
import { durationText } from "../../../demo/lib/duration-text.ts";

it.each([
  ["90d", "= 90 days"],
  ["2160h", "= 90 days"],
  ["1h30m0s", "= 1 hour 30 minutes"],
  ["90061", "= 1 day 1 hour 1 minute 1 second"],
  ["87600h", "= 3,650 days, about 10 years"],
  ["397d", "= 397 days"],
  ["0", ""],
  ["-1h", ""],
  ["2y", ""],
])("the duration %s is shown as “%s”", (typed, words) => {
  expect(durationText(typed)).toBe(words);
});
