/** What a handler may choose of its reply. */
export interface ReplyOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}
/** A handler's outcome on its way to a style. */
export interface Outcome {
  readonly data: unknown;
  readonly warnings: readonly string[];
  readonly lease: { readonly id: string; readonly seconds: number } | undefined;
  /** A token that was made or renewed. */
  readonly auth?: AuthReply | undefined;
  /** Unix milliseconds. */
  readonly modified?: number | undefined;
  readonly sharesDate?: boolean | undefined;
  /** Status of the reply, where it has data. */
  readonly status: number;
  /** Headers that the handler adds. */
  readonly headers?: ReplyOptions["headers"];
  /** What stands for the reply when it is wrapped. */
  readonly wrapInfo?: WrapInfo | undefined;
}

/** Bytes with their own media type, for the raw style. */
export interface RawReply {
  readonly type: string;
  readonly bytes: Uint8Array | string;
  /** Unix milliseconds; judged against If-Modified-Since. */
  readonly modified?: number;
  /**
   * Whether something else may have been here in the same second: then that date alone does not say
   * that it is the same.
   */
  readonly sharesDate?: boolean | undefined;
  /** Entity tag, quoted; judged against If-None-Match. */
  readonly etag?: string;
  /** Seconds a cache may keep it. */
  readonly maxAge?: number;
  /**
   * Where it depends on the path alone: when the oldest of what it is made of was read, Unix
   * milliseconds. It may then be given again until that is a second old (D 4).
   */
  readonly since?: number;
}

/** The member `auth` of the reply to a login, and to what makes or renews a token (P 9.6). */
export interface AuthReply {
  readonly client_token: string;
  /** Empty for a batch token. */
  readonly accessor: string;
  /** The token's own policies and those of its entity. */
  readonly policies: readonly string[];
  readonly token_policies: readonly string[];
  readonly identity_policies?: readonly string[];
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Seconds until it ends; 0: it does not. */
  readonly lease_duration: number;
  readonly renewable: boolean;
  readonly entity_id: string;
  readonly token_type: "service" | "batch";
  readonly orphan: boolean;
  readonly mfa_requirement: null;
  readonly num_uses: number;
}

/**
 * What a client gets in the place of a wrapped reply (A 1.6): `ttl` in seconds, `creation_time` as
 * RFC 3339.
 */
export interface WrapInfo {
  readonly token: string;
  readonly accessor: string;
  readonly ttl: number;
  readonly creation_time: string;
  readonly creation_path: string;
  /** Accessor of the token, or of the secret id of an AppRole, that is behind this one. */
  readonly wrapped_accessor?: string;
}
