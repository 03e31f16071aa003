import type { Limits } from "./limits.ts";

/**
 * Follows how fast one request body arrives. Times, in milliseconds, are given; what the runtime
 * makes its caller wait does not count.
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

  /** The runtime takes no more for now. */
  pause(now: number): void {
    this.#pausedAt ??= now;
  }

  resume(now: number): void {
    if (this.#pausedAt !== undefined) this.#begun += now - this.#pausedAt;
    this.#pausedAt = undefined;
    this.#last = now;
  }

  /** Whether it is the runtime that makes its caller wait. */
  get paused(): boolean {
    return this.#pausedAt !== undefined;
  }

  /** For how long the runtime has taken nothing; 0 while it takes what comes. */
  pausedFor(now: number): number {
    return this.#pausedAt === undefined ? 0 : now - this.#pausedAt;
  }

  /** What is wrong with the caller's pace, if anything is. */
  fault(now: number, limits: Limits): string | undefined {
    if (this.#pausedAt !== undefined) return undefined;
    const age = now - this.#begun;
    const due = ((age - limits.bodyMs) / 1000) * limits.bodyBytesPerSecond;
    if (now - this.#last > limits.bodyMs) return "the request body stopped arriving";
    if (this.#received < due) return "the request body arrives too slowly";
    return age > limits.bodyTotalMs ? "the request body did not arrive in time" : undefined;
  }
}
