/** Tolerated difference between the clocks of a caller and an object (ms). */
const toleranceMs = 5000;

/** The clock of a Durable Object, in Unix ms. */
export interface ObjectTime {
  now(): number;
  /**
   * Returns the correction of the object's own time (ms): 0, or a negative number while that time
   * is ahead.
   */
  behind(): number;
  /** Records the caller's time, if the caller sent it. */
  recordCaller(at: number | undefined): void;
}

/**
 * Creates the clock of an object. When the host's clock is set back, the platform does not set back
 * the clock of an object in use, but stops it. The object's own time then stays ahead, while the
 * Worker's time is right. Each call includes the Worker's time, and the object uses the last one
 * that is clearly earlier than its own.
 *
 * @param corrected called when the object finds that its own time is ahead
 */
export function objectTime(corrected: () => void, own = (): number => Date.now()): ObjectTime {
  let behind = 0;
  let stoodAt: number | undefined;
  return {
    now: () => own() + behind,
    behind: () => behind,
    recordCaller(at) {
      if (at === undefined) return;
      const mine = own();
      if (at >= mine - toleranceMs) {
        // while its own clock stands still, the object is ahead even if a long request sends a
        // later time
        if (mine !== stoodAt) [behind, stoodAt] = [0, undefined];
        return;
      }
      const noticed = stoodAt === undefined;
      [behind, stoodAt] = [at - mine, mine];
      if (noticed) corrected();
    },
  };
}
