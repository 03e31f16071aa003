import { concat, equalBytes, type Bytes } from "../base/bytes.ts";
import { bitString, explicit, integer, octets, oid, readDer, sequence } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import type { EcKey, KeyAlgorithm, KeyPair, OlderForm, ReadKey } from "./algorithm.ts";
import type { Curve } from "./curve.ts";
import { identifierOf, pkcs8Of, spkiOf } from "./form.ts";

/**
 * Returns the AlgorithmIdentifier for keys on a curve: id-ecPublicKey with the curve as its
 * parameters (RFC 5480 section 2.1.1).
 */
export const ecIdentifier = (curve: string): KeyAlgorithm["identifier"] => ({
  oid: "1.2.840.10045.2.1",
  parameters: oid(curve),
});

const one = integer(1);
const refused = (why: string): CaError => new CaError("bad_key", `EC private key: ${why}`);

/** A parsed ECPrivateKey (RFC 5915). */
interface Parts {
  readonly scalar: Uint8Array;
  /** Object identifier of the curve, if the key contains one. */
  readonly curve: string | undefined;
  /** The public point in any encoding, if the key contains it. */
  readonly point: Uint8Array | undefined;
}

function partsOf(der: Uint8Array): Parts {
  const key = readDer(der, "EC private key").enter("ECPrivateKey");
  if (key.number("the version") !== 1) throw refused("unknown version");
  const scalar = key.octets("the key");
  const named = key.optional("the curve", 0xa0);
  if (named && named.tag !== 0x06)
    throw refused("only named curves are supported, not explicit parameters");
  const curve = named?.oid("the curve");
  named?.end();
  const bits = key.optional("the public key", 0xa1);
  const point = bits?.wholeBits("the point");
  bits?.end();
  key.end();
  return { scalar, curve, point };
}

/**
 * Returns a view of the scalar in a private key in canonical encoding. Throws `CaError` if the key
 * is malformed.
 */
export const scalarOf = (key: Uint8Array): Uint8Array => partsOf(key).scalar;

/** Encodes an ECPrivateKey without the curve, as in PKCS#8. */
const ecPrivateKey = (scalar: Uint8Array, point: Uint8Array): Uint8Array =>
  sequence(one, octets(scalar), explicit(1, bitString(point)));

/**
 * Reports whether an encoded point equals `point`, which is uncompressed. The encoding may be
 * compressed: 02 or 03 for the parity of y, then x.
 */
function samePoint(encoded: Uint8Array, point: Uint8Array): boolean {
  if (encoded[0] === 4) return equalBytes(encoded, point);
  const parity = Uint8Array.of(2 + ((point.at(-1) ?? 0) & 1));
  return equalBytes(encoded, concat([parity, point.subarray(1, (point.length + 1) / 2)]));
}

/**
 * Parses an ECPrivateKey on a curve. Computes the public point rather than trusting the encoded
 * one.
 */
export async function readEcKey(curve: Curve, der: Uint8Array): Promise<ReadKey> {
  const { scalar, curve: named, point: embedded } = partsOf(der);
  if (named !== undefined && named !== curve.oid) throw refused("it contains two curves");
  if (scalar.length > curve.size) throw refused(`it is longer than ${curve.size} bytes`);
  // Old encoders omitted leading zeros.
  const full = concat([new Uint8Array(curve.size - scalar.length), scalar]);
  const { publicPoint } = await import("./point.ts");
  const point = publicPoint(curve, full);
  if (!point) throw refused("it is not between 1 and n - 1, where n is the order of the curve");
  if (embedded && !samePoint(embedded, point))
    throw new CaError("bad_key", "private key: it contains a public key that does not match");
  return { key: ecPrivateKey(full, point), keyBits: point };
}

/**
 * Returns the SEC 1 format of EC keys, which OpenSSL and Go use. The curve is part of the key
 * itself, whereas in PKCS#8 it is in the AlgorithmIdentifier.
 */
export const ecOlderForm = (curve: Curve): OlderForm => ({
  label: "EC PRIVATE KEY",
  tag: 0x04,
  identifier(der) {
    const { curve: named } = partsOf(der);
    if (named === undefined) throw refused("it does not contain the curve");
    return identifierOf({ identifier: ecIdentifier(named) });
  },
  write: (key) => olderOf(oid(curve.oid), key),
});
function olderOf(curve: Uint8Array, key: Uint8Array): Bytes {
  const inner = readDer(key, "EC private key").enter("ECPrivateKey");
  const [version, scalar] = [inner.raw("the version"), inner.raw("the key", 0x04)];
  inner.optional("the curve", 0xa0);
  const point = inner.tag === 0xa1 ? [inner.raw("the public key")] : [];
  return sequence(version, scalar, explicit(0, curve), ...point);
}

/**
 * The encoding around the scalar and the point of a key pair, which is the same for all keys on a
 * curve.
 */
interface Frame {
  readonly beforeScalar: Uint8Array;
  readonly beforePoint: Uint8Array;
  /** Bytes before the point in SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  /** Bytes before the scalar and before the point in the SEC 1 format. */
  readonly older: { readonly beforeScalar: Uint8Array; readonly beforePoint: Uint8Array };
}
function frameOf({ oid: curve, size }: Curve): Frame {
  const point = new Uint8Array(1 + 2 * size);
  point[0] = 4;
  const algorithm = { identifier: ecIdentifier(curve) };
  const key = ecPrivateKey(new Uint8Array(size), point);
  const spki = spkiOf(algorithm, point);
  const publicEnd = explicit(1, bitString(point)).length;
  const around = (der: Uint8Array, scalarEnd: number) => ({
    beforeScalar: der.slice(0, scalarEnd - size),
    beforePoint: der.slice(scalarEnd, der.length - point.length),
  });
  const pkcs8 = pkcs8Of(algorithm, key);
  const older = olderOf(oid(curve), key);
  const curveLength = explicit(0, oid(curve)).length;
  return {
    ...around(pkcs8, pkcs8.length - publicEnd),
    spki: spki.slice(0, spki.length - point.length),
    older: around(older, older.length - publicEnd - curveLength),
  };
}

/** Returns a function that encodes key pairs on a curve. */
export function ecPairs(curve: Curve): (key: EcKey) => KeyPair {
  const { beforeScalar, beforePoint, spki: before, older } = frameOf(curve);
  return ({ scalar, point }) => {
    const spki = concat([before, point]);
    return {
      pkcs8: concat([beforeScalar, scalar, beforePoint, point]),
      spki,
      keyBits: spki.subarray(before.length),
      older: concat([older.beforeScalar, scalar, older.beforePoint, point]),
    };
  };
}
