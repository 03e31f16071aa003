import { expect, it } from "vitest";
import { objectTime } from "../../worker/object-time.ts";

const right = Date.UTC(2026, 10, 23);
const ahead = right + 3_600_000;

it("an object uses its own time if its callers' clocks differ by seconds or are ahead", () => {
  let own = right;
  const time = objectTime(
    () => expect.unreachable(),
    () => own,
  );
  for (const at of [undefined, right, right - 4000, ahead]) {
    time.recordCaller(at);
    expect([time.now(), time.behind()]).toEqual([right, 0]);
  }
  own += 10;
  expect(time.now()).toBe(right + 10);
});

it("an object whose clock is frozen ahead uses the time of the last caller until its own clock moves again", () => {
  let [own, noticed] = [ahead, 0];
  const time = objectTime(
    () => void (noticed += 1),
    () => own,
  );
  time.recordCaller(right);
  expect(time.now()).toBe(right);
  time.recordCaller(right + 7000);
  expect([time.now(), time.behind()]).toEqual([right + 7000, right + 7000 - ahead]);
  // a request that began before the correction still has the wrong time
  for (const at of [ahead, ahead + 5]) time.recordCaller(at);
  expect(time.now()).toBe(right + 7000);
  expect(noticed).toBe(1);
  own = ahead + 1;
  time.recordCaller(ahead + 1);
  expect([time.now(), time.behind()]).toEqual([ahead + 1, 0]);
});
