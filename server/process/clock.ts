/** Whether `PUT /test/clock` can set the time, for tests. Always false in the package. */
export const isClocked = process.env["SEALWRIGHT_TEST_CLOCK"] === "1";

/** The time of this process, which a test can set for all processes of a server. */
interface Clock {
  /** Returns the time in Unix ms. */
  now(): number;
  /** Sets the time, which continues to run from there. */
  set(now: number): void;
}

/** Creates a clock that shows the system time until it is set. */
export function clock(): Clock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    set(now) {
      ahead = now - Date.now();
    },
  };
}
