import { acmeConfig } from "../acme/rows/config.ts";
import { fromBase64 } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { encodePem } from "../base/pem.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import type { SigningRequest } from "../pki/request/request.ts";
import type { Role } from "../pki/leaf/role.ts";
import { deviceNameOid } from "../x509/device-name.ts";
import { nameValues } from "../x509/name.ts";
import { nameOid } from "../x509/oid.ts";

/**
 * Returns the CSR in a body as PEM. Accepts base64-encoded DER with or without line breaks, and
 * also PEM and plain DER, which some clients send. Throws `bad_csr` for anything else.
 */
export function parseRequest(body: Uint8Array): string {
  if (body[0] === 0x30) return encodePem("CERTIFICATE REQUEST", body);
  const text = new TextDecoder("latin1").decode(body);
  if (text.trimStart().startsWith("-----BEGIN ")) return text.trimStart();
  const der = fromBase64(text.replace(/[ \t\r\n]+/g, ""));
  if (!der?.length)
    throw new CaError("bad_csr", "the body is not a base64-encoded PKCS#10 request");
  return encodePem("CERTIFICATE REQUEST", der);
}

/**
 * Object identifier of the attribute ChangeSubjectName, which requests names other than those of
 * the renewed certificate (RFC 6402 section 2.8).
 */
const changeSubjectName = "1.3.6.1.5.5.7.7.36";
/** Rejects a CSR with the attribute ChangeSubjectName, whose names would be ignored (D 3). */
export function refuseChangedSubject({ csr }: SigningRequest): void {
  const info = readDer(csr.info, "CSR").enter("CertificationRequestInfo");
  for (const what of ["the version", "the subject", "the public key"]) info.raw(what);
  const attributes = info.optional("the attributes", 0xa0);
  while (attributes?.tag !== undefined)
    if (attributes.enter("an attribute").oid("the type") === changeSubjectName)
      throw new CaError(
        "bad_csr",
        "the CSR requests a different subject (ChangeSubjectName), but renewal cannot change the subject; enroll instead",
      );
}

/** The otherName types that identify devices. */
const deviceOids: readonly string[] = Object.values(deviceNameOid);
/**
 * Rejects a CSR with a device name in a mount whose devices attest their names through ACME,
 * because an EST login proves neither the identity of the device nor the location of its key.
 */
export function refuseDeviceNames(config: Snapshot, { names, unreadable }: SigningRequest): void {
  if (!config.get(acmeConfig).challenge_types.includes("device-attest-01")) return;
  const found = deviceOids.find(
    (oid) => unreadable.includes(`otherName ${oid}`) || names.other.some((one) => one.oid === oid),
  );
  if (found !== undefined)
    throw new CaError(
      "bad_csr",
      `the CSR contains a device name (otherName ${found}), but in this mount, device names must be attested through ACME (device-attest-01)`,
    );
}

/** Rejects names that the role would not include, so that no name is dropped silently (D 3). */
export function requireIncludedExtensions(role: Role, request: SigningRequest): void {
  const { dns, email, ip, uri, other, directory = [] } = request.names;
  const names = [...dns, ...email, ...ip, ...uri, ...other, ...directory, ...request.unreadable];
  const refused = [
    ...(names.length > 0 && !role.use_csr_sans ? ["use_csr_sans"] : []),
    ...(request.commonName !== "" && !role.use_csr_common_name ? ["use_csr_common_name"] : []),
  ];
  if (refused.length > 0)
    throw new CaError(
      "name_not_allowed",
      `the CSR contains names that the role ignores: set ${refused.join(" and ")} on the role, or omit these names (EST takes names only from the CSR)`,
    );
  const several = [nameOid.commonName, nameOid.serialNumber].some(
    (oid) => nameValues(request.csr.subject, oid).length > 1,
  );
  if (several)
    throw new CaError(
      "name_not_allowed",
      "the subject of the CSR has several common names or serial numbers, but a role accepts only one of each",
    );
  if (request.subjectSerial !== "" && role.serial_number_source === "json")
    throw new CaError(
      "name_not_allowed",
      "the role does not accept the subject's serial number from a CSR (serial_number_source)",
    );
}
