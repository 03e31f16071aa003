import { describe, expect, it } from "vitest";
import { hashingQueue } from "../../../src/auth/userpass/hashing-queue.ts";

/** A queue over a clock of its own, which moves when `pass` is called. */
function world() {
  let now = 0;
  let timers: { readonly at: number; readonly fire: () => void }[] = [];
  const wait = (milliseconds: number) =>
    new Promise<void>((fire) => {
      timers.push({ at: now + milliseconds, fire });
    });
  const run = hashingQueue({ now: () => now, pause: wait });
  const settle = async () => {
    for (let n = 0; n < 20; n++) await Promise.resolve();
  };
  const pass = async (milliseconds: number) => {
    for (const end = now + milliseconds; now < end;) {
      now++;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { fire } of due) fire();
      await settle();
    }
  };
  /** Forgets those who wait: their requests have ended. */
  const abandon = () => void (timers = []);
  return { run, pass, wait, settle, abandon, now: () => now };
}
const never = () => new Promise<never>(() => undefined);

describe("the queue of password checks", () => {
  it("runs one check at a time in the order of arrival, and rests as long as it took", async () => {
    const { run, pass, wait, now } = world();
    const log: string[] = [];
    const check = (name: string, milliseconds: number) =>
      run(async () => {
        log.push(`${name} begins at ${now()}`);
        await wait(milliseconds);
        log.push(`${name} ends at ${now()}`);
      });
    const all = [check("a", 50), check("b", 2), check("c", 5000)];
    await pass(8000);
    await Promise.all(all);
    await Promise.all([check("d", 1), pass(1)]);
    expect(log).toEqual([
      "a begins at 0",
      "a ends at 50",
      "b begins at 100",
      "b ends at 102",
      "c begins at 130",
      "c ends at 5130",
      "d begins at 8000",
      "d ends at 8001",
    ]);
  });

  it("refuses whoever comes while fifteen wait, and takes others once it is shorter", async () => {
    const { run, pass, settle } = world();
    let done = (): void => undefined;
    const first = run(() => new Promise<void>((resolve) => (done = resolve)));
    const waiting = Array.from({ length: 15 }, () => run(async () => undefined));
    await expect(run(async () => undefined)).rejects.toMatchObject({
      code: "busy",
      retryAfter: 1,
      message: "too many passwords are being checked; try again",
    });
    done();
    await settle();
    await first;
    await pass(400);
    await Promise.all(waiting);
    expect(await run(async () => "checked")).toBe("checked");
  });

  it("goes on after a check that fails, and after requests that ended early", async () => {
    const { run, pass, abandon } = world();
    await expect(run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    void run(never);
    void run(async () => undefined);
    abandon();
    await pass(30_000);
    const later = run(async () => "checked");
    await pass(50);
    expect(await later).toBe("checked");
  });

  it("goes on soon where the next one in turn ended early while the thread rests", async () => {
    const { run, pass, abandon } = world();
    await run(async () => undefined);
    void run(async () => undefined);
    abandon();
    let checked = false;
    void run(async () => {
      checked = true;
    });
    await pass(2100);
    expect(checked).toBe(true);
  });
});
