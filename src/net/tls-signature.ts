import { CaError } from "../base/errors.ts";
import type { Scheme } from "../engine/ports.ts";
import { algorithmIdentifier, schemeFits, verifySignature } from "../x509/algorithm.ts";
import { certificateKey } from "../x509/certificate.ts";
import { checkPublicKey, parsePublicKey, type PublicKey } from "../x509/spki.ts";
import { untrusted, violation } from "./tls-error.ts";
import type { TlsVersion } from "./tls-suites.ts";

/** A signature scheme of TLS (RFC 8446 section 4.2.3). */
export interface TlsScheme {
  readonly id: number;
  readonly scheme: Scheme;
  /** In TLS 1.3 the hash is that of the curve. */
  readonly curve?: string;
  /** Signs in handshakes of TLS 1.2 only; in TLS 1.3 it is for certificates. */
  readonly older?: true;
}
const hashes = ["SHA-256", "SHA-384", "SHA-512"] as const;
const curves = ["P-256", "P-384", "P-521"] as const;

/** What may sign, in the order in which it is offered. */
export const schemes: readonly TlsScheme[] = [
  ...hashes.map((hash, i) => ({
    id: 0x0403 + 0x0100 * i,
    scheme: { name: "ECDSA" as const, hash },
    curve: curves[i] ?? "",
  })),
  { id: 0x0807, scheme: { name: "Ed25519" } },
  ...hashes.map((hash, i) => ({ id: 0x0804 + i, scheme: { name: "RSA-PSS" as const, hash } })),
  ...hashes.map((hash, i) => ({
    id: 0x0401 + 0x0100 * i,
    scheme: { name: "RSASSA-PKCS1-v1_5" as const, hash },
    older: true as const,
  })),
];

/** Whether a key signs under a scheme in a handshake of this version. */
export function fits({ scheme, curve, older }: TlsScheme, key: PublicKey, version: TlsVersion) {
  if (
    !schemeFits(scheme, key) ||
    (key.type === "ec" && !curves.some((c) => c === key.algorithm.name))
  )
    return false;
  return version === "1.2" || (!older && (curve === undefined || curve === key.algorithm.name));
}

/** The key of the server's certificate. Throws `TlsError` `trust` on one that proves nothing. */
export function keyOfLeaf(der: Uint8Array): PublicKey {
  try {
    const key = parsePublicKey(certificateKey(der));
    checkPublicKey(key);
    return key;
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    if (error.code === "malformed")
      throw untrusted("bad_certificate", "the certificate of the server cannot be read");
    throw untrusted(
      "unsupported_certificate",
      "the key in the certificate of the server is weak or not supported",
    );
  }
}

/** Demands that the key of the server made this signature, under a scheme that was offered. */
export async function demandSignature(
  key: PublicKey,
  version: TlsVersion,
  [id, data, signature]: readonly [id: number, data: Uint8Array, signature: Uint8Array],
): Promise<void> {
  const scheme = schemes.find((one) => one.id === id);
  if (!scheme || !fits(scheme, key, version))
    throw violation("illegal_parameter", "a signature scheme that the certificate does not fit");
  if (!(await verifySignature(key.spki, algorithmIdentifier(scheme.scheme), data, signature)))
    throw violation(
      "decrypt_error",
      "the server has not proved that it holds the certificate's key",
    );
}
