/** Tolerance between the clocks of a caller and an object. */
const toleranceMs = 5000;

/** The clock of an object, Unix milliseconds. */
export interface ObjectTime {
  now(): number;
  /** Milliseconds to add to the object's own time; 0, or negative while that is ahead. */
  behind(): number;
  /** Records a caller's time, if sent. */
  recordCaller(at: number | undefined): void;
}

/**
 * Returns the time of an object. While an object is in use, the platform stops its clock rather
 * than set it back. After a clock that was ahead is corrected, the object's own time is therefore
 * still ahead, while the Worker has the right time. Each call includes the Worker's time, and the
 * object uses the last one that is clearly earlier than its own.
 *
 * @param corrected called when the object finds its own time ahead
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
        // while its own clock stands still the object is ahead, even if a long request sends a
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
