/**
 * A WebCrypto key: the platform's own type if its types are present. Otherwise an opaque type,
 * because `any` would let every value pass for a key.
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
  // Public types refer to these interfaces even in programs without platform types. With platform
  // types, the empty declarations merge into the existing ones and add nothing.
  /* oxlint-disable typescript/no-empty-object-type, typescript/no-explicit-any */
  interface AbortSignal {}
  interface ReadableStream<R = any> {}
  interface Request {}
  interface Response {}
  interface URLSearchParams {}
  interface WritableStream<W = any> {}
  /* oxlint-enable */
}
