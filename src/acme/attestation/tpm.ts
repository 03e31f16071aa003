import { equalBytes, utf8 } from "../../base/bytes.ts";
import {
  certificateNames,
  deviceNamesOf,
  findExtension,
  isCa,
  type Certificate,
} from "../../x509/certificate.ts";
import { isEmptyName, nameValues } from "../../x509/name.ts";
import { extensionOid } from "../../x509/oid.ts";
import { readExtKeyUsage } from "../../x509/usage.ts";
import { bytesIn } from "./attestation-object.ts";
import { verifiedCertificate } from "./certificate-chain.ts";
import { badAttestation, type AttestationFormat } from "./format.ts";
import { parseKeyCertification } from "./tpm-attest.ts";
import { parsePublicArea } from "./tpm-public.ts";
import { hashBy, requireSignature, schemeOfCose } from "./tpm-signature.ts";

/** Extended key usage of attestation keys: tcg-kp-AIKCertificate. */
const attestationKeyUsage = "2.23.133.8.3";

/**
 * TPM 2.0: an attestation key, whose certificate identifies the device, certifies the order's key
 * (WebAuthn section 8.3). The TPM signs a hash of the key authorization, so that the attestation is
 * bound to the account.
 */
export const tpm: AttestationFormat<"tpm"> = {
  name: "tpm",
  roots: ({ attestation_tpm_roots: roots }) => roots,
  async verify(statement, context) {
    const version = statement.get("ver");
    if (version !== "2.0") throw badAttestation("ver is not 2.0");
    const scheme = schemeOfCose(statement.get("alg"));
    const [info, signature] = [bytesIn(statement, "certInfo"), bytesIn(statement, "sig")];
    const certificate = await verifiedCertificate(statement, context, attestationKeyUsage);
    requireAttestationCertificate(certificate);
    await requireSignature(certificate.spki, scheme, { data: info, signature });
    const { extraData, name } = parseKeyCertification(info);
    if (!equalBytes(extraData, await hashBy(scheme, utf8(context.keyAuthorization))))
      throw badAttestation("extraData is not the hash of the key authorization");
    const area = await parsePublicArea(bytesIn(statement, "pubArea"));
    if (!equalBytes(name, area.name))
      throw badAttestation("certInfo certifies a key other than the one in pubArea");
    return { spki: area.spki, names: deviceNamesOf(certificate) };
  },
};

/** Rejects a certificate that is not for an attestation key (WebAuthn section 8.3.1). */
function requireAttestationCertificate(certificate: Certificate): void {
  if (certificate.version !== 3)
    throw badAttestation("the first certificate of x5c is not a version 3 certificate");
  if (isCa(certificate)) throw badAttestation("the first certificate of x5c is a CA certificate");
  const usage = findExtension(certificate, extensionOid.extKeyUsage);
  // path validation accepts a certificate without the extension for any purpose
  if (!usage || !readExtKeyUsage(usage.value).includes(attestationKeyUsage))
    throw badAttestation(
      `the first certificate of x5c lacks the extended key usage ${attestationKeyUsage}`,
    );
  if (!isEmptyName(certificate.subject))
    throw badAttestation("the first certificate of x5c has a subject, which must be empty");
  requireTpmNames(certificate);
}

/** Attributes of a TPM in a directory name (TCG EK Credential Profile, section 3.1.2). */
const tpmAttributes = [
  ["manufacturer", "2.23.133.2.1"],
  ["model", "2.23.133.2.2"],
  ["version", "2.23.133.2.3"],
] as const;
/** Rejects a certificate whose alternative name does not identify the TPM. */
function requireTpmNames(certificate: Certificate): void {
  const { directory } = certificateNames(certificate);
  for (const [what, oid] of tpmAttributes)
    if (directory.flatMap((name) => nameValues(name, oid)).length !== 1)
      throw badAttestation(
        `the first certificate of x5c does not have exactly one TPM ${what} (${oid})`,
      );
}
