import fc from "fast-check";
import { expect, it } from "vitest";
import { resolver } from "../../src/net/dns.ts";
import { NetError } from "../../src/net/failure.ts";
import { forSeeds } from "../base/seeds.ts";
import { answerTo, questionIn, strings, type Answer } from "./dns-messages.ts";

const names = ["a.example", "b.example", "c.a.example", "d"];
const types = { A: 1, TXT: 16, AAAA: 28 } as const;
const recordOf: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({
    owner: fc.constantFrom(...names),
    type: fc.constant(5),
    data: fc.constantFrom(...names),
  }),
  fc.record({
    owner: fc.constantFrom(...names),
    type: fc.constantFrom(1, 28),
    data: fc.uint8Array({ minLength: 4, maxLength: 4 }),
  }),
  fc.record({
    owner: fc.constantFrom(...names),
    type: fc.constant(16),
    data: fc
      .array(fc.string({ maxLength: 20, unit: "binary-ascii" }))
      .map((all) => strings(...all)),
  }),
);

it("resolver: returns values or fails with dns after at most nine questions, for any response of the nameserver", async () => {
  const runs: Promise<void>[] = [];
  let [answered, failed] = [0, 0];
  forSeeds(
    fc.property(
      fc.constantFrom("A", "TXT", "AAAA"),
      fc.array(recordOf, { maxLength: 8 }),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
      (type, records, changes) => {
        let asked = 0;
        const resolve = resolver(async (message) => {
          asked++;
          const bytes = answerTo(questionIn(message), records);
          // not the id, whose change would turn most responses into those of another query
          for (const [at, value] of changes) bytes[2 + (at % (bytes.length - 2))] = value;
          return bytes;
        });
        const run = resolve({ name: "a.example", type }, new AbortController().signal);
        runs.push(
          run.then(
            (values) => {
              answered++;
              const known = records.filter((record) => record.type === types[type]);
              if (changes.length === 0 && values.length > known.length) throw new Error("invented");
            },
            (error: unknown) => {
              failed++;
              if (!(error instanceof NetError) || error.failed !== "dns") throw error;
            },
          ),
          run.catch(() => undefined).then(() => expect(asked).toBeLessThanOrEqual(9)),
        );
      },
    ),
  );
  await Promise.all(runs);
  expect(Math.min(answered, failed)).toBeGreaterThan(20);
});
