/**
 * An error for a request that is rejected before it reaches an endpoint: a status and one sentence.
 * The connection is closed after the response.
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
 * Builds an uncacheable response for an error, in the error format of the API. `length` is the size
 * of its body in bytes.
 */
export function errorResponse({ status, message }: HttpError) {
  const body = JSON.stringify({ errors: [message] });
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return { response: { status, headers, body }, length: Buffer.byteLength(body) };
}

/** Returns the error for a request whose response timed out. */
export const responseTimeout = (): HttpError =>
  new HttpError(504, "the server did not answer in time; the request may have been carried out");
