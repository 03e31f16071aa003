import { keys } from "../rows/records.ts";
import { policiesForm } from "../request/policies.ts";
import { deviceGlobForm } from "../request/device-names.ts";
import { otherNameForm } from "../request/other-name.ts";
import { extKeyUsageForm, keyUsageForm, rangeForm } from "../../x509/forms.ts";
import {
  listForm,
  hostForm,
  instantForm,
  lowerCaseForm,
  referenceForm,
  uriForm,
} from "../../base/forms.ts";
import { keyTypeDoc, keyTypes, usualSizeDoc } from "../../algorithms/table.ts";
import { CaError } from "../../base/errors.ts";
import { memoize } from "../../base/memo.ts";
import type { Entity } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { rowReader } from "../../engine/row-reader.ts";
import {
  duration,
  flag,
  withNormalForm,
  int,
  list,
  type Parsed,
  strings,
  text,
} from "../../wire/field.ts";
import { subjectFields } from "../request/fields.ts";
import { isReference } from "../../base/names.ts";

/** Normalizes a role's issuer reference; an empty reference means the default issuer. */
const roleIssuerForm = (name: string): string => referenceForm(name || "default");
/**
 * The fields of a role (A 7.2), which are the request body and response of its endpoints, and the
 * stored row.
 */
export const roleFields = {
  issuer_ref: withNormalForm(text, roleIssuerForm).default(
    "default",
    "Issuer that signs the certificates: `default`, an ID or a name.",
  ),
  ttl: duration.default(0, "Lifetime if the request specifies none; 0 means the mount's default."),
  max_ttl: duration.default(0, "Maximum lifetime; 0 means the mount's maximum."),
  allow_localhost: flag.default(true, "Allow `localhost` and `localdomain`."),
  allowed_domains: withNormalForm(list, listForm(hostForm)).default(
    [],
    "Domains to which `allow_bare_domains`, `allow_subdomains` and `allow_glob_domains` apply.",
  ),
  allowed_domains_template: flag.default(
    false,
    "`allowed_domains` may contain identity templates.",
  ),
  allow_bare_domains: flag.default(false, "Allow the domains in `allowed_domains` themselves."),
  allow_subdomains: flag.default(
    false,
    "Allow subdomains of `allowed_domains`, including wildcard names.",
  ),
  allow_glob_domains: flag.default(false, "Let `*` in `allowed_domains` match any characters."),
  allow_any_name: flag.default(false, "Allow any name."),
  allow_wildcard_certificates: flag.default(true, "Allow wildcard names that other rules allow."),
  enforce_hostnames: flag.default(true, "Allow only valid host names."),
  allow_ip_sans: flag.default(true, "Allow IP addresses."),
  allowed_ip_sans_cidr: withNormalForm(list, listForm(rangeForm)).default(
    [],
    "CIDR ranges in which IP addresses must be; if empty, any address is allowed.",
  ),
  allowed_uri_sans: withNormalForm(list, listForm(uriForm)).default(
    [],
    "Allowed URIs; `*` matches any characters.",
  ),
  allowed_uri_sans_template: flag.default(
    false,
    "`allowed_uri_sans` may contain identity templates.",
  ),
  allow_globs_in_identity_templates: flag.default(
    false,
    "Allow values that contain `*` to be filled into templates.",
  ),
  allowed_other_sans: withNormalForm(list, listForm(otherNameForm)).default(
    [],
    "Allowed otherName SANs: `<oid>;UTF8:<value>`, where `*` in the value matches any characters, or `*` alone for all except device names.",
  ),
  allowed_device_identifiers: withNormalForm(list, listForm(deviceGlobForm)).default(
    [],
    "Devices that may be attested with ACME: `permanent-identifier:<value>` or `hardware-module:<value>`, where `*` in the value matches any characters.",
  ),
  allowed_serial_numbers: list.default(
    [],
    "Allowed subject serial numbers; `*` matches any characters.",
  ),
  allowed_user_ids: list.default([], "Allowed user IDs; `*` matches any characters."),
  server_flag: flag.default(true, "Add the extended key usage for TLS servers."),
  client_flag: flag.default(true, "Add the extended key usage for TLS clients."),
  code_signing_flag: flag.default(false, "Add the extended key usage for code signing."),
  email_protection_flag: flag.default(false, "Add the extended key usage for email protection."),
  key_type: text.default("rsa", `${keyTypeDoc}; or \`any\`, which allows only signing CSRs.`, [
    ...keyTypes,
    "any",
  ]),
  key_bits: int.default(
    0,
    `Key size in bits. For keys in CSRs, this is the minimum size. 0 means ${usualSizeDoc}.`,
  ),
  signature_bits: int.default(
    0,
    "SHA-2 size for signatures by RSA issuers: 256, 384 or 512 bits; 0 means 256.",
    [0, 256, 384, 512],
  ),
  use_pss: flag.default(
    false,
    "Use PSS instead of PKCS#1 v1.5 padding for signatures by RSA issuers.",
  ),
  key_usage: withNormalForm(list, listForm(keyUsageForm)).default(
    ["DigitalSignature", "KeyAgreement", "KeyEncipherment"],
    "Names of key usages; if empty, certificates have no key usage extension.",
  ),
  ext_key_usage: withNormalForm(list, listForm(extKeyUsageForm)).default(
    [],
    "Names of additional extended key usages.",
  ),
  ext_key_usage_oids: list.default([], "OIDs of additional extended key usages."),
  use_csr_common_name: flag.default(true, "When signing, take the common name from the CSR."),
  use_csr_sans: flag.default(
    true,
    "When signing a CSR, take the subject alternative names from it.",
  ),
  ...subjectFields,
  generate_lease: flag.default(false, "Create a lease for each certificate."),
  no_store: flag.default(false, "Do not store certificates after issuing them."),
  no_store_metadata: flag.default(false, "Reject requests with metadata."),
  require_cn: flag.default(true, "Require a common name."),
  cn_validations: withNormalForm(list, listForm(lowerCaseForm)).default(
    ["email", "hostname"],
    "Required format of the common name: `email`, `hostname` or both. With only `disabled`, the common name may have any format and need not be an allowed name.",
    ["email", "hostname", "disabled"],
  ),
  // the list is not split at commas, because a notice may contain them
  policy_identifiers: withNormalForm(strings, policiesForm).default(
    [],
    "Certificate policies: OIDs, or JSON objects with `oid`, `cps` and `notice`.",
  ),
  basic_constraints_valid_for_non_ca: flag.default(
    false,
    "Add a basic constraints extension without CA rights to leaf certificates.",
  ),
  not_before_duration: duration.default(30, "Duration by which notBefore is backdated."),
  not_before: withNormalForm(text, instantForm).default(
    "",
    "Fixed start of the validity period (notBefore), RFC 3339.",
  ),
  not_after: withNormalForm(text, instantForm).default(
    "",
    "Fixed end of the validity period (notAfter), RFC 3339.",
  ),
  not_before_bound: text.default(
    "permit",
    "Whether requests may set `not_before`: `permit`, `duration` (no earlier than `not_before_duration` allows) or `forbid`.",
    ["permit", "duration", "forbid"],
  ),
  not_after_bound: withNormalForm(text, instantForm).default(
    "permit",
    "Whether requests may set `not_after`: `permit`, `ttl-limited` (no later than `max_ttl` allows), `forbid`, or the latest time allowed, in RFC 3339 format.",
  ),
  serial_number_source: text.default(
    "json-csr",
    "Source of the subject's serial number attribute: `json-csr` (body or CSR) or `json` (body only).",
    ["json-csr", "json"],
  ),
} as const;

/** A role as stored. */
export type Role = Parsed<typeof roleFields>;
/** The role defaults. */
export const defaultRole = Object.fromEntries(
  Object.entries(roleFields).map(([name, field]) => [name, field.parse(undefined, name)]),
  // each parser returns the type of its field, but `Object.entries` loses these types
) as unknown as Role;
// sets missing fields to their defaults
const withFields = rowReader(defaultRole);
const readRow = memoize((row: object): Role => withFields(row));
/**
 * Returns a stored role with defaults for missing fields. Returns the same object for the same row,
 * because caches use it as a key.
 */
export const storedRole = (row: unknown): Role =>
  typeof row === "object" && row !== null ? readRow(row) : withFields(row);

/** Finds a role in the configuration. */
export async function findRole(config: Snapshot, name: string): Promise<Role | undefined> {
  // not every string can be part of a key in the store
  if (!isReference(name)) return undefined;
  const row = await config.row(keys.role(name));
  return row && storedRole(row.value);
}
/**
 * Returns the role of an issuance request, with its identity templates filled in for the caller's
 * entity. Without an entity, templates are compared literally (A 7.4). Throws `unknown_role` if
 * there is no such role.
 */
export async function roleOf(config: Snapshot, name: string, entity?: Entity): Promise<Role> {
  const role = await findRole(config, name);
  if (!role) throw new CaError("unknown_role", `unknown role: ${name.slice(0, 256)}`);
  const isTemplate = role.allowed_domains_template || role.allowed_uri_sans_template;
  return entity && isTemplate ? forEntity(role, entity) : role;
}

/** The fields of a role that may contain templates, and the flags that enable them. */
interface Templated {
  readonly allowed_domains: readonly string[];
  readonly allowed_domains_template: boolean;
  readonly allowed_uri_sans: readonly string[];
  readonly allowed_uri_sans_template: boolean;
  readonly allow_globs_in_identity_templates: boolean;
}

const placeholder = /\{\{\s*identity\.([^{}]+?)\s*\}\}/g;

/**
 * Returns the role with the identity templates in `allowed_domains` and `allowed_uri_sans` filled
 * in for an entity (A 7.4). Drops entries that cannot be filled in. Also drops entries filled in
 * with a value that contains `*`, which would let the caller choose a glob, unless the role allows
 * such values.
 */
function forEntity<R extends Templated>(role: R, entity: Entity): R {
  // a cached role has the type of the role from which it was computed
  const roles = filledRoles(role) as Map<string, R>;
  const key = JSON.stringify(entity);
  let filled = roles.get(key);
  if (!filled) {
    if (roles.size >= maxEntities) roles.clear();
    roles.set(key, (filled = filledFor(role, entity)));
  }
  return filled;
}
/**
 * Cache of roles filled in for recent entities, because filling in a thousand entries takes nearly
 * a millisecond.
 */
const filledRoles = memoize(() => new Map<string, Templated>());
const maxEntities = 20;

function filledFor<R extends Templated>(role: R, entity: Entity): R {
  const fill = (list: readonly string[]) =>
    list.flatMap((entry) => fillTemplate(entry, entity, role.allow_globs_in_identity_templates));
  return {
    ...role,
    allowed_domains: role.allowed_domains_template
      ? fill(role.allowed_domains)
      : role.allowed_domains,
    allowed_uri_sans: role.allowed_uri_sans_template
      ? fill(role.allowed_uri_sans)
      : role.allowed_uri_sans,
  };
}

function fillTemplate(entry: string, entity: Entity, globs: boolean): readonly string[] {
  let complete = true;
  const text = entry.replace(placeholder, (_, path: string) => {
    const value = valueOf(path, entity);
    if (value === undefined || value === "" || (value.includes("*") && !globs)) complete = false;
    return value ?? "";
  });
  return complete && !text.includes("{{") ? [text] : [];
}

/**
 * Returns the value of a template path (without `identity.`), such as `entity.name` or
 * `groups.names.ops.id`. Returns undefined if the entity has no such value.
 */
function valueOf(path: string, entity: Entity): string | undefined {
  const own = /^entity\.(id|name)$/.exec(path);
  if (own) return own[1] === "id" ? entity.id : entity.name;
  const metadata = /^entity\.metadata\.(.+)$/.exec(path)?.[1];
  if (metadata !== undefined) return member(entity.metadata, metadata);
  const [, accessor = "", field = "", key = ""] =
    /^entity\.aliases\.([^.]+)\.(id|name|metadata|custom_metadata)(?:\.(.+))?$/.exec(path) ?? [];
  const alias = Object.hasOwn(entity.aliases, accessor) ? entity.aliases[accessor] : undefined;
  if (alias)
    return field === "id" || field === "name"
      ? alias[field]
      : member(field === "metadata" ? alias.metadata : alias.custom_metadata, key);
  const [, by, id, tail, about = ""] =
    /^groups\.(ids|names)\.(.+?)\.(id|name|metadata\.(.+))$/.exec(path) ?? [];
  const group = entity.groups.find(
    (one) => id !== undefined && (by === "ids" ? one.id : one.name) === id,
  );
  if (group && about !== "") return member(group.metadata ?? {}, about);
  return group && (tail === "id" ? group.id : group.name);
}
const member = (map: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;
