/** What failed in asking another server. */
export type Failed =
  /** There was no connection, or it broke. */
  | "connection"
  /** The DNS gave no answer, or none that can be read. */
  | "dns"
  /** There was an answer, and it is none that is taken. */
  | "response";

/**
 * Why there is no answer of another server, in words that may be shown: they quote nothing of what
 * the other one sent. Beside it asking rejects with the reason of an aborted signal.
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
 * Such a failure as the end of a sentence; nothing where the words of another might say too much.
 */
export const causeSuffix = (error: unknown): string =>
  error instanceof NetError ? `: ${error.message}` : "";
