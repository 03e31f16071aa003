/** The stage at which a request to another server failed. */
type Failed =
  /** The connection could not be established, or was lost. */
  | "connection"
  /** The DNS server did not respond, or its response is invalid. */
  | "dns"
  /** A response arrived, but was rejected. */
  | "response";

/**
 * The error for a failed request to another server. The message may be shown, because it quotes
 * nothing from the server. If a signal aborts, its reason is thrown instead.
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
 * Returns the message of an error as the end of a sentence, or "" if the message could disclose too
 * much.
 */
export const causeSuffix = (error: unknown): string =>
  error instanceof NetError ? `: ${error.message}` : "";
