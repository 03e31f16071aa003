import { acmeConfig } from "../rows/config.ts";
import { parseInstant, rfc3339 } from "../../base/duration.ts";
import { CaError, recode } from "../../base/errors.ts";
import { lowerAscii, truncateForMessage } from "../../base/names.ts";
import type { Mount } from "../../engine/mount.ts";
import type { CertRow } from "../../pki/rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { requireValidChain } from "../../pki/issuer/constraints.ts";
import type { SigningIssuer } from "../../pki/issuer/issuer.ts";
import { validityFor, withoutWarnings, type LifetimeRules } from "../../pki/issuer/validity.ts";
import { checkCertificateFields } from "../../pki/leaf/certificate-fields.ts";
import type { ApprovedLeaf } from "../../pki/leaf/leaf.ts";
import { profileOf } from "../../pki/leaf/profile.ts";
import type { Role } from "../../pki/leaf/role.ts";
import { checkRequestKey, type SigningRequest } from "../../pki/request/request.ts";
import { type IssuanceContext, failFast } from "../../pki/request/rule-checker.ts";
import { isLongCommonName, subjectOf, type CertificateFields } from "../../pki/request/template.ts";
import type { Caller } from "../../wire/endpoint.ts";
import type { DirectoryTarget } from "../protocol/selection.ts";
import { isHost } from "../validation/challenge-type.ts";
import type { AcmeIdentifier, OrderRow } from "../rows/records.ts";
import { type AccountBinding, certificateMetadata } from "./binding.ts";
import { tlsFeatureOf } from "./csr-extensions.ts";
import { addressOf, devicesOf, identifiersOfType } from "./csr.ts";
import { acmeLifetimes } from "./lifetimes.ts";
import { requireDevice } from "../../pki/request/device-names.ts";
import { splitDeviceName, type DeviceName } from "../../x509/device-name.ts";

/** The input for the certificate of an order. */
interface FinalizeContext {
  readonly mount: Mount;
  readonly config: Snapshot;
  readonly caller: Caller;
  readonly order: Pick<OrderRow, "identifiers" | "not_after">;
  readonly selection: DirectoryTarget;
  readonly issuer: SigningIssuer;
  readonly request: SigningRequest;
  readonly acme: NonNullable<CertRow["acme"]>;
  readonly binding: AccountBinding | undefined;
}

/**
 * Returns the leaf of an order with its validated names, for the key of its CSR, within the limits
 * of the role, the mount and the issuer. Uses only the key, the common name and the TLS features of
 * the CSR (B 5.4 rule 5). Throws `bad_csr` if the names or the key cannot be certified.
 */
export function leafFromOrder(it: FinalizeContext): ApprovedLeaf {
  try {
    return approveLeaf(it);
  } catch (error) {
    if (error instanceof CaError && error.code !== "storage")
      throw new CaError("bad_csr", `refusing to sign CSR: ${error.message}`);
    throw error;
  }
}
function approveLeaf({
  mount,
  config,
  caller,
  order,
  selection,
  issuer,
  request,
  acme,
  binding,
}: FinalizeContext) {
  const { role, name } = selection;
  checkRequestKey(request, role.key_type, role.key_bits);
  const commonName = commonNameOf(order.identifiers, role, request);
  const it = {
    mount,
    config,
    input: inputOf(order, commonName),
    // ACME responses have no warnings, so a client sees shortened values only in the certificate
    caller: withoutWarnings(caller),
    checker: failFast,
  };
  const checked = checkCertificateFields(it, {
    role: ruling(role, commonName, lifetimesOf(config, role, mount.ports.now())),
    issuer: truncating(issuer),
  });
  const devices = devicesOf(order.identifiers);
  const { attestation_names: places } = config.get(acmeConfig);
  const own = withDevices(checked, devices, { role, commonName, places });
  const profile = profileOf(role);
  const feature = tlsFeatureOf(request);
  requireValidChain(it, issuer.row, { ...profile, ...own });
  return {
    issuer,
    role: name,
    path: "",
    rules: { generate_lease: false, no_store: false },
    format: "pem" as const,
    metadata: certificateMetadata(binding, role),
    profile,
    own: { ...own, spki: request.csr.spki, ...(feature ? { extra: [feature] } : {}) },
    acme,
  };
}
type Names = IssuanceContext<Parameters<typeof checkCertificateFields>[0]["input"]>["input"];
function inputOf({ identifiers, not_after }: FinalizeContext["order"], commonName: string): Names {
  return {
    common_name: commonName,
    alt_names: identifiersOfType(identifiers, "dns").join(","),
    ip_sans: identifiersOfType(identifiers, "ip"),
    uri_sans: [],
    other_sans: [],
    user_ids: [],
    serial_number: "",
    exclude_cn_from_sans: false,
    not_after: not_after === undefined ? "" : rfc3339(not_after),
  };
}

/**
 * Returns the common name of the CSR, or else, if the role requires one, the first wildcard, name
 * or address (B 5.9). A name longer than 64 characters is not used. In that case no common name is
 * required, because the name is among the alternative names, as RFC 8555 section 7.4 permits.
 */
function commonNameOf(
  identifiers: readonly AcmeIdentifier[],
  role: Role,
  { commonName }: SigningRequest,
): string {
  const hosts = identifiers.filter(isHost);
  // a common name that is not a host is the name of a device; see `withDevices`
  const name = addressOf(commonName) ?? lowerAscii(commonName);
  if (name !== "" && !isLongCommonName(name) && hosts.some(({ value }) => value === name))
    return name;
  if (!role.require_cn) return "";
  const short = hosts.filter(({ value }) => !isLongCommonName(value));
  const first =
    short.find(({ value }) => value.startsWith("*.")) ??
    short.find(({ type }) => type === "dns") ??
    short[0];
  return first?.value ?? "";
}

/**
 * Returns the role with the given lifetimes. A common name that is an address is checked as an
 * address.
 */
const ruling = (role: Role, commonName: string, lifetimes: LifetimeRules): Role => ({
  ...role,
  ...lifetimes,
  ...(addressOf(commonName) === undefined ? {} : { cn_validations: ["disabled"] }),
  // no name is short enough for a common name
  ...(commonName === "" && { require_cn: false }),
});

/**
 * Returns the role's lifetimes, capped at `max_ttl` of config/acme (B 5.9). `now` is in Unix
 * milliseconds.
 */
function lifetimesOf(config: Snapshot, role: Role, now: number): LifetimeRules {
  const acme = config.get(acmeConfig);
  const { not_after } = role;
  const isLate =
    not_after !== "" && parseInstant(not_after) > Math.floor(now / 1000) + acme.max_ttl;
  return isLate
    ? { ...role, not_after: "", ttl: acme.max_ttl, max_ttl: acme.max_ttl }
    : acmeLifetimes(config, role);
}

/**
 * Returns the issuer with `leaf_not_after_behavior` set to truncate certificates that would outlive
 * the issuer. Keeps `always_enforce_err` (B 5.9).
 */
const truncating = (issuer: SigningIssuer): SigningIssuer =>
  issuer.row.leaf_not_after_behavior === "err"
    ? { ...issuer, row: { ...issuer.row, leaf_not_after_behavior: "truncate" } }
    : issuer;

/** Throws `malformed` for a notAfter that the role or `max_ttl` does not currently allow. */
export function checkEnd(
  { mount, config, caller }: Pick<FinalizeContext, "mount" | "config" | "caller">,
  role: Role,
  end: number,
): void {
  const now = mount.ports.now();
  if (end <= now / 1000) throw new CaError("malformed", `notAfter ${rfc3339(end)} is in the past`);
  recode("malformed", () =>
    validityFor({ not_after: rfc3339(end) }, lifetimesOf(config, role, now), {
      now,
      mount: config.mount,
      caller: withoutWarnings(caller),
      overMax: "refuse",
    }),
  );
}

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
function withDevices<F extends Pick<CertificateFields, "names" | "subject">>(
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
