import { expect, it } from "vitest";
import { deepEqual } from "../../src/base/deep-equal.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);
it.each([
  [1, 1, true],
  [1, "1", false],
  [null, undefined, false],
  [null, {}, false],
  [[], {}, false],
  [[1, 2], [1, 2], true],
  [[1, 2], [1], false],
  [[1], [1, undefined], false],
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: 1 }, { b: 1 }, false],
  [{ a: { b: [1] } }, { a: { b: [1] } }, true],
  [bytes(1, 2), bytes(1, 2), true],
  [bytes(1, 2), bytes(1, 3), false],
  [bytes(1), [1], false],
  [bytes(), {}, false],
])("deepEqual of %j and %j is %s", (a, b, same) => {
  expect([deepEqual(a, b), deepEqual(b, a)]).toEqual([same, same]);
});
