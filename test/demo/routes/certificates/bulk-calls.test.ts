import { expect, it } from "vitest";
import {
  bulkQuery,
  eachCall,
  type BulkAnswer,
} from "../../../../demo/routes/certificates/bulk-calls.ts";

const digits = { digits: false };

it("the filters of a search are those of a revocation, for valid certificates only", () => {
  expect(
    bulkQuery(
      { name: "web", issuer: "i", role: "r", not_after_from: 1, not_after_to: 2 },
      { status: "" },
      digits,
    ),
  ).toEqual({
    name: "web",
    issuer: "i",
    role: "r",
    not_after_from: 1,
    not_after_to: 2,
    state: "valid",
  });
  expect(bulkQuery({ san: "web", state: "valid" }, { status: "valid" }, digits)).toEqual({
    san: "web",
    state: "valid",
  });
});

it("a name that was found inside others is revoked there and not where names begin with it", () => {
  expect(bulkQuery({ name: "web" }, { status: "" }, { ...digits, within: true })).toEqual({
    san: "web",
    state: "valid",
  });
});

it.each([
  ["nothing narrows it down", {}, { status: "" }, digits],
  ["a state alone is asked for", { state: "valid" as const }, { status: "valid" }, digits],
  [
    "what expires soon is shown, which the API cannot say",
    { role: "r" },
    { status: "soon" },
    digits,
  ],
  ["what is revoked is shown", { role: "r" }, { status: "revoked" }, digits],
  ["serial numbers are among the rows", { name: "cafe" }, { status: "" }, { digits: true }],
])("nothing is offered where %s", (_, fields, filters, beside) => {
  expect(bulkQuery(fields, filters, beside)).toBeUndefined();
});

const answer = (fields: Partial<BulkAnswer>): BulkAnswer => ({
  revoked: 0,
  keys: [],
  already_revoked: 0,
  expired: 0,
  issuers: 0,
  cursor: "",
  ...fields,
});

it("calls continue where the last one stopped, and their counts are added up", async () => {
  const asked: string[] = [];
  const told: number[] = [];
  const answers = [
    answer({ revoked: 10_000, keys: ["a"], expired: 1, cursor: "p1" }),
    answer({ already_revoked: 2, cursor: "p2" }),
    answer({ revoked: 3, keys: ["b"], issuers: 1 }),
  ];
  const sum = await eachCall(
    async (cursor) => {
      asked.push(cursor);
      return answers.shift() ?? answer({});
    },
    (count) => told.push(count),
  );
  expect(asked).toEqual(["", "p1", "p2"]);
  expect(told).toEqual([10_000, 10_000, 10_003]);
  expect(sum).toEqual({
    revoked: 10_003,
    keys: ["a", "b"],
    already_revoked: 2,
    expired: 1,
    issuers: 1,
  });
});

it("a place that does not move ends the calls", async () => {
  let calls = 0;
  await eachCall(async () => {
    calls++;
    return answer({ cursor: "stuck" });
  });
  expect(calls).toBe(2);
});
