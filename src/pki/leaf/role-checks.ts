import { isKeyType, keyTypes } from "../../algorithms/table.ts";
import { joinWithOr } from "../../base/choice.ts";
import { parseInstant } from "../../base/duration.ts";
import { isOid } from "../../base/der.ts";
import { CaError } from "../../base/errors.ts";
import { truncateForMessage } from "../../base/names.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { checkKeyParameters } from "../../keys/generate.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { parseCidr } from "../../x509/address.ts";
import { deviceTypes } from "../../x509/device-name.ts";
import { isForCas, keyUsageName } from "../../x509/usage.ts";
import { findIssuer } from "../issuer/issuer.ts";
import { parseDeviceGlob } from "../request/device-names.ts";
import { parseOtherName } from "../request/other-name.ts";
import { readPolicies } from "../request/policies.ts";
import { checkSignatureBits } from "../request/scheme.ts";
import { isForbiddenBy } from "./profile.ts";
import type { Role } from "./role.ts";

/**
 * Validates a role, warns about settings that have no effect, and returns the role in its stored
 * form (A 7.2). Throws `bad_key` for an unsupported key size or hash size, and `role_violation` for
 * any other invalid value.
 */
export function checkedRole(role: Role, config: Snapshot, caller: Pick<Caller, "reply">): Role {
  for (const fault of faults) {
    const why = fault(role);
    if (why !== undefined) throw new CaError("role_violation", why);
  }
  const stored = storedForm(role);
  for (const [applies, warning] of warningsOf(role, stored.issuer_ref, config))
    if (applies) caller.reply.warn(warning);
  return stored;
}

/** A check of a role. Returns the error message if the role is invalid. */
type RoleFault = (role: Role) => string | undefined;

const faults: readonly RoleFault[] = [
  ({ ttl, max_ttl }) =>
    max_ttl > 0 && ttl > max_ttl ? '"ttl" value must be less than "max_ttl" value' : undefined,
  ({ key_type: type }) =>
    isKeyType(type) || type === "any"
      ? undefined
      : `unknown key type ${type.slice(0, 64)}: use ${joinWithOr([...keyTypes, "any"])}`,
  ({ ext_key_usage_oids: oids }) =>
    of(
      oids.find((oid) => !isOid(oid))?.slice(0, 64),
      (oid) => `"${oid}" could not be parsed as a valid oid for an extended key usage`,
    ),
  ({ allowed_other_sans: entries }) =>
    of(
      isAny(entries) ? undefined : entries.find((entry) => entry !== "" && !parseOtherName(entry)),
      (entry) => `error parsing allowed_other_sans: invalid other SAN ${entry.slice(0, 256)}`,
    ),
  ({ allowed_device_identifiers: entries }) =>
    of(
      entries.find((entry) => entry !== "" && !parseDeviceGlob(entry)),
      (entry) =>
        `allowed_device_identifiers: expected ${deviceTypes.map((type) => `${type}:<value>`).join(" or ")}, got ${truncateForMessage(entry)}`,
    ),
  ({ serial_number_source: source }) =>
    ["", "json", "json-csr"].includes(source)
      ? undefined
      : unknownValue("serial_number_source", source, "json-csr or json"),
  ({ allowed_ip_sans_cidr: ranges }) =>
    of(
      ranges.find((range) => range !== "" && !parseCidr(range)),
      (range) => `error parsing allowed_ip_sans_cidr: invalid CIDR address: ${range.slice(0, 64)}`,
    ),
  ({ not_before_bound: bound }) =>
    ["permit", "duration", "forbid"].includes(bound)
      ? undefined
      : unknownValue("not_before_bound", bound, "permit, duration or forbid"),
  ({ not_after_bound: bound }) =>
    ["permit", "ttl-limited", "forbid"].includes(bound) || isInstant(bound)
      ? undefined
      : unknownValue("not_after_bound", bound, "permit, ttl-limited, forbid or a time"),
];
const of = (stray: string | undefined, why: (stray: string) => string): string | undefined =>
  stray === undefined ? undefined : why(stray);
const unknownValue = (field: string, value: string, allowed: string): string =>
  `unknown value for field ${field}: ${value.slice(0, 64)}: use ${allowed}`;
const isAny = (entries: readonly string[]): boolean => entries.length === 1 && entries[0] === "*";
function isInstant(text: string): boolean {
  try {
    parseInstant(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the possible warnings about role settings that have no effect, and whether each applies.
 */
function warningsOf(
  role: Role,
  issuer: string,
  config: Snapshot,
): readonly (readonly [holds: boolean, warning: string])[] {
  const forCas = role.key_usage.filter((usage) => isForCas(keyUsageName(usage)));
  const forbidden = role.key_usage.filter((usage) =>
    isForbiddenBy(role, keyUsageName(usage) ?? ""),
  );
  return [
    [
      role.no_store && role.generate_lease,
      "mutually exclusive values no_store=true and generate_lease=true were both specified; no_store=true takes priority",
    ],
    [
      forCas.length > 0,
      `key usages ${forCas.join(", ")} are for CAs: certificates of this role are issued without them`,
    ],
    [
      forbidden.length > 0,
      `${role.key_type} keys can only sign: certificates of this role are issued without the key usages ${forbidden.join(", ")}`,
    ],
    [
      findIssuer(config, issuer) === undefined,
      `Issuing Certificate was set to ${truncateForMessage(issuer)} but no issuer exists with that reference`,
    ],
  ];
}

function storedForm(role: Role): Role {
  return {
    ...role,
    issuer_ref: role.issuer_ref || "default",
    generate_lease: role.generate_lease && !role.no_store,
    key_bits: checkKeyParameters(role.key_type, role.key_bits),
    signature_bits: checkSignatureBits(role.key_type, role.signature_bits),
    cn_validations: checkCnValidations(role.cn_validations),
    policy_identifiers: readPolicies(role.policy_identifiers),
    serial_number_source: role.serial_number_source || "json-csr",
  };
}

function checkCnValidations(values: readonly string[]): readonly string[] {
  const entries = values.map((value) => value.toLowerCase()).filter((value) => value !== "");
  if (entries.length === 0) return ["email", "hostname"];
  const areValid = entries.every((value) => ["email", "hostname", "disabled"].includes(value));
  if (
    !areValid ||
    new Set(entries).size !== entries.length ||
    (entries.includes("disabled") && entries.length > 1)
  )
    throw new CaError(
      "role_violation",
      `cn_validations value incorrect: ${values.join(",").slice(0, 256)}: use email, hostname, both, or disabled alone`,
    );
  return entries;
}
