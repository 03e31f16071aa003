import { expect, it } from "vitest";
import { pause } from "../../../src/base/event-loop.ts";
import { fresh, gathered, used, uuidOf } from "./kept.ts";

/** Counts how often other work runs until a promise settles. */
async function turnsDuring<T>(work: Promise<T>): Promise<readonly [turns: number, result: T]> {
  let [turns, over] = [0, false];
  const caller = (async () => {
    for (; !over; turns += 1) await pause(0);
  })();
  const result = await work.finally(() => void (over = true));
  await caller;
  return [turns, result];
}

const rows = 3000;

it("a backup, its check and its restore yield to other callers every few rows", async () => {
  const a = await used();
  const store = a.stores(await uuidOf(a));
  // rows of an unknown type
  const put = Array.from({ length: rows }, (_, n) => [`other/${n}`, { n }] as const);
  await store.commit({ put });
  const [during, small] = await turnsDuring(gathered(a.ca.backup("pki")));
  // three yields for 50 rows
  expect(during).toBeGreaterThanOrEqual(rows / 20);
  const b = fresh();
  const sources = [
    () => b.ca.restore("pki", small, { dryRun: true }),
    () => b.ca.restore("pki", small),
  ];
  for (const restored of sources)
    expect((await turnsDuring(restored()))[0]).toBeGreaterThanOrEqual(rows / 200);
});

it("a backup is split into parts of an eighth of a MiB", async () => {
  const a = await used();
  const value = "v".repeat(10_000);
  const put = Array.from({ length: 150 }, (_, n) => [`other/${n}`, { value }] as const);
  await a.stores(await uuidOf(a)).commit({ put });
  const parts = await gathered(a.ca.backup("pki"));
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) expect(part.length).toBeLessThan(150_000);
  await fresh().ca.restore("pki", parts);
});
