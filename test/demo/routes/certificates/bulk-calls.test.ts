import { expect, it } from "vitest";
import {
  bulkQuery,
  eachCall,
  type BulkAnswer,
} from "../../../../demo/routes/certificates/bulk-calls.ts";

const digits = { digits: false };

it("a bulk revocation uses the filters of the search, for valid certificates only", () => {
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

it("a name found inside other names is revoked with the same match", () => {
  expect(bulkQuery({ name: "web" }, { status: "" }, { ...digits, within: true })).toEqual({
    san: "web",
    state: "valid",
  });
});

it.each([
  ["no filter is set", {}, { status: "" }, digits],
  ["only a state is selected", { state: "valid" as const }, { status: "valid" }, digits],
  [
    "the list shows expiring certificates, which the API cannot select",
    { role: "r" },
    { status: "soon" },
    digits,
  ],
  ["the list shows revoked certificates", { role: "r" }, { status: "revoked" }, digits],
  [
    "the list contains matches by serial number",
    { name: "cafe" },
    { status: "" },
    { digits: true },
  ],
])("a bulk revocation is not offered if %s", (_, fields, filters, beside) => {
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

it("calls continue at the cursor of the last reply, and their counts are added up", async () => {
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

it("calls stop if the cursor does not change", async () => {
  let calls = 0;
  await eachCall(async () => {
    calls++;
    return answer({ cursor: "stuck" });
  });
  expect(calls).toBe(2);
});
