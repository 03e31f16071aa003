import { concat, equalBytes, fromBase64Url, asBytes } from "../base/bytes.ts";
import { readDer, type Reader } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { decodePem, type PemBlock } from "../base/pem.ts";
import { bigintOf, coordinateSize, type CurveName } from "../x509/curve.ts";
import { keyOid } from "../x509/oid.ts";
import { checkPublicKey } from "../x509/key-check.ts";
import { parsePublicKey, type PublicKey } from "../x509/spki.ts";
import {
  ecPkcs8,
  ecSpki,
  ed25519Pkcs8,
  ed25519Spki,
  openPkcs8,
  rsaPkcs8,
  rsaSpki,
  type PrivateKeyType,
} from "./form.ts";
import { signsFor } from "./proof.ts";

export { privateKeyType, traditionalDer, traditionalPem } from "./form.ts";

/** A private key that was read and checked. */
export interface PrivateKey {
  readonly type: PrivateKeyType;
  /** Bits of the modulus or of the curve. */
  readonly bits: number;
  /** PKCS#8, DER, in our own encoding: no attributes, an EC key with its public point. */
  readonly pkcs8: Uint8Array;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Uint8Array;
}

/** An RSA key of 8192 bits takes 4.7 KiB of DER; attributes may come on top. */
const longestDer = 16 * 1024;

const labels: Readonly<Record<string, (der: Uint8Array) => Promise<PrivateKey>>> = {
  "PRIVATE KEY": fromPkcs8,
  "RSA PRIVATE KEY": rsaKey,
  "EC PRIVATE KEY": (der) => ecKey(der),
};

/** Says whether a PEM block of this label holds a private key that can be read here. */
export const isPrivateKeyLabel = (label: string): boolean => Object.hasOwn(labels, label);

/**
 * Reads the one private key of a PEM text: PKCS#8, PKCS#1 or SEC1, not encrypted; blocks of `EC
 * PARAMETERS` are passed over. Checks that it is strong and that its parts fit each other. Throws
 * `CaError` `bad_key`, or `malformed` when it is not DER. `readBlock`: how the block is read, by
 * its label unless given.
 */
export async function readPrivateKey(
  pemText: string,
  readBlock = readPrivateKeyBlock,
): Promise<PrivateKey> {
  const [block, ...more] = decodePem(pemText).filter(({ label }) => label !== "EC PARAMETERS");
  if (!block) throw new CaError("bad_key", "no private key in the PEM text");
  if (more.length > 0)
    throw new CaError(
      "bad_key",
      "only a single key can be present within the pem_bundle for importing",
    );
  return await readBlock(block);
}

/** `readPrivateKey` for one block of a larger PEM text. */
export async function readPrivateKeyBlock({ label, der }: PemBlock): Promise<PrivateKey> {
  if (label === "ENCRYPTED PRIVATE KEY")
    throw new CaError("bad_key", "encrypted private keys are not accepted");
  const read = isPrivateKeyLabel(label) ? labels[label] : undefined;
  if (!read)
    throw new CaError(
      "bad_key",
      `a PEM block of ${JSON.stringify(label.slice(0, 80))} is no private key`,
    );
  if (der.length > longestDer)
    throw new CaError("bad_key", `a private key is at most ${longestDer} bytes long`);
  return await read(der);
}

/**
 * `readPrivateKeyBlock` by the form of the key, whatever the label says; an encrypted key has none
 * of these forms.
 */
export const readMislabelledKeyBlock = (block: PemBlock): Promise<PrivateKey> =>
  readPrivateKeyBlock({ ...block, label: labelOfForm(block.der) ?? block.label });

/**
 * The label that fits the DER of a private key: what stands behind the version tells the three
 * forms apart.
 */
function labelOfForm(der: Uint8Array): string | undefined {
  const behindVersion: Readonly<Record<number, string>> = {
    0x30: "PRIVATE KEY",
    0x02: "RSA PRIVATE KEY",
    0x04: "EC PRIVATE KEY",
  };
  try {
    const key = readDer(der, "private key").enter("the key");
    key.number("the version");
    return key.tag === undefined ? undefined : behindVersion[key.tag];
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}

async function fromPkcs8(der: Uint8Array): Promise<PrivateKey> {
  const { version, type, parameters, key, rest } = openPkcs8(der);
  if (version > 1) throw new CaError("bad_key", `private key: unknown version ${version}`);
  rest.optional("the attributes", 0xa0);
  const publicKey =
    version === 1 && rest.tag === 0x81 ? rest.bitString("the public key", 0x81).bytes : undefined;
  rest.end();
  if (type === "rsa") parameters.null("the parameters");
  const curve = type === "ec" ? curveOf(parameters.oid("the curve")) : undefined;
  parameters.end();
  const read = curve
    ? await ecKey(key, curve)
    : type === "rsa"
      ? await rsaKey(key)
      : await ed25519Key(key);
  if (publicKey && !equalBytes(publicKey, parsePublicKey(read.spki).keyBits)) throw mismatch();
  return read;
}

function mismatch(): CaError {
  return new CaError("bad_key", "private key: its public part does not belong to it");
}

async function rsaKey(der: Uint8Array): Promise<PrivateKey> {
  const key = readDer(der, "RSA private key").enter("RSAPrivateKey");
  if (key.number("the version") !== 0)
    throw new CaError("bad_key", "RSA private key: keys of more than two primes are not supported");
  const [modulus, exponent, ...secret] = [
    "n",
    "e",
    "d",
    "p",
    "q",
    "d mod p-1",
    "d mod q-1",
    "1/q mod p",
  ].map((part) => key.unsigned(part));
  key.end();
  const spki = rsaSpki(modulus ?? new Uint8Array(), exponent ?? new Uint8Array());
  const publicKey = parsePublicKey(spki);
  // Before any arithmetic: it bounds the size of all that follows.
  checkPublicKey(publicKey);
  const limit = publicKey.bits / 8 + 1;
  if (secret.some((part) => part.length > limit)) throw mismatch();
  const [n, e] = [bigintOf(modulus ?? new Uint8Array()), bigintOf(exponent ?? new Uint8Array())];
  if (!rsaPartsFit(n, e, secret.map(bigintOf))) throw mismatch();
  const pkcs8 = rsaPkcs8(der);
  const signing = await importing(pkcs8, { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }, false);
  return await proven(publicKey, pkcs8, signing);
}

function rsaPartsFit(
  n: bigint,
  e: bigint,
  [d = 0n, p = 0n, q = 0n, dp = 0n, dq = 0n, qInverse = 0n]: readonly bigint[],
): boolean {
  if (p < 3n || q < 3n || p === q || p * q !== n || d >= n || dp >= p || dq >= q || qInverse >= p)
    return false;
  return (
    (d * e) % (p - 1n) === 1n &&
    (d * e) % (q - 1n) === 1n &&
    d % (p - 1n) === dp &&
    d % (q - 1n) === dq &&
    (qInverse * q) % p === 1n
  );
}

const curveNames: ReadonlyMap<string, CurveName> = new Map([
  [keyOid.p224, "P-224"],
  [keyOid.p256, "P-256"],
  [keyOid.p384, "P-384"],
  [keyOid.p521, "P-521"],
]);

interface Curve {
  readonly oid: string;
  readonly name: CurveName;
}

function curveOf(curveOid: string): Curve {
  const name = curveNames.get(curveOid);
  if (!name) throw new CaError("bad_key", `EC private key: unsupported curve ${curveOid}`);
  return { oid: curveOid, name };
}

/** The curve named inside the key, when one is. */
function innerCurve(key: Reader): Curve | undefined {
  const inner = key.optional("the curve", 0xa0);
  if (!inner) return undefined;
  if (inner.tag !== 0x06)
    throw new CaError(
      "bad_key",
      "EC private key: only named curves are supported, no explicit parameters",
    );
  const curve = curveOf(inner.oid("the curve"));
  inner.end();
  return curve;
}

async function ecKey(der: Uint8Array, outer?: Curve): Promise<PrivateKey> {
  const key = readDer(der, "EC private key").enter("ECPrivateKey");
  if (key.number("the version") !== 1)
    throw new CaError("bad_key", "EC private key: unknown version");
  const scalar = key.octets("the key");
  const inner = innerCurve(key);
  const bits = key.optional("the public key", 0xa1);
  const given = bits?.wholeBits("the point");
  bits?.end();
  key.end();
  const curve = outer ?? inner;
  if (!curve) throw new CaError("bad_key", "EC private key: it does not name its curve");
  if (inner && inner.oid !== curve.oid)
    throw new CaError("bad_key", "EC private key: it names two curves");
  const size = coordinateSize(curve.name);
  if (scalar.length > size)
    throw new CaError("bad_key", `EC private key: longer than ${size} bytes`);
  // Old writers dropped the zeros in front.
  const full = concat([new Uint8Array(size - scalar.length), scalar]);
  const point = await computedPoint(curve.name, full);
  if (given && !samePoint(given, point)) throw mismatch();
  const publicKey = parsePublicKey(ecSpki(curve.oid, point));
  checkPublicKey(publicKey);
  const pkcs8 = ecPkcs8(curve.oid, full, point);
  // Computed by the code that will sign: nothing is left to prove.
  if (curve.name === "P-224")
    return { type: "ec", bits: publicKey.bits, pkcs8, spki: publicKey.spki };
  return await proven(
    publicKey,
    pkcs8,
    await importing(pkcs8, { name: "ECDSA", namedCurve: curve.name }, false),
  );
}

/**
 * The public point of a scalar at full length, uncompressed: computed, so that what the key says of
 * it need not be believed.
 */
async function computedPoint(curve: CurveName, scalar: Uint8Array): Promise<Uint8Array> {
  const { publicPoint } = await import("./point.ts");
  const point = publicPoint(curve, scalar);
  if (!point)
    throw new CaError("bad_key", "EC private key: it is zero, or not below the order of its curve");
  return point;
}

/**
 * Compares an encoding that may be compressed (02 or 03 for the parity of y, then x) with an
 * uncompressed one.
 */
function samePoint(given: Uint8Array, point: Uint8Array): boolean {
  if (given[0] === 4) return equalBytes(given, point);
  return equalBytes(
    given,
    concat([
      Uint8Array.of(2 + ((point.at(-1) ?? 0) & 1)),
      point.subarray(1, (point.length + 1) / 2),
    ]),
  );
}

async function ed25519Key(der: Uint8Array): Promise<PrivateKey> {
  const seed = readDer(der, "Ed25519 private key");
  const bytes = seed.octets("the key");
  seed.end();
  if (bytes.length !== 32) throw new CaError("bad_key", "Ed25519 private key: not 32 bytes");
  const pkcs8 = ed25519Pkcs8(bytes);
  const key = await importing(pkcs8, { name: "Ed25519" }, true);
  const { x = "" } = await exporting(key);
  return await proven(
    parsePublicKey(ed25519Spki(fromBase64Url(x) ?? new Uint8Array())),
    pkcs8,
    key,
  );
}

async function importing(
  pkcs8: Uint8Array,
  algorithm: RsaHashedImportParams | EcKeyImportParams | Algorithm,
  extractable: boolean,
): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey("pkcs8", asBytes(pkcs8), algorithm, extractable, ["sign"]);
  } catch (error) {
    // The platform's words differ from runtime to runtime and may quote the key.
    if (error instanceof DOMException)
      throw new CaError("bad_key", "private key: the platform refuses it");
    throw error;
  }
}

async function exporting(key: CryptoKey): Promise<JsonWebKey> {
  return await crypto.subtle.exportKey("jwk", key);
}

async function proven(
  publicKey: PublicKey,
  pkcs8: Uint8Array,
  key: CryptoKey,
): Promise<PrivateKey> {
  if (!(await signsFor(publicKey, key))) throw mismatch();
  return { type: publicKey.type, bits: publicKey.bits, pkcs8, spki: publicKey.spki };
}
