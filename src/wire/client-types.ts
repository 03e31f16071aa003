import type { WrapInfo } from "./wrapped.ts";
import type { AnyEndpoint } from "./endpoint.ts";
import type { Field, Parsed, Sent, Shape } from "./field.ts";
import type { AllParams } from "./path-params.ts";

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
  ? Sent<B> & AllParams<P> & RestOf<E>
  : never;
/** What may be sent besides, to an endpoint that hands on what it does not declare. */
type RestOf<E> = E extends { readonly rest?: infer T }
  ? true extends T
    ? { readonly [name: string]: unknown }
    : unknown
  : unknown;
type Arguments<T> = Partial<T> extends T ? [input?: T] : [input: T];
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
