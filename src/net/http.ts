import type { Connection } from "../engine/ports.ts";
import { concat, utf8 } from "../base/bytes.ts";
import { ByteSource } from "./byte-source.ts";
import { bodyOf, framingOf } from "./http-body.ts";
import { readHead, invalidResponse, type Fields } from "./http-head.ts";

/** An HTTP/1.1 request, which is the only one on its connection. */
export interface HttpRequest {
  readonly method: string;
  /** The request target: path and query as sent, in ASCII. */
  readonly target: string;
  /**
   * Host name or address (IPv6 in brackets), with the port unless it is the default of the scheme.
   */
  readonly host: string;
  /** Additional headers; host, length, connection and encoding are set automatically. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}
/** A response whose head has been read. */
export interface HttpResponse {
  readonly status: number;
  /** Header fields by lower-case name. */
  readonly headers: Fields;
  /**
   * Reads the body. May be called only once. Rejects with `NetError` if the body is longer than
   * `maxBytes` bytes, incomplete or compressed, and with the signal's reason on abort.
   */
  body(maxBytes: number): Promise<Uint8Array>;
}

/**
 * Sends a request over a connection and reads the head of the response, which may have 16 KiB and
 * 100 header fields (security row 37). The caller must close the connection. Rejects with
 * `NetError` if the connection is lost, the response is not HTTP/1.1, or the length of its body is
 * ambiguous, and with the signal's reason on abort. Throws `TypeError` if the request cannot be
 * sent.
 */
export async function exchange(
  connection: Pick<Connection, "readable" | "writable">,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const bytes = bytesOf(request);
  const source = new ByteSource(connection.readable, signal);
  // does not wait, because a response that arrives before the request is fully sent is also used
  connection.writable
    .getWriter()
    .write(bytes)
    .catch(() => undefined);
  const head = await readHead(source);
  const framing = framingOf(head, request.method);
  return {
    status: head.status,
    headers: head.fields,
    async body(maxBytes) {
      const coding = head.fields.get("content-encoding")?.join().toLowerCase() ?? "";
      if (coding !== "" && coding !== "identity")
        throw invalidResponse("the response is compressed, which was not requested");
      return bodyOf(source, framing, maxBytes);
    },
  };
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const own = /^(?:host|connection|content-length|transfer-encoding|accept-encoding)$/i;

function bytesOf({ method, target, host, headers = {}, body }: HttpRequest): Uint8Array {
  const custom = Object.entries(headers);
  const sound =
    token.test(method) &&
    /^\/[\x21-\x7e]*$/.test(target) &&
    /^[\x21-\x7e]+$/.test(host) &&
    custom.every(([name, value]) => token.test(name) && /^[\t\x20-\x7e]*$/.test(value)) &&
    !custom.some(([name]) => own.test(name));
  if (!sound)
    throw new TypeError(
      "the request has invalid characters in its method, target, host or header fields, or sets a header field that the client sets itself",
    );
  const fields = [
    ["Host", host],
    ["Connection", "close"],
    ["Accept-Encoding", "identity"],
    ...custom,
    ...(body ? [["Content-Length", String(body.length)]] : []),
  ];
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return concat([utf8(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`), body ?? new Uint8Array()]);
}
