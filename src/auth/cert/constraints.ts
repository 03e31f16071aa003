import { fromUtf8, toHex } from "../../base/bytes.ts";
import { readDer } from "../../base/der.ts";
import { CaError } from "../../base/errors.ts";
import { compileGlob } from "../../base/glob.ts";
import { certificateNames, findExtension, type Certificate } from "../../x509/certificate.ts";
import { nameValues } from "../../x509/name.ts";
import { nameOid } from "../../x509/oid.ts";
import { parseRequiredExtension, type CertificateRole, type RequiredExtension } from "./entry.ts";

/** Reports whether any value matches any pattern. Returns true if there are no patterns. */
function anyOf(patterns: readonly string[], values: readonly string[]): boolean {
  const tests = patterns.map(compileGlob);
  return tests.length === 0 || values.some((value) => tests.some((test) => test(value)));
}

/** Reports whether a certificate has the names and extensions that a role requires (P 9.7). */
export function meetsConstraints(role: CertificateRole, certificate: Certificate): boolean {
  const { common, dns, email, uri } = certificateNames(certificate);
  const units = nameValues(certificate.subject, nameOid.organizationalUnit);
  return (
    // more than one common name would be ambiguous
    common.length < 2 &&
    anyOf(role.allowed_names, [...common, ...dns, ...email]) &&
    anyOf(role.allowed_common_names, common) &&
    anyOf(role.allowed_dns_sans, dns) &&
    anyOf(role.allowed_email_sans, email) &&
    anyOf(role.allowed_uri_sans, uri) &&
    anyOf(role.allowed_organizational_units, units) &&
    role.required_extensions.every((requirement) => {
      const demanded = parseRequiredExtension(requirement);
      return demanded !== undefined && hasExtension(certificate, demanded);
    })
  );
}

function hasExtension(certificate: Certificate, { oid, text, hex }: RequiredExtension): boolean {
  const value = findExtension(certificate, oid)?.value;
  if (!value) return false;
  if (hex !== undefined) return toHex(value) === hex;
  const actual = textIn(value);
  return actual !== undefined && text !== undefined && compileGlob(text)(actual);
}
/** Tags of UTF8String, PrintableString and IA5String. */
const textTags: readonly (number | undefined)[] = [0x0c, 0x13, 0x16];
/**
 * Returns the extension value if it is an ASN.1 string of a supported type, and undefined
 * otherwise.
 */
function textIn(value: Uint8Array): string | undefined {
  try {
    const reader = readDer(value, "the extension");
    const { tag } = reader;
    if (tag === undefined || !textTags.includes(tag)) return undefined;
    const content = reader.content("the text", tag);
    reader.end();
    return fromUtf8(content);
  } catch (error) {
    // invalid UTF-8 is not text
    if (error instanceof CaError || error instanceof TypeError) return undefined;
    throw error;
  }
}
