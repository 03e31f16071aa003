import { equalBytes, fromUtf8, utf8 } from "../../base/bytes.ts";
import { digestSha256 } from "../../base/hmac.ts";
import { findExtension, isCa, type Certificate } from "../../x509/certificate.ts";
import { verifiedCertificate } from "./certificate-chain.ts";
import { badAttestation, type AttestationFormat } from "./format.ts";

/** Extensions of Apple's attestation certificates, whose values are raw bytes or strings. */
const appleOid = {
  serialNumber: "1.2.840.113635.100.8.9.1",
  udid: "1.2.840.113635.100.8.9.2",
  freshness: "1.2.840.113635.100.8.11.1",
} as const;

/**
 * Apple's Managed Device Attestation: a certificate that Apple issues for the key contains the
 * serial number and the UDID. Apple does not know the account when it signs, so the freshness code
 * is the SHA-256 of the token alone (draft-ietf-acme-device-attest-09 section 5).
 */
export const apple: AttestationFormat<"apple"> = {
  name: "apple",
  roots: ({ attestation_apple_roots: roots }) => roots,
  async verify(statement, context) {
    const certificate = await verifiedCertificate(statement, context);
    if (isCa(certificate)) throw badAttestation("the first certificate of x5c is a CA certificate");
    const freshness = findExtension(certificate, appleOid.freshness)?.value;
    if (!freshness) throw badAttestation("the certificate has no freshness code");
    if (!equalBytes(freshness, digestSha256(utf8(context.token))))
      throw badAttestation("the freshness code is not the SHA-256 of the challenge's token");
    const ids = [appleOid.serialNumber, appleOid.udid].flatMap((oid) => textIn(certificate, oid));
    return {
      spki: certificate.spki,
      // skips values with a slash: in an identifier, the part before a slash is the assigner
      names: ids.flatMap((value) =>
        value.includes("/") ? [] : [{ type: "permanent-identifier", value }],
      ),
    };
  },
};

/**
 * Returns the value of an extension, if present. Apple omits values that an enrollment must not
 * reveal.
 */
function textIn(certificate: Certificate, oid: string): readonly string[] {
  const value = findExtension(certificate, oid)?.value;
  if (!value?.length) return [];
  try {
    return [fromUtf8(value)];
  } catch {
    throw badAttestation(`the extension ${oid} is not UTF-8`);
  }
}
