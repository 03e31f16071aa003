import { expect, it } from "vitest";
import { objectTime } from "../../worker/object-time.ts";

const right = Date.UTC(2026, 10, 23);
const ahead = right + 3_600_000;

it("an object goes by its own time while its callers' differs by seconds, or is later", () => {
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

it("an object whose time stands still ahead goes by the last caller until it has been caught up with", () => {
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
