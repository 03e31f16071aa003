import type { Refusal } from "../base/errors.ts";
import type { Deployment } from "../engine/deployment.ts";
import type { Mount } from "../engine/mount.ts";
import type { Unit } from "../engine/unit.ts";
import type { Capability, Entity, Identity } from "../engine/ports.ts";
import type { WrapInfo } from "../engine/wrapped.ts";
import type { Dialect } from "./dialect.ts";
import type { Field, Parsed, Sent, Shape } from "./field.ts";

/**
 * A request as plain data: no runtime may refuse its method (workerd and node:http both reject
 * LIST).
 */
export interface Call {
  /** GET, POST, PATCH, DELETE, LIST: already normalised. */
  readonly method: string;
  /** Path as it arrived, percent-encoded, from the leading slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | null;
  readonly body: Uint8Array;
  readonly token: string | undefined;
  /** Set by code in the same process only: calls of the typed library. */
  readonly identity?: Identity;
  readonly dialect: Dialect;
  /** What the header for response wrapping says; absent where none came. */
  readonly wrapTtl?: string | undefined;
}
/** What goes back over the wire. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | null;
  /** Code of the refusal, for callers in the same process; nothing of it is sent. */
  readonly refusal?: Refusal;
}

/** The endpoints of a mount, those of `sys`, and those below `/v1/auth`. */
export interface Tables {
  readonly mount: readonly AnyEndpoint<Mount>[];
  readonly sys: readonly AnyEndpoint<Deployment>[];
  readonly auth: readonly AnyEndpoint<Deployment>[];
}
/** What a handler learns about the one who asks, and what it may add to the reply and the log. */
export interface Caller {
  readonly id: string;
  readonly policies: readonly string[];
  readonly entity: Entity | undefined;
  /** When the caller's token expires, Unix milliseconds; absent: never. */
  readonly expires?: number | undefined;
  readonly dialect: Dialect;
  can(capability: Capability, path: string): boolean;
  /** Adds a warning to the reply. */
  warn(warning: string): void;
  /** Adds fields to the log event of this call. Never secrets. */
  note(fields: Readonly<Record<string, string | number | boolean>>): void;
  /**
   * Says when what is shown last changed, Unix milliseconds: judged against If-Modified-Since as in
   * the raw style.
   */
  modified(at: number): void;
  /** Gives the reply a lease: seconds until it ends. */
  lease(id: string, seconds: number): void;
  /**
   * Seconds for which the reply is wanted behind a wrapping token; absent: it is wanted as it is.
   */
  readonly wrapTtl?: number | undefined;
  /**
   * Puts the reply behind its wrapping token, to be called before what it tells of is committed: a
   * private key that is stored nowhere else is then behind the token before its certificate exists.
   * `beside`: what the reply will carry besides. Absent where the reply is given as it is.
   */
  keep?(reply: unknown, beside?: Pick<Outcome, "warnings" | "lease">): Promise<void>;
  /** What can be called here, for what describes or repeats calls. */
  readonly tables: Tables;
  /** Names of the members that the request really carried. */
  readonly sent: ReadonlySet<string>;
}

/** A handler's outcome on its way to a style. */
export interface Outcome {
  readonly data: unknown;
  readonly warnings: readonly string[];
  readonly lease: { readonly id: string; readonly seconds: number } | undefined;
  /** Unix milliseconds. */
  readonly modified?: number | undefined;
  /** What stands for the reply when it is wrapped. */
  readonly wrapInfo?: WrapInfo | undefined;
}
/** How a family of endpoints looks on the wire. */
export interface Style {
  readonly name: "envelope" | "plain" | "raw" | "jsonapi";
  /**
   * The envelope's member that the declared reply stands in, where it is never empty; `data`, or
   * nothing at all, unless said.
   */
  readonly holds?: "data" | "wrap_info";
  /** The members of the request's body. */
  read(call: Call): Readonly<Record<string, unknown>>;
  reply(outcome: Outcome, call: Call, endpoint: AnyEndpoint, requestId: string): Reply;
  refuse(error: unknown, call: Call): Reply;
}
/**
 * Who may call. `open` ignores tokens; `known` needs a valid one; the others need one whose
 * policies grant the method's capability.
 */
export type Access = "token" | "sudo" | "known" | "open";

/**
 * What the members that were sent must keep among each other; `none` and `many` replace the texts
 * of refusals.
 */
export type Rule<K extends string> =
  | { readonly exactlyOne: readonly K[]; readonly none?: string; readonly many?: string }
  | { readonly together: readonly K[] };

type Method = "GET" | "POST" | "PATCH" | "DELETE" | "LIST";
type Params<P extends string> = P extends `${infer A}(/:${infer O})${infer B}`
  ? Params<A> & { [K in Bare<O>]?: string } & Params<B>
  : P extends `${string}:${infer N}/${infer Rest}`
    ? { [K in Bare<N>]: string } & Params<`/${Rest}`>
    : P extends `${string}:${infer N}`
      ? { [K in Bare<N>]: string }
      : object;
type Bare<N extends string> = N extends `${infer B}+` ? B : N;
type Keys<U> = U extends unknown ? keyof U : never;
/** A parameter of every spelling is required; one of only some spellings is optional. */
type AllParams<P extends string> = { readonly [K in keyof Params<P>]: string } & {
  readonly [K in Exclude<Keys<Params<P>>, keyof Params<P>>]?: string;
};

/** What an endpoint's handler gets as `input`. */
export type Input<B extends Shape, P extends string> = Parsed<B> & AllParams<P>;

/**
 * One endpoint: route, validation, types, client, OpenAPI and reference are derived from it. `On`:
 * what its handler works on.
 */
export interface Endpoint<
  Id extends string,
  P extends string,
  B extends Shape,
  R extends Shape,
  On = never,
> {
  readonly id: Id;
  /**
   * Method and path below the mount; `(/:name)` spells both paths, `:name+` takes slashes too.
   * Twins are further spellings.
   */
  readonly at: readonly P[];
  readonly access: Access;
  readonly style: Style;
  readonly doc: string;
  readonly body: B;
  readonly rules?: readonly Rule<keyof B & string>[];
  readonly reply: R;
  /** May answer no data but warnings instead, although a reply is declared. */
  readonly nullable?: boolean;
  /**
   * A dry run asks for the capability of the path it stands for: the part of the path that it
   * replaces `explain/<this>` by.
   */
  readonly asks?: string;
  /** The members of `data` stand at the top level of the answer too (P 9.1.3). */
  readonly hoist?: boolean;
  /** Members that clients send and that mean nothing here: accepted without a warning. */
  readonly ignores?: readonly string[];
  /**
   * Parameters that the paths spell out one by one: members of these names are replaced by the path
   * like any parameter (A 1.4).
   */
  readonly captures?: readonly string[];
  /** Members that are not declared arrive in `input.rest` and draw no warning. */
  readonly rest?: boolean;
  readonly refuses?: readonly Refusal[];
  /**
   * Answers `undefined` for an empty reply (204 on writes, 404 on reads), null for one with `data:
   * null`.
   */
  run(ca: On, input: Input<B, P>, caller: Caller): Promise<Parsed<R> | RawReply | null | undefined>;
}
/** Bytes with their own media type, for the raw style. */
export interface RawReply {
  readonly type: string;
  readonly bytes: Uint8Array | string;
  /** Unix milliseconds; judged against If-Modified-Since. */
  readonly modified?: number;
  /** Entity tag, quoted; judged against If-None-Match. */
  readonly etag?: string;
  /** Seconds a cache may keep it. */
  readonly maxAge?: number;
}
/** What the types of a client depend on beside an endpoint's members. */
export interface Answers<S extends Style, W extends Field<unknown> | undefined> {
  readonly style: S;
  /** The reply as one field where the names of its members are data; `reply` has none then. */
  readonly whole?: W;
}
const declares =
  <On>() =>
  <
    const Id extends string,
    const P extends `${Method} /${string}`,
    B extends Shape,
    R extends Shape,
    S extends Style,
    W extends Field<unknown> | undefined = undefined,
  >(
    e: Endpoint<Id, P, B, R, On> & Answers<S, W>,
  ): Endpoint<Id, P, B, R, On> & Answers<S, W> =>
    e;
/** Declares an endpoint of a mount; the types of its input and reply come from the declaration. */
export const endpoint = declares<Mount>();
/** Declares an endpoint of `sys` or `auth`, which concerns all mounts. */
export const systemEndpoint = declares<Deployment>();
/** Declares an endpoint of an API beside the mounts, which has one store. */
export const unitEndpoint = declares<Unit>();

/** Any endpoint, as the machinery sees it. */
export interface AnyEndpoint<On = never> extends Omit<
  Endpoint<string, string, Shape, Shape>,
  "run" | "rules"
> {
  readonly rules?: readonly Rule<string>[];
  readonly whole?: Field<unknown> | undefined;
  // `never` because a handler's input is contravariant: only the dispatcher, which parsed it by
  // `body`, may call this
  run(ca: On, input: never, caller: Caller): Promise<unknown>;
}
/** What a client gets of an endpoint that answers with bytes. */
export interface RawBytes {
  readonly type: string;
  readonly bytes: Uint8Array;
}
type ReplyOf<E> = E extends { readonly style: { readonly name: "raw" } }
  ? RawBytes | undefined
  : E extends { readonly reply: infer R extends Shape; readonly whole?: infer W }
    ? [NonNullable<W>] extends [never]
      ? Members<R>
      : [NonNullable<W>] extends [Field<infer T>]
        ? T
        : Members<R>
    : never;
type Members<R extends Shape> = keyof R extends never
  ? { readonly warnings: readonly string[] } | undefined
  : Parsed<R> & { readonly warnings?: readonly string[] };
type SentTo<E> = E extends {
  readonly body: infer B extends Shape;
  readonly at: readonly (infer P extends string)[];
}
  ? Sent<B> & AllParams<P>
  : never;
type Arguments<T> = object extends T ? [input?: T] : [input: T];
/**
 * A typed client: one method an endpoint, its input optional where nothing is demanded. Replies
 * carry `warnings` beside their own members. Endpoints that have nothing to say give `undefined`,
 * or their warnings where there are some; endpoints that answer with bytes give their media type
 * too.
 */
export type Client<Es extends readonly AnyEndpoint[]> = {
  readonly [E in Es[number] as E["id"]]: (...sent: Arguments<SentTo<E>>) => Promise<ReplyOf<E>>;
};
/** A typed client whose replies are behind wrapping tokens. */
export type WrappedClient<Es extends readonly AnyEndpoint[]> = {
  readonly [E in Es[number] as E["id"]]: (...sent: Arguments<SentTo<E>>) => Promise<WrapInfo>;
};
export type { Field, WrapInfo };
