import { equalBytes, fromBase64Url } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { serialKey } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import type { CertRow } from "../../pki/rows/records.ts";
import { storedCertificate } from "../../pki/issuer/stored-certificate.ts";
import { findExtension, parseCertificate, type Certificate } from "../../x509/certificate.ts";
import { readAuthorityKeyIdentifier } from "../../x509/key-identifiers.ts";
import { extensionOid } from "../../x509/oid.ts";

/** A stored certificate that was found by its certificate identifier (RFC 9773). */
export interface CertificateById {
  readonly certificate: Certificate;
  readonly row: CertRow;
  /** Serial number as in row keys. */
  readonly serial: string;
}

/** Returns the two parts of an identifier, or undefined if it is malformed. */
function partsOf(
  id: string,
): { readonly key: Uint8Array; readonly serial: Uint8Array } | undefined {
  const [key, serial, ...more] = id.length > maxLength ? [] : id.split(".").map(fromBase64Url);
  return key?.length && serial?.length && serial.length <= 21 && more.length === 0
    ? { key, serial }
    : undefined;
}
/** Returns the serial number in an identifier, as in row keys, or undefined if it is malformed. */
export function serialIn(id: string): string | undefined {
  const parts = partsOf(id);
  return parts && serialKey(parts.serial);
}

/**
 * Maximum length of an identifier: enough for a 64-octet key identifier and a 21-octet serial
 * number.
 */
const maxLength = 120;

/**
 * Finds a stored certificate by its identifier (RFC 9773 section 4.1): the key identifier of its
 * issuer and its serial number, each in base64url, separated by a dot. Throws `malformed` for an
 * invalid identifier; returns undefined if there is no such certificate.
 */
export async function findCertificateById(
  mount: Mount,
  id: string,
): Promise<CertificateById | undefined> {
  const parts = partsOf(id);
  if (!parts)
    throw new CaError(
      "malformed",
      "invalid certificate identifier (RFC 9773 section 4.1): expected <AKI>.<serial number>, both base64url",
    );
  const { key, serial } = parts;
  const stored = await storedCertificate(mount, serial);
  if (!stored) return undefined;
  const certificate = parseCertificate(stored.value.der);
  const authority = authorityOf(certificate);
  return authority && equalBytes(authority, key) && equalBytes(certificate.serial, serial)
    ? { certificate, row: stored.value, serial: serialKey(serial) }
    : undefined;
}
function authorityOf(certificate: Certificate): Uint8Array | undefined {
  const named = findExtension(certificate, extensionOid.authorityKeyIdentifier);
  return named && readAuthorityKeyIdentifier(named.value);
}
