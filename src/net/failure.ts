/** The stage at which a request to another server failed. */
type Failed =
  /** There was no connection, or it broke. */
  | "connection"
  /** The DNS gave no answer, or none that can be read. */
  | "dns"
  /** A response arrived, but was rejected. */
  | "response";

/**
 * An error of a request to another server. The message may be shown: it quotes nothing from the
 * server. An aborted signal rejects with its own reason instead.
 */
export class NetError extends Error {
  override readonly name = "NetError";
  readonly failed: Failed;
  /** The time for an answer was over. */
  readonly late: boolean;

  constructor(
    failed: Failed,
    message: string,
    options?: ErrorOptions & { readonly late?: boolean },
  ) {
    super(message, options);
    this.failed = failed;
    this.late = options?.late === true;
  }
}

/**
 * Formats the error as the end of a sentence; empty for errors whose message could disclose too
 * much.
 */
export const causeSuffix = (error: unknown): string =>
  error instanceof NetError ? `: ${error.message}` : "";
