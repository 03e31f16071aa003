import { readPkcs12 } from "../../../src/archive/pkcs12-read.ts";
import { readSignedData } from "../../../src/archive/signed-data.ts";
import { asBytes, type Bytes } from "../../../src/base/bytes.ts";
import type { PemBlock } from "../../../src/base/pem.ts";
import { asError } from "../store.ts";

const block =
  (label: string) =>
  (der: Uint8Array): PemBlock => ({ label, der: asBytes(der) });

/** Returns the certificates and CRLs of a PKCS#7 or CMS message. Throws `CaError`. */
export function blocksOfMessage(der: Uint8Array): readonly PemBlock[] {
  const { certificates, crls } = readSignedData(der);
  return [...certificates.map(block("CERTIFICATE")), ...crls.map(block("X509 CRL"))];
}

/**
 * Opens a PKCS#12 archive with the first password that works. Returns undefined if none does.
 * Throws `CaError` if the archive is malformed or not supported.
 */
export async function blocksOfArchive(
  bytes: Bytes,
  passwords: readonly string[],
): Promise<readonly PemBlock[] | undefined> {
  for (const password of ["", ...passwords]) {
    try {
      const { certificates, keys } = await readPkcs12(bytes, password);
      return [...certificates.map(block("CERTIFICATE")), ...keys.map(block("PRIVATE KEY"))];
    } catch (error) {
      if (!asError(error).message.includes("the password is wrong")) throw error;
    }
  }
  return undefined;
}

/** Removes the trust settings that openssl appends to a certificate. */
export function trustedCertificate(der: Uint8Array): Uint8Array {
  const size = (der[1] ?? 0) & 0x7f;
  const length =
    (der[1] ?? 0) < 0x80
      ? size
      : der.subarray(2, 2 + size).reduce((sum, byte) => sum * 256 + byte, 0);
  return der.slice(0, 2 + ((der[1] ?? 0) < 0x80 ? 0 : size) + length);
}

export { decryptPkcs8 } from "../../../src/archive/pkcs8-decrypt.ts";
// Keeps the certificate parser in the same chunk as this module. Otherwise the bundler would create
// small shared chunks that every view loads.
export { readCertificate } from "../x509/decode.ts";
