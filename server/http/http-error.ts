/**
 * A request that the server refuses before it reaches an endpoint: the status and one sentence why.
 * The connection ends after it.
 */
export class HttpError extends Error {
  override readonly name = "HttpRefusal";
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** A refusal on the wire: the error shape of the API, never cached. `length`: bytes of the body. */
export function errorResponse({ status, message }: HttpError) {
  const body = JSON.stringify({ errors: [message] });
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return { response: { status, headers, body }, length: Buffer.byteLength(body) };
}

/** A request that has been under way for too long; whether it was carried out nobody knows. */
export const responseTimeout = (): HttpError =>
  new HttpError(504, "the server did not answer in time; the request may have been carried out");
