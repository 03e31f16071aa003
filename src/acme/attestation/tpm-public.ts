import { concat, asBytes, type Bytes } from "../../base/bytes.ts";
import { bitString, integer, nullValue, oid, sequence } from "../../base/der.ts";
import { byteReader, type ByteReader } from "./byte-reader.ts";
import { badAttestation } from "./format.ts";

/** Algorithm identifiers of a TPM (TCG Algorithm Registry) that occur in public areas. */
const algorithm = { rsa: 0x0001, none: 0x0010, ecc: 0x0023, rsaes: 0x0015, ecdaa: 0x001a } as const;
/** WebCrypto names of TPM hash algorithms. SHA-1 is not accepted. */
const hashes: ReadonlyMap<number, string> = new Map([
  [0x000b, "SHA-256"],
  [0x000c, "SHA-384"],
  [0x000d, "SHA-512"],
]);
/**
 * Returns the WebCrypto name of a TPM hash algorithm, or undefined for SHA-1 and unknown
 * algorithms.
 */
export const hashOfTpm = (id: number): string | undefined => hashes.get(id);

/** TPM curves: object identifier, and length of a coordinate in octets. */
const curves: ReadonlyMap<number, { readonly oid: string; readonly size: number }> = new Map([
  [0x0003, { oid: "1.2.840.10045.3.1.7", size: 32 }],
  [0x0004, { oid: "1.3.132.0.34", size: 48 }],
  [0x0005, { oid: "1.3.132.0.35", size: 66 }],
]);

/**
 * The attributes of a key that never leaves its TPM and was generated there (TPM 2.0 Library,
 * part 2, section 8.3).
 */
const required = [
  ["fixedTPM", 1 << 1],
  ["fixedParent", 1 << 4],
  ["sensitiveDataOrigin", 1 << 5],
] as const;

/** The public area of a key in a TPM. */
interface TpmPublicArea {
  /** DER-encoded SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  /** The name of the key: algorithm and hash of the public area (part 1, section 16). */
  readonly name: Uint8Array;
}

/**
 * Parses a TPMT_PUBLIC (TPM 2.0 Library, part 2, section 12.2.4). Rejects keys that may exist
 * outside of their TPM.
 */
export async function parsePublicArea(area: Uint8Array): Promise<TpmPublicArea> {
  const reader = byteReader(area, "pubArea");
  const type = reader.u16("the type");
  const nameAlg = reader.u16("the name algorithm");
  const attributes = reader.u32("the attributes");
  reader.sized("the policy");
  const spki = keyIn(reader, type);
  reader.end();
  const missing = required.find(([, bit]) => (attributes & bit) === 0);
  if (missing)
    throw badAttestation(`the attested key is not ${missing[0]}: it may exist outside of a TPM`);
  return { spki, name: await nameOf(nameAlg, area) };
}
async function nameOf(nameAlg: number, area: Uint8Array): Promise<Uint8Array> {
  const hash = hashOfTpm(nameAlg);
  if (hash === undefined)
    throw badAttestation(`the name algorithm 0x${nameAlg.toString(16)} of pubArea is not accepted`);
  const digest = await crypto.subtle.digest(hash, asBytes(area));
  return concat([Uint8Array.of(nameAlg >> 8, nameAlg & 0xff), new Uint8Array(digest)]);
}

function keyIn(reader: ByteReader, type: number): Bytes {
  if (type === algorithm.rsa) return rsaKey(reader);
  if (type === algorithm.ecc) return ecKey(reader);
  throw badAttestation(`the key type 0x${type.toString(16)} of pubArea is not supported`);
}
function rsaKey(reader: ByteReader): Bytes {
  skipSymmetric(reader);
  skipScheme(reader);
  const bits = reader.u16("the key size");
  const exponent = reader.u32("the exponent") || 65_537;
  const modulus = reader.sized("the modulus");
  if (modulus.length * 8 !== bits || (modulus[0] ?? 0) < 0x80)
    throw badAttestation(`the modulus of pubArea does not have ${bits} bits`);
  const key = sequence(integer(modulus), integer(exponent));
  return sequence(sequence(oid("1.2.840.113549.1.1.1"), nullValue), bitString(key));
}

function ecKey(reader: ByteReader): Bytes {
  skipSymmetric(reader);
  skipScheme(reader);
  const id = reader.u16("the curve");
  skipScheme(reader);
  const [x, y] = [reader.sized("x"), reader.sized("y")];
  const curve = curves.get(id);
  if (!curve) throw badAttestation(`the curve 0x${id.toString(16)} of pubArea is not supported`);
  const point = concat([Uint8Array.of(4), padded(x, curve.size), padded(y, curve.size)]);
  return sequence(sequence(oid("1.2.840.10045.2.1"), oid(curve.oid)), bitString(point));
}
/** Returns a coordinate at its full length; a TPM may omit leading zeros. */
function padded(coordinate: Uint8Array, size: number): Bytes {
  if (coordinate.length > size)
    throw badAttestation(`a coordinate of pubArea has more than ${size} bytes`);
  return concat([new Uint8Array(size - coordinate.length), coordinate]);
}

/** Skips a TPMT_SYM_DEF_OBJECT, which only storage keys have. */
function skipSymmetric(reader: ByteReader): void {
  if (reader.u16("the symmetric algorithm") !== algorithm.none)
    reader.bytes(4, "the symmetric algorithm");
}
/** Skips a scheme and its parameters, if any. */
function skipScheme(reader: ByteReader): void {
  const scheme = reader.u16("the scheme");
  if (scheme === algorithm.none || scheme === algorithm.rsaes) return;
  reader.bytes(scheme === algorithm.ecdaa ? 4 : 2, "the scheme");
}
