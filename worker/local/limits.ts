/** Bounds of the front; times in milliseconds. */
export interface Limits {
  headBytes: number;
  connections: number;
  /** From the first byte of a head to its end. */
  headMs: number;
  /** Between two requests. */
  idleMs: number;
  /** Without a byte of a request body. */
  bodyMs: number;
  /** Without the caller taking a byte of its answer. */
  takeMs: number;
  /** After a refusal: what still arrives is discarded, so that the caller can read the answer before the reset. */
  lingerMs: number;
  /** An idle connection to the runtime is left alone after this; below the 5 s after which the runtime would close it. */
  reuseMs: number;
}

/** The bounds of `npm start`. */
export const defaultLimits: Limits = {
  headBytes: 64 * 1024,
  connections: 1024,
  headMs: 10_000,
  idleMs: 60_000,
  bodyMs: 30_000,
  takeMs: 60_000,
  lingerMs: 2_000,
  reuseMs: 3_000,
};
