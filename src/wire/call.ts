import type { RequestUrl } from "../base/request-url.ts";
import type { Identity, Meter } from "../engine/ports.ts";
import type { Dialect } from "./dialect.ts";

/** User name and password of HTTP Basic (RFC 7617). */
export interface Basic {
  readonly name: string;
  readonly password: string;
}

/** The client end of the connection, as reported by the platform and never by a header. */
export interface Peer {
  /** Address of the client, if known. */
  readonly address?: string | undefined;
  /**
   * The client's chain in the TLS handshake, DER, leaf first. The handshake proved
   * possession of the key; trust is decided later. Empty: no usable chain. Absent: the
   * platform does not report them.
   */
  readonly tlsChain?: readonly Uint8Array[] | undefined;
}

/** A request as plain data, because workerd and node:http reject the method LIST. */
export interface Call {
  /** GET, POST, PATCH, DELETE or LIST; "" for any other. */
  readonly method: string;
  /** Whether it is a HEAD request, handled as GET. */
  readonly head?: boolean;
  /** Path as received, percent-encoded, with the leading slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Pick<HeaderFields, "get">;
  readonly body: Uint8Array;
  /** The body if it has not been read yet; then `body` is empty. */
  readonly unread?: IncomingBody;
  readonly token: string | undefined;
  /** Set only by code in the same process, for calls of the typed library. */
  readonly identity?: Identity;
  readonly dialect: Dialect;
  /** Value of the header for response wrapping, if sent. */
  readonly wrapTtl?: string | undefined;
  readonly peer?: Peer;
  /** Scheme and host of the request; absent for calls in the same process. */
  readonly origin?: string;
}

/** A response before encoding. */
export interface Reply {
  readonly status: number;
  /** Header fields, frozen if many replies share them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | null;
  /** A streamed body, instead of `body`. */
  readonly stream?: ReadableStream<Uint8Array>;
  /** For a reply that depends only on its path: when its oldest input was read. */
  readonly since?: number | (() => number) | undefined;
  /** For such a reply: returns false as soon as this process changes an input. */
  isCurrent?(): boolean;
  /** Counts metrics of the reply, each time it is sent. */
  count?(meter: Meter): void;
}

/** The header fields of a request by lower-case name; repeated fields are joined by ", ". */
export interface HeaderFields {
  /** Returns the value of a header by its lower-case name; null if absent. */
  get(name: string): string | null;
  /** Reports whether a header was sent, by its lower-case name. */
  has(name: string): boolean;
}

/** A request body, which is read when caller and endpoint are known. */
export interface IncomingBody {
  /** Content length in bytes; undefined if not declared. */
  readonly length: number | undefined;
  /** Reads the body. Rejects above `limit` bytes with `too_large` and that message. */
  read(limit: number, tooLargeMessage: string): Promise<Uint8Array>;
}

/** A request as plain data, for any host. */
export interface IncomingRequest {
  /** As sent, such as `GET` or `LIST`. */
  readonly method: string;
  /** The whole URL. */
  readonly url: RequestUrl;
  /** Its headers. */
  readonly headers: HeaderFields;
  /** Its body, read on demand. */
  readonly body: IncomingBody;
}

/** A response as plain data. */
export interface OutgoingResponse {
  /** HTTP status. */
  readonly status: number;
  /** Header fields by lower-case name; the same object for responses with equal headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body; null without one. */
  readonly body: Uint8Array | string | ReadableStream<Uint8Array> | null;
}
