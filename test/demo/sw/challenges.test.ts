import { expect, it } from "vitest";
import type { PendingChallenge } from "../../../demo/lib/pending-challenges.ts";
import { challengesOf, type Challenges } from "../../../demo/sw/challenges.ts";
import type { Probe } from "../../../src/index.ts";

interface Broker extends Challenges {
  readonly told: (readonly PendingChallenge[])[];
  at: number;
}
function broker(): Broker {
  const told: (readonly PendingChallenge[])[] = [];
  const held = { at: 0 };
  const challenges = challengesOf(
    () => held.at,
    (all) => told.push(all),
  );
  return Object.assign(held, challenges, { told });
}
const probe = (expected: string, signal = new AbortController().signal): Probe => ({
  type: "http-01",
  identifier: { type: "dns", value: "www.dev.test" },
  asked: "http://www.dev.test/.well-known/acme-challenge/t",
  expected,
  signal,
});

it("a challenge is pending until it is answered once, and every change is announced to the pages", async () => {
  const { challenger, answer, all, told } = broker();
  const [one, other] = [challenger(probe("a")), challenger(probe("b"))];
  expect(all().map(({ expected }) => expected)).toEqual(["a", "b"]);
  expect(all()[0]).toMatchObject({ type: "http-01", name: "www.dev.test" });
  answer(all()[1]?.id ?? "", false);
  await expect(other).rejects.toMatchObject({ code: "incorrect_response" });
  answer(all()[0]?.id ?? "", true);
  await one;
  expect(all()).toEqual([]);
  expect(told.map((list) => list.length)).toEqual([1, 2, 1, 0]);
});

it("an answer to a challenge that a restarted worker does not know is kept until the challenge is repeated", async () => {
  const before = broker();
  void before.challenger(probe("a"));
  const id = before.all()[0]?.id ?? "";
  const after = broker();
  after.answer(id, true);
  await after.challenger(probe("a"));
  expect(after.all()).toEqual([]);
  after.at = 3_600_000;
  void after.challenger(probe("a"));
  expect(after.all()).toHaveLength(1);
});

it("a challenge that timed out is shown only until its next attempt is due", async () => {
  const b = broker();
  const over = new AbortController();
  const asked = b.challenger(probe("a", over.signal));
  over.abort();
  await expect(asked).rejects.toMatchObject({ code: "connection" });
  expect(b.all()).toHaveLength(1);
  b.at = 200_000;
  expect(b.all()).toEqual([]);
});
