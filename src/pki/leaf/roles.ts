import { isOid } from "../../base/der.ts";
import { CaError } from "../../base/errors.ts";
import { shown } from "../../base/names.ts";
import {
  duration,
  flag,
  int,
  list,
  strings,
  text,
  type Field,
  type Parsed,
} from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { withDefaults } from "../../engine/stored.ts";
import { checkKeyParameters } from "../../keys/generate.ts";
import { keys } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { subjectFields } from "../request/fields.ts";
import { findIssuer } from "../issuer/issuer.ts";
import { pageFields, rowsAfter } from "../request/paging.ts";
import { readPolicies } from "../request/policies.ts";
import { parseOtherSan } from "../request/names.ts";
import { parseCidr } from "../../x509/address.ts";
import { isForCas, keyUsageName } from "../../x509/usage.ts";
import { parseInstant } from "../../base/duration.ts";
import { checkSignatureBits } from "../request/scheme.ts";

/** The fields of a role (A 7.2): body and reply of its endpoints, and its row. */
export const roleFields = {
  issuer_ref: text.default("default", "The issuer that signs: `default`, an id or a name."),
  ttl: duration.default(0, "Lifetime when a request asks for none; 0 stands for the mount's."),
  max_ttl: duration.default(0, "Longest lifetime; 0 stands for the mount's."),
  allow_localhost: flag.default(true, "Allow `localhost` and `localdomain`."),
  allowed_domains: list.default([], "Domains that the flags below speak of."),
  allowed_domains_template: flag.default(false, "`allowed_domains` may hold identity templates."),
  allow_bare_domains: flag.default(false, "Allow the domains themselves."),
  allow_subdomains: flag.default(
    false,
    "Allow names below the domains, wildcards of them included.",
  ),
  allow_glob_domains: flag.default(false, "`*` in a domain matches any run of characters."),
  allow_any_name: flag.default(false, "Allow every name."),
  allow_wildcard_certificates: flag.default(
    true,
    "Allow names with a wildcard where the other rules do.",
  ),
  enforce_hostnames: flag.default(true, "Allow only names that are host names."),
  allow_ip_sans: flag.default(true, "Allow IP addresses."),
  allowed_ip_sans_cidr: list.default([], "Ranges that IP addresses must lie in; none for any."),
  allowed_uri_sans: list.default([], "URIs that are allowed, with `*` for any run of characters."),
  allowed_uri_sans_template: flag.default(false, "`allowed_uri_sans` may hold identity templates."),
  allow_globs_in_identity_templates: flag.default(
    false,
    "A value that fills a template may hold `*`.",
  ),
  allowed_other_sans: list.default(
    [],
    "Other names that are allowed, each `<oid>;UTF8:<value>` with `*` in the value, or `*`.",
  ),
  allowed_serial_numbers: list.default([], "Subject serial numbers that are allowed, with `*`."),
  allowed_user_ids: list.default([], "User ids that are allowed, with `*`."),
  server_flag: flag.default(true, "Certificates are for TLS servers."),
  client_flag: flag.default(true, "Certificates are for TLS clients."),
  code_signing_flag: flag.default(false, "Certificates are for signing code."),
  email_protection_flag: flag.default(false, "Certificates are for e-mail."),
  key_type: text.default("rsa", "`rsa`, `ec`, `ed25519`, or `any` for signing requests only."),
  key_bits: int.default(
    0,
    "Size of keys in bits, the least size for requests; 0 stands for 2048 (rsa) or 256 (ec).",
  ),
  signature_bits: int.default(0, "SHA-2 of 256, 384 or 512 bits for signatures of RSA issuers."),
  use_pss: flag.default(false, "PSS signatures from RSA issuers."),
  key_usage: list.default(
    ["DigitalSignature", "KeyAgreement", "KeyEncipherment"],
    "Key usages by name; none for no extension.",
  ),
  ext_key_usage: list.default([], "Extended key usages by name, beside the flags."),
  ext_key_usage_oids: list.default([], "Extended key usages by OID, beside the flags."),
  use_csr_common_name: flag.default(
    true,
    "When signing, take the common name from the request's CSR.",
  ),
  use_csr_sans: flag.default(true, "When signing, take alternative names from the request's CSR."),
  ...subjectFields,
  generate_lease: flag.default(false, "Certificates come with a lease."),
  no_store: flag.default(false, "Certificates are not stored."),
  no_store_metadata: flag.default(false, "Metadata is refused."),
  require_cn: flag.default(true, "A common name is required."),
  cn_validations: list.default(
    ["email", "hostname"],
    "What a common name may be: `email`, `hostname`, or `disabled`.",
  ),
  // not split at commas: a notice may hold some
  policy_identifiers: strings.default(
    [],
    "Certificate policies: OIDs, or JSON objects with `oid`, `cps`, `notice`.",
  ),
  basic_constraints_valid_for_non_ca: flag.default(
    false,
    "Leaves carry an empty basic constraints extension.",
  ),
  not_before_duration: duration.default(
    30,
    "How far the start of validity lies before the time of issue.",
  ),
  not_before: text.default("", "A fixed start of validity, RFC 3339."),
  not_after: text.default("", "A fixed end of validity, RFC 3339."),
  not_before_bound: text.default(
    "permit",
    "What a request's `not_before` may be: `permit`, `duration` (no earlier than not_before_duration), `forbid`.",
  ),
  not_after_bound: text.default(
    "permit",
    "What a request's `not_after` may be: `permit`, `ttl-limited` (no later than max_ttl), `forbid`, or the latest date, RFC 3339.",
  ),
  serial_number_source: text.default(
    "json-csr",
    "`json-csr`: the subject's serial number may come from the CSR; `json`: from the body only.",
  ),
} as const;

/** A role as stored. */
export type Role = Parsed<typeof roleFields>;
// what its declaration says of a field that is not sent holds for one that was not stored, too
const withFields = withDefaults(
  Object.fromEntries(
    Object.entries(roleFields).map(([name, field]) => [name, field.parse(undefined, name)]),
  ) as unknown as Role,
);
const read = new WeakMap<object, Role>();
/**
 * A stored role with the defaults of its fields under it. The same for the same row, since others
 * keep what they made of a role with it.
 */
export function storedRole(row: unknown): Role {
  if (typeof row !== "object" || row === null) return withFields(row);
  let role = read.get(row);
  if (!role) read.set(row, (role = withFields(row)));
  return role;
}
const readOnly = { allow_token_displayname: flag.default(false, "Always false.") } as const;
const roleReply = { ...roleFields, ...readOnly } as const;
const replyOf = (role: Role): Parsed<typeof roleReply> => ({
  ...role,
  allow_token_displayname: false,
});

const possibleName = /^\w(?:[\w.-]{0,253}\w)?$/;
/** The role of a name, as the configuration has it. */
export async function findRole(config: Snapshot, name: string): Promise<Role | undefined> {
  // not every text can be a key of the store
  if (!possibleName.test(name)) return undefined;
  const row = await config.role(name);
  return row && storedRole(row.value);
}
/** The role of an issuing request. */
export async function roleOf(config: Snapshot, name: string): Promise<Role> {
  const role = await findRole(config, name);
  if (!role) throw new CaError("unknown_role", `unknown role: ${name.slice(0, 256)}`);
  return role;
}

export const listRoles = endpoint({
  id: "listRoles",
  at: ["LIST /roles"],
  access: "token",
  style: envelope,
  doc: "Lists the names of the roles.",
  body: pageFields,
  reply: { keys: list.required("Names, sorted.") },
  refuses: ["not_found"],
  run: async (ca, input) => {
    const rows = await ca.store.list("role/", { values: false, ...rowsAfter("role/", input) });
    if (rows.length === 0) throw new CaError("not_found", "");
    return { keys: rows.map(([key]) => key.slice("role/".length)) };
  },
});

export const readRole = endpoint({
  id: "readRole",
  at: ["GET /roles/:name"],
  access: "token",
  style: envelope,
  doc: "Reads a role.",
  body: {},
  reply: roleReply,
  refuses: ["not_found"],
  run: async (ca, { name }) => {
    const role = await findRole(await ca.config(), name);
    if (!role) throw new CaError("not_found", "");
    return replyOf(role);
  },
});

export const writeRole = endpoint({
  id: "writeRole",
  at: ["POST /roles/:name"],
  access: "token",
  style: envelope,
  doc: "Creates a role or replaces it; what is not sent takes its default.",
  body: roleFields,
  ignores: ["backend"],
  reply: roleReply,
  refuses: ["invalid_field", "role_violation", "bad_key"],
  run: (ca, { name, ...input }, caller) =>
    ca.configure((config) => {
      const role = checkRole(input, config, caller);
      return { reply: replyOf(role), batch: { put: [[keys.role(name), role]] } };
    }),
});

/** A null duration leaves the field as it is (A 7.2). */
const unsent = (raw: unknown, field: Field<unknown>): boolean =>
  raw === undefined || (raw === null && field.json["format"] === "go-duration");
/** Every field of a role as a patch may carry it: absent when not sent. */
const patchFields = Object.fromEntries(
  Object.entries(roleFields).map(([name, field]) => [
    name,
    {
      ...field,
      parse: (raw: unknown, at: string) => (unsent(raw, field) ? undefined : field.parse(raw, at)),
    },
  ]),
) as unknown as { readonly [K in keyof typeof roleFields]: Field<Role[K] | undefined, false> };

export const patchRole = endpoint({
  id: "patchRole",
  at: ["PATCH /roles/:name"],
  access: "token",
  style: envelope,
  doc: "Changes the fields of a role that are sent.",
  body: patchFields,
  ignores: ["backend"],
  reply: roleReply,
  refuses: ["invalid_field", "role_violation", "unknown_role", "bad_key"],
  run: (ca, { name, ...input }, caller) =>
    ca.configure(async (config) => {
      const held = await config.role(name);
      if (!held) throw new CaError("unknown_role", "Unable to fetch role entry to patch");
      const given = Object.fromEntries(
        Object.entries(input).filter(([, value]) => value !== undefined),
      );
      const role = checkRole({ ...storedRole(held.value), ...given }, config, caller);
      return {
        reply: replyOf(role),
        batch: { expect: [[keys.role(name), held.rev]], put: [[keys.role(name), role]] },
      };
    }),
});

export const deleteRole = endpoint({
  id: "deleteRole",
  at: ["DELETE /roles/:name"],
  access: "token",
  style: envelope,
  doc: "Deletes a role. Certificates that it issued stay valid.",
  body: {},
  reply: {},
  run: (ca, { name }) =>
    ca.configure(() => ({ reply: undefined, batch: { del: [keys.role(name)] } })),
});

const invalid = (why: string) => new CaError("role_violation", why);

/** Checks a role when it is written and brings it to its stored form (A 7.2). */
function checkRole(role: Role, config: Snapshot, caller: Caller): Role {
  if (role.max_ttl > 0 && role.ttl > role.max_ttl)
    throw invalid('"ttl" value must be less than "max_ttl" value');
  if (!["rsa", "ec", "ed25519", "any"].includes(role.key_type))
    throw invalid(`unknown key type ${role.key_type.slice(0, 64)}: use rsa, ec, ed25519 or any`);
  for (const oid of role.ext_key_usage_oids)
    if (!isOid(oid))
      throw invalid(
        `"${oid.slice(0, 64)}" could not be parsed as a valid oid for an extended key usage`,
      );
  if (!(role.allowed_other_sans.length === 1 && role.allowed_other_sans[0] === "*"))
    for (const entry of role.allowed_other_sans)
      if (entry !== "" && !parseOtherSan(entry))
        throw invalid(`error parsing allowed_other_sans: invalid other SAN ${entry.slice(0, 256)}`);
  if (!["", "json", "json-csr"].includes(role.serial_number_source))
    throw invalid(
      `unknown value for field serial_number_source: ${role.serial_number_source.slice(0, 64)}: use json-csr or json`,
    );
  for (const range of role.allowed_ip_sans_cidr)
    if (range !== "" && !parseCidr(range))
      throw invalid(
        `error parsing allowed_ip_sans_cidr: invalid CIDR address: ${range.slice(0, 64)}`,
      );
  checkBounds(role);
  if (role.no_store && role.generate_lease)
    caller.warn(
      "mutually exclusive values no_store=true and generate_lease=true were both specified; no_store=true takes priority",
    );
  const forCas = role.key_usage.filter((usage) => isForCas(keyUsageName(usage)));
  if (forCas.length)
    caller.warn(
      `key usages ${forCas.join(", ")} are for CAs: what the role issues is issued without them`,
    );
  const issuer = role.issuer_ref || "default";
  if (!findIssuer(config, issuer))
    caller.warn(
      `Issuing Certificate was set to ${shown(issuer)} but no issuer exists with that reference`,
    );
  const keyed = role.key_type === "rsa" || role.key_type === "ec";
  return {
    ...role,
    issuer_ref: issuer,
    generate_lease: role.generate_lease && !role.no_store,
    // "any" and "ed25519" have no size
    key_bits: keyed ? checkKeyParameters(role.key_type, role.key_bits) : 0,
    signature_bits: checkSignatureBits(role.key_type, role.signature_bits),
    cn_validations: checkCnValidations(role.cn_validations),
    policy_identifiers: readPolicies(role.policy_identifiers),
    serial_number_source: role.serial_number_source || "json-csr",
  };
}

function checkBounds(role: Role): void {
  if (!["permit", "duration", "forbid"].includes(role.not_before_bound))
    throw invalid(
      `unknown value for field not_before_bound: ${role.not_before_bound.slice(0, 64)}: use permit, duration or forbid`,
    );
  if (["permit", "ttl-limited", "forbid"].includes(role.not_after_bound)) return;
  try {
    parseInstant(role.not_after_bound);
  } catch {
    throw invalid(
      `unknown value for field not_after_bound: ${role.not_after_bound.slice(0, 64)}: use permit, ttl-limited, forbid or a time`,
    );
  }
}

function checkCnValidations(values: readonly string[]): readonly string[] {
  const kept = values.map((value) => value.toLowerCase()).filter((value) => value !== "");
  if (kept.length === 0) return ["email", "hostname"];
  const known = kept.every((value) => ["email", "hostname", "disabled"].includes(value));
  if (
    !known ||
    new Set(kept).size !== kept.length ||
    (kept.includes("disabled") && kept.length > 1)
  )
    throw invalid(
      `cn_validations value incorrect: ${values.join(",").slice(0, 256)}: use email, hostname, both, or disabled alone`,
    );
  return kept;
}
