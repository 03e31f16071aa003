/**
 * A key of WebCrypto: the platform's own type where its types are there. One that stood for
 * anything where they are not would let any value pass for a key.
 */
export type CryptoKey = typeof globalThis extends { CryptoKey: { prototype: infer T } }
  ? T
  : {
      readonly type: string;
      readonly extractable: boolean;
      readonly algorithm: object;
      readonly usages: readonly string[];
    };

declare global {
  // Public types name these, also in programs that have no types of a platform. Where it has them,
  // they are the same, to which nothing is added.
  /* oxlint-disable typescript/no-empty-object-type, typescript/no-explicit-any */
  interface AbortSignal {}
  interface ReadableStream<R = any> {}
  interface Request {}
  interface Response {}
  interface URLSearchParams {}
  interface WritableStream<W = any> {}
  /* oxlint-enable */
}
