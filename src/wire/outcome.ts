/** Options of a reply that a handler may set. */
export interface ReplyOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}
/** The result of a handler, before its style renders it. */
export interface Outcome {
  readonly data: unknown;
  readonly warnings: readonly string[];
  readonly lease: { readonly id: string; readonly seconds: number } | undefined;
  /** A new or renewed token. */
  readonly auth?: AuthReply | undefined;
  /** Unix milliseconds. */
  readonly modified?: number | undefined;
  readonly sharesDate?: boolean | undefined;
  /** Status of the reply if it has data. */
  readonly status: number;
  /** Headers that the handler adds. */
  readonly headers?: ReplyOptions["headers"];
  /** Wrapping information that replaces the reply. */
  readonly wrapInfo?: WrapInfo | undefined;
}

/** Bytes with their own media type, for the raw style. */
export interface RawReply {
  readonly type: string;
  readonly bytes: Uint8Array | string;
  /** Unix milliseconds; compared with If-Modified-Since. */
  readonly modified?: number;
  /**
   * Whether other content may have existed in the same second, so that the date alone does not
   * identify it.
   */
  readonly sharesDate?: boolean | undefined;
  /** Entity tag, quoted; compared with If-None-Match. */
  readonly etag?: string;
  /** Maximum cache age, seconds. */
  readonly maxAge?: number;
  /**
   * For a reply that depends only on its path: when its oldest input was read (Unix ms). It may be
   * repeated until that is a second ago (D 4).
   */
  readonly since?: number;
}

/** The member `auth` of a reply that issues or renews a token (P 9.6). */
export interface AuthReply {
  readonly client_token: string;
  /** Accessor; empty for a batch token. */
  readonly accessor: string;
  /** The token's own policies and those of its entity. */
  readonly policies: readonly string[];
  readonly token_policies: readonly string[];
  readonly identity_policies?: readonly string[];
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Seconds until it expires; 0: never. */
  readonly lease_duration: number;
  readonly renewable: boolean;
  readonly entity_id: string;
  readonly token_type: "service" | "batch";
  readonly orphan: boolean;
  readonly mfa_requirement: null;
  readonly num_uses: number;
}

/** Replaces a wrapped reply (A 1.6): `ttl` in seconds, `creation_time` as RFC 3339. */
export interface WrapInfo {
  readonly token: string;
  readonly accessor: string;
  readonly ttl: number;
  readonly creation_time: string;
  readonly creation_path: string;
  /** Accessor of the token, or of the AppRole secret id, in the wrapped reply. */
  readonly wrapped_accessor?: string;
}
