/** True if `PUT /test/clock` sets the time, for tests. The package excludes it. */
export const isClocked = process.env["SEALWRIGHT_TEST_CLOCK"] === "1";

/** The time of this process, which a test can set for all processes of a server. */
interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Sets the time, which then continues. */
  set(now: number): void;
}

/** Creates a clock with the system's time until it is set. */
export function clock(): Clock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    set(now) {
      ahead = now - Date.now();
    },
  };
}
