import { equalBytes } from "../base/bytes.ts";
import type { Batch, Page, Store } from "../engine/ports.ts";

/** Returns bytes that depend only on the length and the seed. */
export const bytes = (length: number, seed = 1): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => (at * 31 + seed) & 0xff);
/** Returns a large byte array that depends only on the length and the seed. */
export const manyBytes = (length: number, seed: number): Uint8Array => {
  const block = bytes(4096, seed);
  const all = new Uint8Array(length);
  for (let at = 0; at < length; at += block.length) all.set(block.subarray(0, length - at), at);
  return all;
};
/** Reports whether a value is the byte array that `manyBytes` returns for the same arguments. */
export const isManyBytes = (value: unknown, length: number, seed: number): boolean =>
  value instanceof Uint8Array && equalBytes(value, manyBytes(length, seed));
/** Returns the keys of a listing. */
export const keysOf = async (store: Store, prefix: string, page?: Page): Promise<string[]> =>
  (await store.list(prefix, page)).map(([key]) => key);
/** Reads a single row. */
export const one = async (store: Store, key: string) => (await store.get([key]))[0];
/** Returns a batch that puts rows whose values equal their keys. */
export const put = (...keys: string[]): Batch => ({ put: keys.map((key) => [key, key]) });
