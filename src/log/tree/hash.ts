import { sha256 } from "@noble/hashes/sha2.js";
import { asBytes, concat, type Bytes } from "../../base/bytes.ts";

/** Length of a hash in bytes. */
export const hashLength = 32;
const [leafMark, nodeMark] = [Uint8Array.of(0), Uint8Array.of(1)];

/** Returns the SHA-256 of bytes. */
export const digestOf = (bytes: Uint8Array): Bytes => asBytes(sha256(bytes));
/** A function that returns the SHA-256 of bytes, such as the platform's. */
export type Digest = (bytes: Uint8Array) => Uint8Array;
/** Returns the leaf hash of an entry (RFC 6962 section 2.1). */
export function hashLeaf(entry: Uint8Array, digest: Digest = digestOf): Uint8Array {
  if (entry.length >= leafInput.length) return digest(concat([leafMark, entry]));
  leafInput.set(entry, leafMark.length);
  return digest(leafInput.subarray(0, leafMark.length + entry.length));
}
/** Returns the hash of an inner node (RFC 6962 section 2.1). */
export function hashNode(
  left: Uint8Array,
  right: Uint8Array,
  digest: Digest = digestOf,
): Uint8Array {
  if (left.length !== hashLength || right.length !== hashLength)
    return digest(concat([nodeMark, left, right]));
  nodeInput.set(left, 1);
  nodeInput.set(right, 1 + hashLength);
  return digest(nodeInput);
}
/**
 * Input buffers that are reused for all hashes, which is safe because hashing is synchronous. Most
 * entries fit into them.
 */
const leafInput = concat([leafMark, new Uint8Array(4095)]);
const nodeInput = concat([nodeMark, new Uint8Array(2 * hashLength)]);
/** Returns the root of the empty tree (RFC 6962 section 2.1). */
export const emptyRoot = (): Bytes => digestOf(new Uint8Array());

/** Splits concatenated hashes. */
export const hashesIn = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.floor(bytes.length / hashLength) }, (_, i) =>
    bytes.subarray(i * hashLength, (i + 1) * hashLength),
  );
/** Returns the root of a perfect subtree. The number of hashes must be a power of two. */
export function rootOfPerfect(hashes: readonly Uint8Array[], digest?: Digest): Uint8Array {
  let level = hashes;
  while (level.length > 1)
    level = Array.from({ length: level.length / 2 }, (_, i) =>
      hashNode(level[2 * i] ?? noHash, level[2 * i + 1] ?? noHash, digest),
    );
  return level[0] ?? noHash;
}
const noHash = new Uint8Array(hashLength);
