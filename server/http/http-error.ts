/**
 * An error for a request rejected before it reaches an endpoint: a status and one sentence. The
 * connection is closed after it.
 */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/**
 * Builds the response of an error in the error format of the API, never cached. `length`: bytes of
 * the body.
 */
export function errorResponse({ status, message }: HttpError) {
  const body = JSON.stringify({ errors: [message] });
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return { response: { status, headers, body }, length: Buffer.byteLength(body) };
}

/** Returns the error for a request that timed out; it may have been carried out. */
export const responseTimeout = (): HttpError =>
  new HttpError(504, "the server did not answer in time; the request may have been carried out");
