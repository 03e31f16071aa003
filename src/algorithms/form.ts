import { toHex, type Bytes } from "../base/bytes.ts";
import { bitString, integer, octets, oid, sequence } from "../base/der.ts";
import type { KeyAlgorithm } from "./algorithm.ts";

type Identified = Pick<KeyAlgorithm, "identifier">;
const zero = integer(0);

/** AlgorithmIdentifier of an algorithm's keys, DER. */
export const identifierOf = ({ identifier }: Identified): Bytes =>
  sequence(oid(identifier.oid), identifier.parameters);

/** SubjectPublicKeyInfo of the content of its BIT STRING. */
export const spkiOf = (algorithm: Identified, keyBits: Uint8Array): Bytes =>
  sequence(identifierOf(algorithm), bitString(keyBits));

/** PKCS#8 (RFC 5958) of the content of its OCTET STRING. */
export const pkcs8Of = (algorithm: Identified, key: Uint8Array): Bytes =>
  sequence(zero, identifierOf(algorithm), octets(key));

/** The unsigned number of big-endian bytes. */
export const bigintOf = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`);
