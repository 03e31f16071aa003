import { fromHex, type Bytes } from "../../../src/base/bytes.ts";
import { parseCertificate } from "../../../src/x509/certificate.ts";
import {
  encodeCertId,
  encodeOcspRequest,
  type IssuerHash,
} from "../../../src/x509/ocsp-request.ts";
import type { CertificateView } from "./decode.ts";
import { bareHex } from "../hex-text.ts";
import { fileName } from "../file-name.ts";

/** An OCSP query and its options. */
export interface OcspQuery {
  readonly issuer: CertificateView;
  /** Serial number in hexadecimal. */
  readonly serial: string;
  readonly hash: IssuerHash;
  readonly nonce: boolean;
}

/** Returns why an entered serial number is invalid, or an empty string if it is valid. */
export const wrongSerial = (serial: string): string =>
  /^[0-9a-f]{1,40}$/.test(bareHex(serial))
    ? ""
    : `${serial.trim() || "Empty"}: not a serial number. Enter hex digits, such as 4f:61:d6 or 4f61d6`;

/** Encodes the OCSP request for a certificate in DER. */
export async function encodeOcspQuery(
  { issuer, serial, hash }: OcspQuery,
  nonce: Uint8Array | undefined,
): Promise<Bytes> {
  const digits = bareHex(serial);
  const certId = await encodeCertId(
    hash,
    parseCertificate(issuer.der),
    fromHex(digits.length % 2 === 0 ? digits : `0${digits}`),
  );
  return encodeOcspRequest([certId], nonce);
}

/**
 * Returns the openssl command for a query. The command reads the issuer's certificate from a local
 * file.
 */
export function opensslCommand({ issuer, serial, hash, nonce }: OcspQuery, url: string): string {
  const file = `${fileName(issuer.title)}.pem`;
  // the option for the hash must precede those for the certificate
  const named = hash === "SHA-1" ? "" : ` -${hash.toLowerCase().replace("-", "")}`;
  return [
    `openssl ocsp${named} -issuer ${file} -serial 0x${bareHex(serial)}`,
    `  -url ${url}`,
    `  -CAfile ${file} -partial_chain${nonce ? "" : " -no_nonce"} -resp_text`,
  ].join(" \\\n");
}
