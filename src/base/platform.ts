/**
 * A WebCrypto key. This is the platform's own type if its types are present, and otherwise an
 * opaque type, because `any` would accept every value as a key.
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
  // Public types refer to these interfaces, even in programs without platform types. If platform
  // types are present, the empty declarations are merged into them and add nothing.
  /* oxlint-disable typescript/no-empty-object-type, typescript/no-explicit-any */
  interface AbortSignal {}
  interface ReadableStream<R = any> {}
  interface Request {}
  interface Response {}
  interface URLSearchParams {}
  interface WritableStream<W = any> {}
  /* oxlint-enable */
}
