export type { DerSource } from "./der-source.ts";

/** An `AbortSignal`, if the platform has that type. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer T } }
  ? T
  : {
      /** Whether it is aborted. */
      readonly aborted: boolean;
      /** The reason why it was aborted. */
      readonly reason: unknown;
      /** Throws the reason if it was aborted. */
      throwIfAborted(): void;
    };

/** Options of one call. */
export interface CallOptions {
  /**
   * Aborts the call, which rejects with the signal's reason. A change that the authority has begun
   * may still be made; in the same process, a call that has begun continues to its end.
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
  /** Names and values of the query. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Media type of the body; absent without one. */
  readonly type?: string | undefined;
  /** Body; absent if the method has none. */
  readonly body?: Uint8Array | undefined;
  /** Wraps the reply for this time, such as "5m". */
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
  /** Body, as bytes or text; null without one. */
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
  /** Warnings, one text each. */
  readonly warnings: readonly string[];
}
/** The warnings of a reply that also has other members. */
export type Warnings = {
  /** Warnings, one text each; absent if there are none. */
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
  /** When it was wrapped, RFC 3339. */
  readonly creation_time: string;
  /** Path of the request whose reply was wrapped. */
  readonly creation_path: string;
  /** Accessor of the wrapped token; absent for other replies. */
  readonly wrapped_accessor?: string;
}
