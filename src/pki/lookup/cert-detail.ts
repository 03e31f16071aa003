import { keyTypeDoc, keyTypes } from "../../algorithms/table.ts";
import { serialKeyText } from "../../base/ids.ts";
import { rfc3339 } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import type { Row } from "../../engine/ports.ts";
import { rowPrefixes, isIntact, type CertRow, storedPki } from "../rows/records.ts";
import { isCa, type Certificate } from "../../x509/certificate.ts";
import { parsePublicKey } from "../../x509/public-key.ts";
import { flag, int, list, text } from "../../wire/field.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { readableNames } from "../request/template.ts";

/** Reply members that describe a stored certificate. */
export const certificateDetail = {
  common_name: text.required("Common name of the subject."),
  issuer: text.required("ID of the issuer, or empty if no issuer of the mount signed it."),
  role: text.required("Name of the role, or empty if none was used."),
  is_ca: flag.required("Whether this is a CA certificate."),
  key_type: text.required(`${keyTypeDoc}; empty if the key type is unknown.`, [...keyTypes, ""]),
  key_bits: int.required("Key size in bits; 0 if the key type is unknown."),
  not_before: text.required("Start of validity, RFC 3339."),
  not_after: text.required("End of the validity period (notAfter), RFC 3339."),
  dns_names: list.required("DNS names, at most five."),
  source: text.required("`acme` if the certificate was issued with ACME, otherwise `api`."),
  acme_account: text.optional("ID of the ACME account to which the certificate was issued."),
  acme_order: text.optional("ID of the ACME order for which the certificate was issued."),
} as const;

/** Returns the serial number in the key of a certificate row, written with colons. */
export const serialOf = (key: string): string => serialKeyText(key.slice(rowPrefixes.certs.length));
/** Returns the response members that describe a certificate. */
export function detailOf(row: CertRow, certificate: Certificate) {
  const names = readableNames(certificate);
  return {
    common_name: names.common[0] ?? "",
    issuer: row.issuer,
    role: row.role,
    is_ca: isCertificateOfCa(certificate),
    ...keyOf(certificate),
    not_before: rfc3339(certificate.notBefore),
    not_after: rfc3339(certificate.notAfter),
    dns_names: names.dns.slice(0, 5),
    source: row.acme ? "acme" : "api",
    ...(row.acme ? { acme_account: row.acme.account, acme_order: row.acme.order } : {}),
  };
}

/**
 * Returns the type and size of a certificate's key. A certificate that was presented for revocation
 * may have a key of an unknown type.
 */
function keyOf({ spki }: Certificate): { readonly key_type: string; readonly key_bits: number } {
  try {
    const { type, bits } = parsePublicKey(spki);
    return { key_type: type, key_bits: bits };
  } catch (error) {
    if (error instanceof CaError) return { key_type: "", key_bits: 0 };
    throw error;
  }
}

/**
 * Reports whether a certificate is a CA certificate. A certificate that was presented for
 * revocation may be malformed.
 */
function isCertificateOfCa(certificate: Certificate): boolean {
  try {
    return isCa(certificate);
  } catch (error) {
    if (error instanceof CaError) return false;
    throw error;
  }
}

/** A stored certificate: its row and the key of the row. */
export interface Candidate {
  readonly key: string;
  readonly row: CertRow;
}

/** Returns the rows that are intact, and warns the caller about the others. */
export function intactRows(
  rows: readonly (readonly [key: string, row: Row])[],
  caller: Caller,
): readonly Candidate[] {
  const candidates = rows.map(([key, { value }]) => ({ key, row: storedPki.cert(value) }));
  const damaged = candidates.filter(({ row }) => !isIntact(row));
  for (const { key } of damaged)
    caller.reply.warn(
      `The stored certificate ${serialOf(key)} is omitted because it was altered in storage.`,
    );
  return damaged.length === 0
    ? candidates
    : candidates.filter((candidate) => !damaged.includes(candidate));
}

/** Maximum number of certificates per page. */
export const pageLimit = 1000;
/**
 * Returns the limit of a page: `fallback` if `limit` is 0, and at most `max`. Throws `malformed` if
 * `limit` is negative.
 */
export function limitOf(limit: number, fallback: number, max = pageLimit): number {
  if (limit < 0) throw new CaError("malformed", `limit must not be negative, got ${limit}`);
  return Math.min(limit === 0 ? fallback : limit, max);
}
