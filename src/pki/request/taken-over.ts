import { CaError } from "../../base/errors.ts";
import { truncateForMessage } from "../../base/names.ts";
import { findExtension } from "../../x509/certificate.ts";
import { readExtKeyUsage, readKeyUsage } from "../../x509/usage.ts";
import { checkValue, isNetscapeCa } from "../../x509/extension-value.ts";
import { checkName, parseName } from "../../x509/name.ts";
import { extensionOid } from "../../x509/oid.ts";
import { refuseControlCharacters } from "./names.ts";
import { asCsr, type SigningRequest } from "./request.ts";

/**
 * Throws `bad_csr` for a CSR to be copied whose subject or extensions are malformed, because
 * clients could not parse the certificate. `ignored` contains the OIDs of extensions that are not
 * copied.
 */
export function refuseMalformed(
  { csr }: SigningRequest,
  ignored: ReadonlySet<string> = new Set(),
): void {
  asCsr(() => {
    checkName(csr.subject);
    csr.extensions.filter(({ oid }) => !ignored.has(oid)).forEach(checkValue);
  });
  const purposes = findExtension(csr, extensionOid.extKeyUsage);
  // RFC 5280 section 4.2.1.12 requires at least one purpose
  if (purposes && readExtKeyUsage(purposes.value).length === 0)
    throw new CaError("bad_csr", "the CSR has an empty extended key usage extension");
}

/**
 * Throws `name_not_allowed` for a CSR with alternative names of unsupported types, because names
 * must not be dropped silently.
 */
export function refuseUnreadable({ unreadable }: SigningRequest): void {
  if (unreadable.length > 0)
    throw new CaError(
      "name_not_allowed",
      `could not parse requested other SAN: ${truncateForMessage(unreadable[0] ?? "")}`,
    );
}

/**
 * Throws `name_not_allowed` for a CSR to be copied whose subject or alternative names contain a
 * control character.
 */
export function refuseControlsOf({ names, csr }: SigningRequest): void {
  const subject = parseName(csr.subject).flat();
  const other = names.other.map(({ value }) => value);
  for (const name of [
    ...subject.map(({ value }) => value),
    ...names.dns,
    ...names.email,
    ...names.uri,
    ...other,
  ])
    refuseControlCharacters(name);
}

/** Throws `bad_csr` for a CSR that requests the properties of a CA (D 3). */
export function refuseCa({ asksForCa, csr }: SigningRequest): void {
  const usage = findExtension(csr, extensionOid.keyUsage);
  const signs =
    usage && readKeyUsage(usage.value).some((name) => name === "CertSign" || name === "CRLSign");
  if (asksForCa)
    throw new CaError(
      "bad_csr",
      "the CSR requests a CA certificate, which this endpoint does not issue",
    );
  if (signs)
    throw new CaError(
      "bad_csr",
      "the CSR requests the key usages of a CA, which this endpoint does not grant",
    );
  const netscape = findExtension(csr, extensionOid.netscapeCertType);
  if (netscape && isNetscapeCa(netscape.value))
    throw new CaError(
      "bad_csr",
      "the CSR requests the Netscape certificate type of a CA, which this endpoint does not grant",
    );
}
