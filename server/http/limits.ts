import { LaunchError } from "../cli/settings.ts";

/** Bounds of the front; times in milliseconds. */
export interface Limits {
  headBytes: number;
  connections: number;
  /** Of one address (IPv6: one network of 64 bits) at a time. */
  connectionsOfAddress: number;
  /** Connections to the runtime that the front has ended and the runtime has yet to close. */
  closing: number;
  /** From the first byte of a head to its end. */
  headMs: number;
  /** Between two requests. */
  idleMs: number;
  /** Without a byte of a request body. */
  bodyMs: number;
  /** From the first byte of a request body to its last. */
  bodyTotalMs: number;
  /** What of a body must have arrived, for each second beyond the first `bodyMs`. */
  bodyBytesPerSecond: number;
  /** Without the runtime taking a byte of a request, or giving one of its answer. */
  answerMs: number;
  /** Without the caller taking a byte of its answer. */
  takeMs: number;
  /**
   * After a refusal: what still arrives is discarded, so that the caller can read the answer before
   * the reset.
   */
  lingerMs: number;
  /**
   * An idle connection to the runtime is left alone after this; below the 5 s after which the
   * runtime would close it.
   */
  reuseMs: number;
}

/** The bounds of `npm start`, where files that may be open are plenty. */
export const defaultLimits: Limits = {
  headBytes: 64 * 1024,
  connections: 1024,
  connectionsOfAddress: 512,
  closing: 512,
  headMs: 10_000,
  idleMs: 60_000,
  bodyMs: 30_000,
  // 32 MiB, the largest body, at one megabit a second take 270 s
  bodyTotalMs: 300_000,
  bodyBytesPerSecond: 1024,
  answerMs: 30_000,
  takeMs: 60_000,
  lingerMs: 2_000,
  reuseMs: 3_000,
};

/**
 * What launcher and runtime each have open beside connections: some 35 of their own, and three for
 * each of a few databases.
 */
const RESERVED = 72;
const FEWEST = 128;

/**
 * The bounds of connections where a process may have `descriptors` files open. In the front a
 * caller takes two, its own and the one to the runtime, and a connection that closes takes one; in
 * the runtime either takes one, and all else is left for databases. Throws {@link LaunchError} for
 * too few.
 */
export function connectionLimits(
  descriptors: number,
): Pick<Limits, "connections" | "connectionsOfAddress" | "closing"> {
  if (descriptors < FEWEST)
    throw new LaunchError(
      `Only ${descriptors} files may be open at once (ulimit -n), and at least ${FEWEST} are needed.`,
    );
  const connections = Math.min(
    defaultLimits.connections,
    2 * Math.floor((descriptors - RESERVED) / 5),
  );
  return { connections, connectionsOfAddress: connections / 2, closing: connections / 2 };
}
