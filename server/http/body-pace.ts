import type { Limits } from "./limits.ts";

/**
 * Tracks how fast a request body arrives. Callers pass the current time in ms. The time during
 * which the server pauses reading does not count.
 */
export class BodyPace {
  #begun: number;
  #last: number;
  #received = 0;
  #pausedAt: number | undefined;

  constructor(now: number) {
    this.#begun = now;
    this.#last = now;
  }

  arrived(bytes: number, now: number): void {
    this.#received += bytes;
    this.#last = now;
  }

  /** Records that the server has paused reading. */
  pause(now: number): void {
    this.#pausedAt ??= now;
  }

  resume(now: number): void {
    if (this.#pausedAt !== undefined) this.#begun += now - this.#pausedAt;
    this.#pausedAt = undefined;
    this.#last = now;
  }

  /** Whether the server has paused reading. */
  get paused(): boolean {
    return this.#pausedAt !== undefined;
  }

  /** Returns how long reading has been paused, in ms, or 0 if it is not paused. */
  pausedFor(now: number): number {
    return this.#pausedAt === undefined ? 0 : now - this.#pausedAt;
  }

  /** Returns an error message if the client is too slow. */
  fault(now: number, limits: Limits): string | undefined {
    if (this.#pausedAt !== undefined) return undefined;
    const age = now - this.#begun;
    const due = ((age - limits.bodyMs) / 1000) * limits.bodyBytesPerSecond;
    if (now - this.#last > limits.bodyMs) return "the request body stopped arriving";
    if (this.#received < due) return "the request body arrives too slowly";
    return age > limits.bodyTotalMs ? "the request body did not arrive in time" : undefined;
  }
}
