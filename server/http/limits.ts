import { LaunchError } from "../cli/settings.ts";

/** Limits of one process that serves clients; times in milliseconds. */
export interface Limits {
  headBytes: number;
  connections: number;
  /** Concurrent connections of one address (IPv6: one /64 network). */
  connectionsOfAddress: number;
  /** From the first byte of a head to its last. */
  headMs: number;
  /** Between two requests. */
  idleMs: number;
  /** Without a byte of a request body. */
  bodyMs: number;
  /** From the first byte of a request body to its last. */
  bodyTotalMs: number;
  /** Minimum body bytes for each second after the first `bodyMs`. */
  bodyBytesPerSecond: number;
  /** From the end of a request to the first byte of its response. */
  answerMs: number;
  /** Time without the client reading any byte of a response. */
  takeMs: number;
  /**
   * After an error: input is discarded for this long, so that the client can read the response
   * before the reset.
   */
  lingerMs: number;
}

/** The limits of a server with enough file descriptors. */
export const defaultLimits: Limits = {
  headBytes: 64 * 1024,
  connections: 1024,
  connectionsOfAddress: 512,
  headMs: 10_000,
  idleMs: 60_000,
  bodyMs: 30_000,
  // 32 MiB, the largest body, at one megabit a second take 270 s
  bodyTotalMs: 300_000,
  bodyBytesPerSecond: 1024,
  answerMs: 30_000,
  takeMs: 60_000,
  lingerMs: 2_000,
};

/** Open files of a process besides client connections: its own, databases, outgoing connections. */
const reservedDescriptors = 72;
const minDescriptors = 128;

/**
 * Computes the connection limits for each of `ports` in each of `workers` processes, given the
 * `descriptors` of a process. All together allow 1,024. Throws {@link LaunchError} for too few
 * descriptors.
 */
export function connectionLimits(
  descriptors: number,
  workers: number,
  ports = 1,
): Pick<Limits, "connections" | "connectionsOfAddress"> {
  if (descriptors < minDescriptors)
    throw new LaunchError(
      `Only ${descriptors} files may be open at once (ulimit -n), and at least ${minDescriptors} are needed.`,
    );
  const share = Math.ceil(defaultLimits.connections / workers);
  const clients = Math.min(share, 2 * Math.floor((descriptors - reservedDescriptors) / 4));
  const connections = Math.ceil(clients / ports);
  return { connections, connectionsOfAddress: Math.ceil(connections / 2) };
}
