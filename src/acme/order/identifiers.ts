import { CaError, type Refusal } from "../../base/errors.ts";
import {
  endsInNumber,
  isWithinDnsLimits,
  isHostName,
  lowerAscii,
  truncateForMessage,
  toAscii,
} from "../../base/names.ts";
import { decodePunycode } from "../../base/punycode.ts";
import { joinWithOr } from "../../base/choice.ts";
import { checkAddresses } from "../../pki/leaf/certificate-fields.ts";
import type { Role } from "../../pki/leaf/role.ts";
import { requireDevice } from "../../pki/request/device-names.ts";
import { nameVerdict } from "../../pki/request/names.ts";
import { failFast } from "../../pki/request/rule-checker.ts";
import { ipToBytes, ipToText } from "../../x509/address.ts";
import {
  deviceTypes,
  isDeviceType,
  splitDeviceName,
  type DeviceName,
  type DeviceType,
} from "../../x509/device-name.ts";
import { AcmeProblem, problemTypeOf, type Subproblem } from "../protocol/problem.ts";
import type { AcmeIdentifier, BindingRow } from "../rows/records.ts";
import { isAllowed } from "./allowed-identifiers.ts";

/** The rules for the identifiers of an order. */
interface IdentifierRules {
  readonly role: Role;
  /** The limits of the account's binding, if there are any. */
  readonly limits: Pick<BindingRow, "allowed_identifiers"> | undefined;
  /** Whether devices can attest their names. */
  readonly attests: boolean;
}

/** Maximum number of identifiers in an order (D 5). */
export const maxIdentifiers = 100;

/**
 * Parses the identifiers of a new order: names in lower case, addresses as in RFC 5952. Rejects (B
 * 5.9) an invalid list, identifiers that no challenge can validate, and those that the role or the
 * account's binding does not allow. Reports every rejected identifier.
 */
export function readIdentifiers(sent: unknown, rules: IdentifierRules): readonly AcmeIdentifier[] {
  if (!Array.isArray(sent) || sent.length === 0)
    throw new CaError("malformed", "identifiers must be a list with at least one identifier");
  if (sent.length > maxIdentifiers)
    throw new CaError(
      "malformed",
      `an order may have at most ${maxIdentifiers} identifiers; this one has ${sent.length}`,
    );
  const identifiers = sent.map(readIdentifier);
  const faults = identifiers.flatMap((identifier) => faultOf(identifier, rules) ?? []);
  const [first, ...more] = faults;
  if (!first) return identifiers;
  if (more.length === 0) throw new CaError(first.code, first.detail);
  const isOneType = more.every(({ code }) => problemTypeOf(code) === problemTypeOf(first.code));
  throw new AcmeProblem(
    isOneType ? first.code : "compound",
    `${faults.length} of the ${identifiers.length} identifiers are rejected`,
    { subproblems: faults },
  );
}

function readIdentifier(sent: unknown): AcmeIdentifier {
  if (typeof sent === "object" && sent !== null && "type" in sent && "value" in sent) {
    const { type, value } = sent;
    if (typeof type === "string" && typeof value === "string")
      return { type, value: normalized(type, value) };
  }
  throw new CaError("malformed", "each identifier must have a type and a value, both strings");
}

/** Normalizes an identifier, because clients pass user input unchanged. */
function normalized(type: string, value: string): string {
  if (type === "dns") return lowerAscii(value);
  const address = type === "ip" ? ipToBytes(value) : undefined;
  return address ? ipToText(address) : value;
}

const fault = (code: Refusal, detail: string): Omit<Subproblem, "identifier"> => ({ code, detail });
function faultOf(identifier: AcmeIdentifier, rules: IdentifierRules): Subproblem | undefined {
  const { type, value } = identifier;
  const subproblem =
    ruleFault(identifier, rules) ??
    (!rules.limits || isAllowed(rules.limits.allowed_identifiers, identifier)
      ? undefined
      : fault(
          "rejected_identifier",
          `the external account binding of the account does not allow ${truncateForMessage(value)}`,
        ));
  // truncated as in the error message
  return (
    subproblem && {
      ...subproblem,
      identifier: { type: truncateForMessage(type), value: truncateForMessage(value) },
    }
  );
}

/**
 * Returns the problem if an identifier has an unsupported type or an invalid form, or if the role
 * does not allow it.
 */
function ruleFault(
  { type, value }: AcmeIdentifier,
  { role, attests }: IdentifierRules,
): Omit<Subproblem, "identifier"> | undefined {
  if (type === "dns") return nameFault(value, role);
  if (type === "ip") return addressFault(value, role);
  if (attests && isDeviceType(type)) return deviceFault({ type, value }, role);
  const supported = ["dns", "ip", ...(attests ? deviceTypes : [])];
  return fault(
    "unsupported_identifier",
    `the identifier type ${truncateForMessage(type)} is not supported: use ${joinWithOr(supported)}`,
  );
}

function deviceFault(name: DeviceName, role: Role): Omit<Subproblem, "identifier"> | undefined {
  if (!splitDeviceName(name))
    return fault(
      "malformed",
      `${truncateForMessage(name.value)} is not a ${name.type}: expected ${deviceForms[name.type]}`,
    );
  try {
    requireDevice(role.allowed_device_identifiers, name);
    return undefined;
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    return fault("rejected_identifier", error.message);
  }
}
const deviceForms: Readonly<Record<DeviceType, string>> = {
  "permanent-identifier": "an identifier, or one followed by a slash and the OID of its assigner",
  "hardware-module": "a serial number, a slash and the OID of the type of the module",
};

function nameFault(value: string, role: Role): Omit<Subproblem, "identifier"> | undefined {
  const why = formFault(value);
  if (why !== undefined) return fault("malformed", `${truncateForMessage(value)} ${why}`);
  const { allowed, rule } = nameVerdict(role, value);
  return allowed
    ? undefined
    : fault("rejected_identifier", `the role does not allow the name ${value} (${rule})`);
}
/** Returns the reason why a DNS name, in the form used in certificates, is not valid, if any. */
function formFault(value: string): string | undefined {
  const base = value.startsWith("*.") ? value.slice(2) : value;
  if (base.includes("*"))
    return value === "*" || !value.includes(".")
      ? "is not a valid name: a wildcard must be followed by a domain"
      : "is not a valid name: a wildcard must be the whole first label, and the only one";
  if (ipToBytes(value)) return "is an IP address: use an identifier of type ip";
  if (!isHostName(base) || base.endsWith(".") || !isWithinDnsLimits(value) || endsInNumber(base))
    return "is not a DNS name";
  return base.split(".").every(isCanonical) ? undefined : "is not the ASCII form of a DNS name";
}
/**
 * Reports whether a label is in canonical IDNA form, so that decoding and encoding it returns the
 * same label.
 */
function isCanonical(label: string): boolean {
  if (label !== label.toLowerCase()) return false;
  if (!label.startsWith("xn--")) return true;
  const text = decodePunycode(label.slice("xn--".length));
  if (text === undefined || !/\P{ASCII}/u.test(text)) return false;
  if (text !== text.normalize("NFC") || text !== text.toLowerCase()) return false;
  try {
    return toAscii(text) === label;
  } catch (error) {
    if (error instanceof CaError) return false;
    throw error;
  }
}

function addressFault(value: string, role: Role): Omit<Subproblem, "identifier"> | undefined {
  if (!ipToBytes(value))
    return fault("malformed", `${truncateForMessage(value)} is not an IP address`);
  try {
    checkAddresses({ input: { ip_sans: [value] }, checker: failFast }, role, undefined);
    return undefined;
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    return fault("rejected_identifier", `the role does not allow the address ${value}`);
  }
}
