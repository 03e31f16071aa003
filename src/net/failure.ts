/** The stage at which a request to another server failed. */
type Failed =
  /** No connection was made, or it broke. */
  | "connection"
  /** The DNS server did not answer, or its answer is invalid. */
  | "dns"
  /** A response arrived, but was rejected. */
  | "response";

/**
 * A failed request to another server. The message may be shown: it quotes nothing from the server.
 * An aborted signal rejects with its own reason instead.
 */
export class NetError extends Error {
  override readonly name = "NetError";
  readonly failed: Failed;
  /** Whether the request timed out. */
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
 * Formats the error as the end of a sentence; "" for errors whose message could disclose too much.
 */
export const causeSuffix = (error: unknown): string =>
  error instanceof NetError ? `: ${error.message}` : "";
