import { CaError } from "../../base/errors.ts";
import { truncateForMessage } from "../../base/names.ts";
import type { Role } from "../../pki/leaf/role.ts";
import { requireDevice } from "../../pki/request/device-names.ts";
import { isLongCommonName, subjectOf, type CertificateFields } from "../../pki/request/template.ts";
import { splitDeviceName, type DeviceName } from "../../x509/device-name.ts";

/** The rules for device names in a certificate. */
interface DeviceRules {
  readonly role: Role;
  /** The common name, if it is a host; otherwise "". */
  readonly commonName: string;
  /** Parts of the certificate that contain the device name: some of `attestationPlaces`. */
  readonly places: readonly string[];
}

/**
 * Adds attested device names to the fields of a certificate, in the places that the configuration
 * specifies. Throws `name_not_allowed` if the role does not allow one of them or the subject cannot
 * contain it, and `role_violation` if the certificate would have no name.
 */
export function withDevices<F extends Pick<CertificateFields, "names" | "subject">>(
  fields: F,
  devices: readonly DeviceName[],
  { role, commonName, places }: DeviceRules,
): F {
  const [first] = devices;
  if (!first) return fields;
  for (const name of devices) requireDevice(role.allowed_device_identifiers, name);
  const id = splitDeviceName(first)?.id ?? "";
  const inName = places.includes("common_name") && commonName === "";
  const inSerial = places.includes("serial_number");
  if (inName || inSerial) requireFits(id);
  if (inName) requireNoHost(id);
  const subject =
    inName || inSerial
      ? subjectOf(role, inName ? id : commonName, inSerial ? id : "")
      : fields.subject;
  const names = places.includes("san") ? { ...fields.names, device: devices } : fields.names;
  if (subject.length === 0 && [...names.dns, ...names.ip, ...(names.device ?? [])].length === 0)
    throw new CaError(
      "role_violation",
      "the certificate would have no name: extend attestation_names, or set a subject in the role",
    );
  return { ...fields, subject, names };
}

/**
 * Rejects an identifier that is too long for the common name or the serial number, which have the
 * same limit (RFC 5280 appendix A.1).
 */
function requireFits(id: string): void {
  if (isLongCommonName(id))
    throw new CaError(
      "name_not_allowed",
      `the device identifier ${truncateForMessage(id)} is too long for the subject`,
    );
}
/** Rejects a common name that clients may interpret as a host name or an email address. */
function requireNoHost(id: string): void {
  if (/[.:@*]/.test(id))
    throw new CaError(
      "name_not_allowed",
      `the device identifier ${truncateForMessage(id)} contains one of . : @ *, so it cannot be a common name`,
    );
}
