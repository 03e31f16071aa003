import { offeredAlgorithms } from "../algorithms/offered-algorithms.ts";
import { CaError } from "../base/errors.ts";
import {
  algorithmIdentifier,
  supportsScheme,
  verifySignature,
  checkPublicKey,
  parsePublicKey,
  type PublicKey,
} from "../x509/public-key.ts";
import { certificateKey } from "../x509/certificate.ts";
import { untrusted, violation } from "./tls-error.ts";
import type { TlsVersion } from "./tls-suites.ts";

/** The accepted signature schemes, in the order in which they are offered. */
export const schemes = offeredAlgorithms.flatMap((algorithm) =>
  (algorithm.tls ?? []).map((scheme) => ({ ...scheme, algorithm })),
);

/** Reports whether a key can sign under a scheme in a handshake of this version. */
export function supportsHandshakeScheme(
  { scheme, algorithm, certificatesOnly, tls13Only }: (typeof schemes)[number],
  key: PublicKey,
  version: TlsVersion,
): boolean {
  // TLS 1.3 binds each curve to one hash; TLS 1.2 does not
  return version === "1.2"
    ? !tls13Only && key.algorithm.tls !== undefined && supportsScheme(scheme, key)
    : !certificatesOnly && algorithm === key.algorithm;
}

/**
 * Returns the key of the server's certificate. Throws `TlsError` `trust` if the key is weak or
 * unsupported.
 */
export function keyOfLeaf(der: Uint8Array): PublicKey {
  try {
    const key = parsePublicKey(certificateKey(der));
    checkPublicKey(key);
    return key;
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    if (error.code === "malformed")
      throw untrusted("bad_certificate", "the server's certificate cannot be parsed");
    throw untrusted(
      "unsupported_certificate",
      "the key of the server's certificate is weak or not supported",
    );
  }
}

/** Verifies a signature by the server's key under an offered scheme. */
export async function requireSignature(
  key: PublicKey,
  version: TlsVersion,
  [id, data, signature]: readonly [id: number, data: Uint8Array, signature: Uint8Array],
): Promise<void> {
  const scheme = schemes.find((one) => one.id === id);
  if (!scheme || !supportsHandshakeScheme(scheme, key, version))
    throw violation(
      "illegal_parameter",
      "the server selected a signature scheme that does not match its certificate",
    );
  if (!(await verifySignature(key.spki, algorithmIdentifier(scheme.scheme), data, signature)))
    throw violation(
      "decrypt_error",
      "the server did not prove possession of the certificate's private key",
    );
}
