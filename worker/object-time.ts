/** Tolerance between the clocks of a caller and an object. */
const toleranceMs = 5000;

/** The clock by which an object dates, Unix milliseconds. */
export interface ObjectTime {
  now(): number;
  /** Milliseconds to add to the object's own time; 0, or negative while that is ahead. */
  behind(): number;
  /** Records a caller's time, if sent. */
  recordCaller(at: number | undefined): void;
}

/**
 * Returns the time of an object. The platform lets time within an object stand still rather than go
 * back, for as long as the object is in use. After the clock was corrected from a wrong time ahead,
 * the object's own time therefore stays there, while requests of the Worker begin with the right
 * one. Calls carry it, and the object dates by the last one that is clearly earlier than its own.
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
        // while its own clock stands still the object is ahead, whatever a long request sends
        if (mine !== stoodAt) [behind, stoodAt] = [0, undefined];
        return;
      }
      const noticed = stoodAt === undefined;
      [behind, stoodAt] = [at - mine, mine];
      if (noticed) corrected();
    },
  };
}
