import type { RequestUrl } from "../base/request-url.ts";
import type { Identity, Meter } from "../engine/ports.ts";
import type { Dialect } from "./dialect.ts";

/** User name and password of HTTP Basic authentication (RFC 7617). */
export interface Basic {
  readonly name: string;
  readonly password: string;
}

/** The client side of the connection, as reported by the platform and never by a header. */
export interface Peer {
  /** IP address of the client, if known. */
  readonly address?: string | undefined;
  /**
   * The client's chain in the TLS handshake (DER, leaf first). The handshake proved possession of
   * the leaf's key; whether the chain is trusted is decided later. Empty if the client sent no
   * usable chain. Absent if the platform does not report chains.
   */
  readonly tlsChain?: readonly Uint8Array[] | undefined;
}

/** A request as plain data, because workerd and node:http reject the method LIST. */
export interface Call {
  /** GET, POST, PATCH, DELETE or LIST; "" for any other method. */
  readonly method: string;
  /** Whether the request is a HEAD request, which is handled as GET. */
  readonly head?: boolean;
  /** Percent-encoded path as received, with the leading slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Pick<HeaderFields, "get">;
  readonly body: Uint8Array;
  /** The body, if it has not been read yet; `body` is then empty. */
  readonly unread?: IncomingBody;
  readonly token: string | undefined;
  /**
   * The caller's identity. Only code in the same process sets it, for calls through the typed
   * library.
   */
  readonly identity?: Identity;
  readonly dialect: Dialect;
  /** Value of the header that requests response wrapping, if it was sent. */
  readonly wrapTtl?: string | undefined;
  readonly peer?: Peer;
  /** Origin (scheme and host) of the request URL. Absent for calls in the same process. */
  readonly origin?: string;
}

/** A response before encoding. */
export interface Reply {
  readonly status: number;
  /** Header fields. The object is frozen if many responses share it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | null;
  /** The body as a stream, which is sent instead of `body`. */
  readonly stream?: ReadableStream<Uint8Array>;
  /**
   * The time in Unix ms at which the oldest input of the response was read. Set if the response
   * depends only on the path.
   */
  readonly since?: number | (() => number) | undefined;
  /**
   * Set together with `since`: returns false once this process has changed an input of the
   * response.
   */
  isCurrent?(): boolean;
  /** Updates metrics each time the response is sent, including from the cache. */
  count?(meter: Meter): void;
}

/**
 * The header fields of a request, by lower-case name. The values of a repeated field are joined
 * with ", ".
 */
export interface HeaderFields {
  /** Returns the value of a header by its lower-case name, or null if it was not sent. */
  get(name: string): string | null;
  /** Reports whether a header was sent, by its lower-case name. */
  has(name: string): boolean;
}

/** A request body that is read only when the caller and the endpoint are known. */
export interface IncomingBody {
  /** Content length in bytes, or undefined if the request does not declare it. */
  readonly length: number | undefined;
  /**
   * Reads the body. Rejects with `too_large` and the message `tooLargeMessage` if it is longer than
   * `limit` bytes.
   */
  read(limit: number, tooLargeMessage: string): Promise<Uint8Array>;
}

/** A request as plain data, for any host. */
export interface IncomingRequest {
  /** The method as sent, such as `GET` or `LIST`. */
  readonly method: string;
  /** The complete URL. */
  readonly url: RequestUrl;
  /** The header fields. */
  readonly headers: HeaderFields;
  /** The body, which is read on demand. */
  readonly body: IncomingBody;
}

/** A response as plain data. */
export interface OutgoingResponse {
  /** HTTP status code. */
  readonly status: number;
  /** Header fields by lower-case name. Responses with equal headers may share the object. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, or null if there is none. */
  readonly body: Uint8Array | string | ReadableStream<Uint8Array> | null;
}
