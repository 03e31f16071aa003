import { toHex, type Bytes } from "../base/bytes.ts";
import { bitString, integer, octets, oid, sequence } from "../base/der.ts";
import type { KeyAlgorithm } from "./algorithm.ts";

type Identified = Pick<KeyAlgorithm, "identifier">;
const zero = integer(0);

/** Encodes the AlgorithmIdentifier for keys of an algorithm. */
export const identifierOf = ({ identifier }: Identified): Bytes =>
  sequence(oid(identifier.oid), identifier.parameters);

/** Encodes SubjectPublicKeyInfo from the content of its BIT STRING. */
export const spkiOf = (algorithm: Identified, keyBits: Uint8Array): Bytes =>
  sequence(identifierOf(algorithm), bitString(keyBits));

/** Encodes PKCS#8 (RFC 5958) from the content of its OCTET STRING. */
export const pkcs8Of = (algorithm: Identified, key: Uint8Array): Bytes =>
  sequence(zero, identifierOf(algorithm), octets(key));

/** Converts big-endian bytes to an unsigned number. */
export const bigintOf = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`);
