/** A response from a handler. */
export interface Response {
  readonly status: number;
  /** Header fields with lower-case names. Many responses may share one object. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | ReadableStream<Uint8Array> | null;
}

/** The properties that determine how a response is framed. */
export interface Framing {
  /** Time for the Date header, in Unix ms. */
  readonly now: number;
  /** Whether the connection is closed after the response. */
  readonly close: boolean;
  /** Whether the request is HEAD: no body is sent, although the header fields announce one. */
  readonly bodiless: boolean;
  /** Length of the body in bytes; undefined if it is not known in advance. */
  readonly length: number | undefined;
  /** Whether the client uses HTTP/1.0, which does not support chunks. */
  readonly http10: boolean;
}

const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  301: "Moved Permanently",
  302: "Found",
  304: "Not Modified",
  307: "Temporary Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  417: "Expectation Failed",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  472: "Standby",
  473: "Standby",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  505: "HTTP Version Not Supported",
};

/**
 * Header names by lower-case name, in the case that some case-sensitive clients expect
 * (docs/est.md).
 */
const spellings = new Map([
  ["etag", "ETag"],
  ["www-authenticate", "WWW-Authenticate"],
]);
const caseOf = (name: string): string =>
  spellings.get(name) ?? name.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());

/** Matches characters that are invalid in a field value (RFC 9110 section 5.5). */
// oxlint-disable-next-line no-control-regex -- it searches for control characters
const unfit = /[^\t\x20-\x7e\x80-\xff]/;

/** Cached header lines by the header object, which many responses may share. */
const linesOf = new WeakMap<Response["headers"], string>();
function fieldLines(headers: Response["headers"]): string {
  const cached = linesOf.get(headers);
  if (cached !== undefined) return cached;
  let lines = "";
  for (const [name, value] of Object.entries(headers)) {
    // a line break in a value would allow header or response injection
    if (unfit.test(value))
      throw new TypeError(`the value of the header ${name} contains invalid characters`);
    lines += `${caseOf(name)}: ${value}\r\n`;
  }
  if (Object.isFrozen(headers)) linesOf.set(headers, lines);
  return lines;
}

let dated = { second: Number.NaN, line: "" };
/** Returns the Date line of a response (RFC 9110 section 6.6.1). `now` is in Unix ms. */
function dateLine(now: number): string {
  const second = Math.floor(now / 1000);
  if (second !== dated.second) dated = { second, line: `Date: ${new Date(now).toUTCString()}\r\n` };
  return dated.line;
}

/**
 * Reports whether responses with the given status have neither a body nor a Content-Length (RFC
 * 9110 section 8.6).
 */
const isBare = (status: number): boolean => status === 204 || status === 304;

/** Returns the head of a response, including the final empty line. */
export function responseHead({ status, headers }: Response, framing: Framing): string {
  const { now, close, length, http10 } = framing;
  const frame = isBare(status)
    ? ""
    : length !== undefined
      ? `Content-Length: ${length}\r\n`
      : http10 || framing.bodiless
        ? ""
        : "Transfer-Encoding: chunked\r\n";
  return `HTTP/1.1 ${status} ${reasons[status] ?? "Status"}\r\n${dateLine(now)}${fieldLines(headers)}${frame}${close ? "Connection: close\r\n" : ""}\r\n`;
}

/** Joins a head and its body. */
export function headAndBody(head: string, body: Uint8Array | string): Buffer {
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  const bytes = Buffer.allocUnsafe(head.length + length);
  bytes.write(head, 0, "latin1");
  if (typeof body === "string") bytes.write(body, head.length, "utf8");
  else bytes.set(body, head.length);
  return bytes;
}
