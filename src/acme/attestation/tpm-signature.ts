import { asBytes } from "../../base/bytes.ts";
import { integer, sequence } from "../../base/der.ts";
import {
  algorithmIdentifier,
  parsePublicKey,
  schemeFromName,
  verifySignature,
} from "../../x509/public-key.ts";
import { byteReader } from "./byte-reader.ts";
import { badAttestation } from "./format.ts";
import { hashOfTpm } from "./tpm-public.ts";

/** A signature algorithm of COSE (RFC 9053 section 2.1, RFC 8812) as a TPM has it. */
interface TpmScheme {
  /** Canonical name of the signature scheme. */
  readonly name: string;
  /** WebCrypto name of its hash. */
  readonly hash: string;
  /** Identifier in TPMT_SIGNATURE. */
  readonly id: number;
}
const [rsassa, ecdsa] = [0x0014, 0x0018];
const schemes: ReadonlyMap<unknown, TpmScheme> = new Map([
  [-7, { name: "ECDSAWithSHA256", hash: "SHA-256", id: ecdsa }],
  [-35, { name: "ECDSAWithSHA384", hash: "SHA-384", id: ecdsa }],
  [-36, { name: "ECDSAWithSHA512", hash: "SHA-512", id: ecdsa }],
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

/** Hashes with the algorithm of a scheme. */
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
  const plain = plainSignature(spki, scheme, signature);
  if (!known || !(await verifySignature(spki, algorithmIdentifier(known), data, plain)))
    throw badAttestation("the key of the certificate did not sign certInfo");
}

/**
 * Returns a signature as in certificates. WebAuthn requires a TPMT_SIGNATURE (TPM 2.0 Library,
 * part 2, section 11.3.4); Windows sends the signature without its header.
 */
function plainSignature(spki: Uint8Array, scheme: TpmScheme, signature: Uint8Array): Uint8Array {
  if (isPlain(spki, scheme, signature)) return signature;
  const reader = byteReader(signature, "sig");
  const [id, hash] = [reader.u16("the algorithm"), reader.u16("the hash")];
  if (id !== scheme.id || hashOfTpm(hash) !== scheme.hash)
    throw badAttestation("sig has another algorithm than alg");
  if (scheme.id === rsassa) {
    const value = reader.sized("the signature");
    reader.end();
    return value;
  }
  const [r, s] = [reader.sized("r"), reader.sized("s")];
  reader.end();
  return sequence(integer(r), integer(s));
}
/** Reports whether a signature has no header: it is as long as the modulus, or DER. */
function isPlain(spki: Uint8Array, { id }: TpmScheme, signature: Uint8Array): boolean {
  return id === rsassa ? signature.length * 8 === parsePublicKey(spki).bits : signature[0] === 0x30;
}
