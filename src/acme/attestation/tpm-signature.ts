import { asBytes } from "../../base/bytes.ts";
import { integer, sequence } from "../../base/der.ts";
import {
  algorithmIdentifier,
  importVerifyKey,
  parsePublicKey,
  schemeFromName,
  verifySignature,
} from "../../x509/public-key.ts";
import { byteReader } from "./byte-reader.ts";
import { badAttestation } from "./format.ts";
import { hashOfTpm } from "./tpm-public.ts";

/** A COSE signature algorithm (RFC 8230, RFC 8812, RFC 9053 section 2.1) and its TPM identifier. */
interface TpmScheme {
  /** Canonical name of the signature scheme. */
  readonly name: string;
  /** WebCrypto name of the scheme's hash algorithm. */
  readonly hash: string;
  /** Identifier in TPMT_SIGNATURE. */
  readonly id: number;
}
const [rsassa, rsapss, ecdsa] = [0x0014, 0x0016, 0x0018];
const schemes: ReadonlyMap<unknown, TpmScheme> = new Map([
  [-7, { name: "ECDSAWithSHA256", hash: "SHA-256", id: ecdsa }],
  [-35, { name: "ECDSAWithSHA384", hash: "SHA-384", id: ecdsa }],
  [-36, { name: "ECDSAWithSHA512", hash: "SHA-512", id: ecdsa }],
  [-37, { name: "SHA256WithRSAPSS", hash: "SHA-256", id: rsapss }],
  [-38, { name: "SHA384WithRSAPSS", hash: "SHA-384", id: rsapss }],
  [-39, { name: "SHA512WithRSAPSS", hash: "SHA-512", id: rsapss }],
  [-257, { name: "SHA256WithRSA", hash: "SHA-256", id: rsassa }],
  [-258, { name: "SHA384WithRSA", hash: "SHA-384", id: rsassa }],
  [-259, { name: "SHA512WithRSA", hash: "SHA-512", id: rsassa }],
]);

/** Returns the scheme of a COSE algorithm. SHA-1 (-65535) is not accepted. */
export function schemeOfCose(alg: unknown): TpmScheme {
  const scheme = schemes.get(alg);
  if (!scheme) throw badAttestation(`the algorithm ${String(alg).slice(0, 40)} is not accepted`);
  return scheme;
}

/** Hashes data with the hash algorithm of a scheme. */
export async function hashBy({ hash }: TpmScheme, data: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest(hash, asBytes(data)));
}

/** Rejects a signature that the key did not create. */
export async function requireSignature(
  spki: Uint8Array,
  scheme: TpmScheme,
  { data, signature }: { readonly data: Uint8Array; readonly signature: Uint8Array },
): Promise<void> {
  const known = schemeFromName(scheme.name);
  const signed = { data, signature: plainSignature(spki, scheme, signature) };
  if (!known || !(await isSigned(spki, known, signed)))
    throw badAttestation("the key of the certificate did not sign certInfo");
}

type Scheme = NonNullable<ReturnType<typeof schemeFromName>>;
/** The signed bytes, and their signature as encoded in certificates. */
interface Signed {
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
}
const isSigned = (spki: Uint8Array, scheme: Scheme, { data, signature }: Signed) =>
  scheme.name === "RSA-PSS"
    ? isSignedPss(spki, scheme, { data, signature })
    : verifySignature(spki, algorithmIdentifier(scheme), data, signature);

/**
 * Verifies RSASSA-PSS with both salt lengths that TPMs use (TPM 2.0 Library, part 1, annex B.7): as
 * long as the hash, or as long as the key allows.
 */
async function isSignedPss(
  spki: Uint8Array,
  scheme: Scheme,
  { data, signature }: Signed,
): Promise<boolean> {
  const { type, bits } = parsePublicKey(spki);
  if (type !== "rsa") return false;
  const key = await importVerifyKey(spki, scheme);
  const hash = Number(scheme.hash?.slice(4)) / 8;
  for (const saltLength of [hash, Math.ceil((bits - 1) / 8) - hash - 2])
    if (
      saltLength >= 0 &&
      (await crypto.subtle.verify(
        { name: scheme.name, saltLength },
        key,
        asBytes(signature),
        asBytes(data),
      ))
    )
      return true;
  return false;
}

/**
 * Returns a signature as encoded in certificates. WebAuthn requires a TPMT_SIGNATURE (TPM 2.0
 * Library, part 2, section 11.3.4); Windows sends the signature without its header.
 */
function plainSignature(spki: Uint8Array, scheme: TpmScheme, signature: Uint8Array): Uint8Array {
  if (isPlain(spki, scheme, signature)) return signature;
  const reader = byteReader(signature, "sig");
  const [id, hash] = [reader.u16("the algorithm"), reader.u16("the hash")];
  if (id !== scheme.id || hashOfTpm(hash) !== scheme.hash)
    throw badAttestation("the algorithm of sig is not that of alg");
  if (scheme.id !== ecdsa) {
    const value = reader.sized("the signature");
    reader.end();
    return value;
  }
  const [r, s] = [reader.sized("r"), reader.sized("s")];
  reader.end();
  return sequence(integer(r), integer(s));
}
/**
 * Reports whether a signature has no header: an RSA signature is as long as the modulus, an ECDSA
 * signature is DER.
 */
function isPlain(spki: Uint8Array, { id }: TpmScheme, signature: Uint8Array): boolean {
  return id === ecdsa ? signature[0] === 0x30 : signature.length * 8 === parsePublicKey(spki).bits;
}
