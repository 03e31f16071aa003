import type { RequestUrl } from "../base/request-url.ts";

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
