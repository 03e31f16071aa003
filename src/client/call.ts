export type { DerSource } from "./der-source.ts";

/** An `AbortSignal`, if the platform has that type. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer T } }
  ? T
  : {
      /** Whether the signal is aborted. */
      readonly aborted: boolean;
      /** The reason why it was aborted. */
      readonly reason: unknown;
      /** Throws the reason if the signal was aborted. */
      throwIfAborted(): void;
    };

/** Options of one call. */
export interface CallOptions {
  /**
   * Aborts the call, which rejects with the signal's reason. If the authority has already begun a
   * change, the change may still be made. In the same process, a call that has begun always
   * continues to its end.
   */
  readonly signal?: Signal | undefined;
  /**
   * Milliseconds after which the call rejects with a `TimeoutError`, overriding the transport's
   * timeout.
   */
  readonly timeout?: number | undefined;
}

/** A call of a client, as plain data. */
export interface ClientCall extends CallOptions {
  /** GET, POST, PATCH, DELETE or LIST. */
  readonly method: string;
  /** Path, percent-encoded, with the leading slash. */
  readonly path: string;
  /** Names and values of the query parameters. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Media type of the body. Absent if there is no body. */
  readonly type?: string | undefined;
  /** The body. Absent if the method has no body. */
  readonly body?: Uint8Array | undefined;
  /** Lifetime of the wrapping token, such as "5m". If absent, the reply is not wrapped. */
  readonly wrapTtl?: string | undefined;
  /** Whether the API reads tokens only from `Authorization`. */
  readonly bearer?: boolean | undefined;
}
/** An HTTP response. */
export interface Answer {
  /** HTTP status. */
  readonly status: number;
  /** Header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as bytes or text, or null if there is none. */
  readonly body: Uint8Array | string | null;
}
/** Sends a call to an authority and resolves with the response. */
export type Transport = (call: ClientCall) => Promise<Answer>;

/** The result of an endpoint that returns bytes. */
export interface RawBytes {
  /** Media type. */
  readonly type: string;
  /** The body. */
  readonly bytes: Uint8Array;
}
/** A reply with a private key outside of an archive. */
export type WithPrivateKey<
  R extends { readonly private_key?: unknown; readonly private_key_type?: unknown },
> = R & Required<Pick<R, "private_key" | "private_key_type">>;
/** The result of a call whose reply has only warnings. */
export interface Warned {
  /** The warnings. */
  readonly warnings: readonly string[];
}
/** The warnings of a reply that also has other members. */
export type Warnings = {
  /** The warnings. Absent if there are none. */
  readonly warnings?: readonly string[];
};
/** The result of a wrapped call (A 1.6). */
export interface WrapInfo {
  /** The wrapping token, which unwraps the reply once. */
  readonly token: string;
  /** Identifies the token in logs; it cannot unwrap the reply. */
  readonly accessor: string;
  /** Lifetime of the token, seconds. */
  readonly ttl: number;
  /** Time at which the reply was wrapped, RFC 3339. */
  readonly creation_time: string;
  /** Path of the request whose reply was wrapped. */
  readonly creation_path: string;
  /** If the reply contains a token, the accessor of this token. Otherwise absent. */
  readonly wrapped_accessor?: string;
}
