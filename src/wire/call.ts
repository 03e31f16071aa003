import type { RequestUrl } from "../base/request-url.ts";
import type { Identity, Meter } from "../engine/ports.ts";
import type { Dialect } from "./dialect.ts";

/** User name and password of HTTP Basic (RFC 7617). */
export interface Basic {
  readonly name: string;
  readonly password: string;
}

/** Who is at the other end of the connection, as the platform says: never a header's word. */
export interface Peer {
  readonly address?: string | undefined;
  /**
   * What the client has shown of itself in the TLS handshake, DER, its own first, whose key it has
   * proven to hold; whether to trust it is judged here. Empty: nothing that counts. Absent: the
   * platform does not tell.
   */
  readonly tlsChain?: readonly Uint8Array[] | undefined;
}

/**
 * A request as plain data: no runtime may refuse its method (workerd and node:http both reject
 * LIST).
 */
export interface Call {
  /** GET, POST, PATCH, DELETE, LIST: already normalised; "" for any other. */
  readonly method: string;
  /** A GET of which only the headers are wanted. */
  readonly head?: boolean;
  /** Path as it arrived, percent-encoded, from the leading slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | null;
  readonly body: Uint8Array;
  /** The body where it is still to be read; `body` is empty then. */
  readonly unread?: IncomingBody;
  readonly token: string | undefined;
  /** Set by code in the same process only: calls of the typed library. */
  readonly identity?: Identity;
  readonly dialect: Dialect;
  /** What the header for response wrapping says; absent where none came. */
  readonly wrapTtl?: string | undefined;
  readonly peer?: Peer;
  /** Scheme and host that the request was sent to; absent for calls in the same process. */
  readonly origin?: string;
}

/** What goes back over the wire. */
export interface Reply {
  readonly status: number;
  /** Frozen where they are the same for many replies. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | null;
  /** In the place of `body`: a body that is made while it is sent. */
  readonly stream?: ReadableStream<Uint8Array>;
  /** Of a reply that depends on its path alone: when the oldest of what it is made of was read. */
  readonly since?: number | (() => number) | undefined;
  /** Of such a reply: false once something that it is made of was changed here. */
  isCurrent?(): boolean;
  /** Counts what the reply says, once for each time it is sent. */
  count?(meter: Meter): void;
}

/** The header fields of a request by their names in lower case; repeated ones joined by ", ". */
export interface HeaderFields {
  get(name: string): string | null;
  has(name: string): boolean;
}

/** The body of a request, which is read once it is known whose it is, and for what. */
export interface IncomingBody {
  /** Bytes; undefined where the length was not announced. */
  readonly length: number | undefined;
  /** Rejects with `too_large` and the text `told` above `limit` bytes. */
  read(limit: number, told: string): Promise<Uint8Array>;
}

/** A request as plain data, however the host has read it. */
export interface IncomingRequest {
  /** As it was sent, such as `GET` or `LIST`. */
  readonly method: string;
  readonly url: RequestUrl;
  readonly headers: HeaderFields;
  readonly body: IncomingBody;
}

/** A response as plain data. */
export interface OutgoingResponse {
  readonly status: number;
  /** By names in lower case; the same object for many responses where they do not differ. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | ReadableStream<Uint8Array> | null;
}
