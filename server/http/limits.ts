import { LaunchError } from "../settings/launch-error.ts";

/** The limits of a process that serves clients. Times are in ms. */
export interface Limits {
  headBytes: number;
  connections: number;
  /** Maximum number of concurrent connections from one address (IPv6: one /64 network). */
  connectionsOfAddress: number;
  /** Maximum time from the first byte of a request head to its last. */
  headMs: number;
  /** Maximum time between two requests. */
  idleMs: number;
  /** Maximum time in which no byte of a request body arrives. */
  bodyMs: number;
  /** Maximum time from the first byte of a request body to its last. */
  bodyTotalMs: number;
  /** Minimum rate of a request body in bytes per second, after the first `bodyMs`. */
  bodyBytesPerSecond: number;
  /** Maximum time from the end of a request to the first byte of its response. */
  answerMs: number;
  /** Maximum time in which the client reads no byte of a response. */
  takeMs: number;
  /**
   * Time for which input is discarded after an error, so that the client can read the response
   * before the connection is reset.
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
  // the largest body (32 MiB) takes 270 s at one megabit per second
  bodyTotalMs: 300_000,
  bodyBytesPerSecond: 1024,
  answerMs: 30_000,
  takeMs: 60_000,
  lingerMs: 2_000,
};

/**
 * Number of file descriptors of a process that are reserved for uses other than client connections,
 * such as databases and outgoing connections.
 */
const reservedDescriptors = 72;
const minDescriptors = 128;

/**
 * Computes the connection limits for each of `ports` ports in each of `workers` processes, given
 * the file descriptor limit of a process. The limits of all listeners add up to at most about 1,024
 * connections. Throws {@link LaunchError} if there are too few descriptors.
 */
export function connectionLimits(
  descriptors: number,
  workers: number,
  ports = 1,
): Pick<Limits, "connections" | "connectionsOfAddress"> {
  if (descriptors < minDescriptors)
    throw new LaunchError(
      `The limit of open files is ${descriptors}, but at least ${minDescriptors} are required; raise it with ulimit -n.`,
    );
  const share = Math.ceil(defaultLimits.connections / workers);
  const clients = Math.min(share, 2 * Math.floor((descriptors - reservedDescriptors) / 4));
  const connections = Math.ceil(clients / ports);
  return { connections, connectionsOfAddress: Math.ceil(connections / 2) };
}
