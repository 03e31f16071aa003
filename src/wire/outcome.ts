/** Options that a handler may set for the response. */
export interface ReplyOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}
/** The result of a handler, before a style formats it. */
export interface Outcome {
  readonly data: unknown;
  readonly warnings: readonly string[];
  readonly lease: { readonly id: string; readonly seconds: number } | undefined;
  /** A new or renewed token. */
  readonly auth?: AuthReply | undefined;
  /** Time of the last change, Unix milliseconds. */
  readonly modified?: number | undefined;
  readonly sharesDate?: boolean | undefined;
  /** Status of the response if it has data. */
  readonly status: number;
  /** Headers that the handler added. */
  readonly headers?: ReplyOptions["headers"];
  /** Wrapping information, which replaces the data. */
  readonly wrapInfo?: WrapInfo | undefined;
}

/** A response body with its media type, for the raw style. */
export interface RawReply {
  readonly type: string;
  readonly bytes: Uint8Array | string;
  /** Time of the last change in Unix ms, compared with If-Modified-Since. */
  readonly modified?: number;
  /**
   * Whether the content may have changed within the same second, so that the date alone does not
   * identify it.
   */
  readonly sharesDate?: boolean | undefined;
  /** Quoted entity tag, compared with If-None-Match. */
  readonly etag?: string;
  /** Value of max-age in Cache-Control, in seconds. */
  readonly maxAge?: number;
  /**
   * The time in Unix ms at which the oldest input of the response was read. Set if the response
   * depends only on the path. It may then be sent again until one second after that time (D 4).
   */
  readonly since?: number;
}

/** The `auth` member of a response that issues or renews a token (P 9.6). */
export interface AuthReply {
  readonly client_token: string;
  /** Accessor of the token; empty for a batch token. */
  readonly accessor: string;
  /** The policies of the token and of its entity. */
  readonly policies: readonly string[];
  readonly token_policies: readonly string[];
  readonly identity_policies?: readonly string[];
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Time until the token expires in seconds, or 0 if it never expires. */
  readonly lease_duration: number;
  readonly renewable: boolean;
  readonly entity_id: string;
  readonly token_type: "service" | "batch";
  readonly orphan: boolean;
  readonly mfa_requirement: null;
  readonly num_uses: number;
}

/**
 * The member that replaces a wrapped response (A 1.6). `ttl` is in seconds, `creation_time` in the
 * format of RFC 3339.
 */
export interface WrapInfo {
  readonly token: string;
  readonly accessor: string;
  readonly ttl: number;
  readonly creation_time: string;
  readonly creation_path: string;
  /** Accessor of the token or AppRole secret ID that the wrapped response contains. */
  readonly wrapped_accessor?: string;
}
