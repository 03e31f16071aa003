import { dateLine } from "./date-line.ts";

/**
 * A request the front does not pass on: the status it answers with and one sentence why. The
 * connection ends after it.
 */
export class FrontRefusal extends Error {
  readonly status: number;
  /** After how many seconds it is worth trying again; undefined: that would change nothing. */
  readonly retryAfter: number | undefined;

  constructor(status: number, text: string, retryAfter?: number) {
    super(text);
    this.name = "FrontRefusal";
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

const reasons: Record<number, string> = {
  400: "Bad Request",
  408: "Request Timeout",
  417: "Expectation Failed",
  431: "Request Header Fields Too Large",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  505: "HTTP Version Not Supported",
};

/**
 * The bytes of a refusal on the wire: the error shape of the API, never cached, the connection
 * closed after it. `now`: the time of the server, Unix milliseconds.
 */
export function refusalBytes(refusal: FrontRefusal, now: number): Buffer {
  const body = JSON.stringify({ errors: [refusal.message] });
  const head = [
    `HTTP/1.1 ${refusal.status} ${reasons[refusal.status] ?? "Error"}`,
    dateLine(now),
    "Content-Type: application/json",
    "Cache-Control: no-store",
    ...(refusal.retryAfter === undefined ? [] : [`Retry-After: ${refusal.retryAfter}`]),
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`, "latin1");
}

/** A request that the runtime has had for too long; what has become of it nobody knows. */
export const runtimeSilent = (): FrontRefusal =>
  new FrontRefusal(
    504,
    "the runtime did not answer in time; the request may have been carried out",
  );
/** A request of which nothing has reached anybody; the launcher starts the runtime again. */
export const runtimeAway = (): FrontRefusal =>
  new FrontRefusal(503, "the runtime is being started; try again", 1);
