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

/** Normalizes a role's reference to an issuer; an empty one is the default issuer. */
const roleIssuerForm = (name: string): string => referenceForm(name || "default");
/** The fields of a role (A 7.2): body and reply of its endpoints, and its row. */
export const roleFields = {
  issuer_ref: withNormalForm(text, roleIssuerForm).default(
    "default",
    "Issuer that signs: `default`, an ID or a name.",
  ),
  ttl: duration.default(0, "Lifetime if the request sets none; 0: the mount's default."),
  max_ttl: duration.default(0, "Maximum lifetime; 0: the mount's maximum."),
  allow_localhost: flag.default(true, "Allow `localhost` and `localdomain`."),
  allowed_domains: withNormalForm(list, listForm(hostForm)).default(
    [],
    "Domains that the other `allow_` fields apply to.",
  ),
  allowed_domains_template: flag.default(
    false,
    "`allowed_domains` may contain identity templates.",
  ),
  allow_bare_domains: flag.default(false, "Allow the domains in `allowed_domains` themselves."),
  allow_subdomains: flag.default(false, "Allow subdomains of the domains, including wildcards."),
  allow_glob_domains: flag.default(false, "Let `*` in a domain match any text."),
  allow_any_name: flag.default(false, "Allow any name."),
  allow_wildcard_certificates: flag.default(true, "Allow wildcard names that other rules allow."),
  enforce_hostnames: flag.default(true, "Allow only valid host names."),
  allow_ip_sans: flag.default(true, "Allow IP addresses."),
  allowed_ip_sans_cidr: withNormalForm(list, listForm(rangeForm)).default(
    [],
    "Address ranges (CIDR) allowed for IP addresses; empty: any.",
  ),
  allowed_uri_sans: withNormalForm(list, listForm(uriForm)).default(
    [],
    "Allowed URIs; `*` matches any text.",
  ),
  allowed_uri_sans_template: flag.default(
    false,
    "`allowed_uri_sans` may contain identity templates.",
  ),
  allow_globs_in_identity_templates: flag.default(
    false,
    "Values filled into templates may contain `*`.",
  ),
  allowed_other_sans: withNormalForm(list, listForm(otherNameForm)).default(
    [],
    "Allowed other names: `<oid>;UTF8:<value>` with `*` in the value, or `*`.",
  ),
  allowed_device_identifiers: withNormalForm(list, listForm(deviceGlobForm)).default(
    [],
    "Devices that ACME may attest: `permanent-identifier:<value>` or `hardware-module:<value>`, with `*` in the value.",
  ),
  allowed_serial_numbers: list.default([], "Allowed subject serial numbers; `*` matches any text."),
  allowed_user_ids: list.default([], "Allowed user IDs; `*` matches any text."),
  server_flag: flag.default(true, "Certificates are for TLS servers."),
  client_flag: flag.default(true, "Certificates are for TLS clients."),
  code_signing_flag: flag.default(false, "Certificates are for code signing."),
  email_protection_flag: flag.default(false, "Certificates are for email protection."),
  key_type: text.default("rsa", `${keyTypeDoc}; or \`any\`, only for signing CSRs.`, [
    ...keyTypes,
    "any",
  ]),
  key_bits: int.default(0, `Key size in bits, the minimum for CSRs; 0 means ${usualSizeDoc}.`),
  signature_bits: int.default(
    0,
    "SHA-2 size for signatures of RSA issuers: 256, 384 or 512 bits; 0: 256.",
    [0, 256, 384, 512],
  ),
  use_pss: flag.default(false, "Use PSS signatures with RSA issuers."),
  key_usage: withNormalForm(list, listForm(keyUsageForm)).default(
    ["DigitalSignature", "KeyAgreement", "KeyEncipherment"],
    "Key usages by name; an empty list omits the extension.",
  ),
  ext_key_usage: withNormalForm(list, listForm(extKeyUsageForm)).default(
    [],
    "Additional extended key usages by name.",
  ),
  ext_key_usage_oids: list.default([], "Additional extended key usages by OID."),
  use_csr_common_name: flag.default(true, "When signing, take the common name from the CSR."),
  use_csr_sans: flag.default(true, "When signing, take alternative names from the CSR."),
  ...subjectFields,
  generate_lease: flag.default(false, "Return a lease with each certificate."),
  no_store: flag.default(false, "Do not store certificates."),
  no_store_metadata: flag.default(false, "Reject metadata."),
  require_cn: flag.default(true, "Require a common name."),
  cn_validations: withNormalForm(list, listForm(lowerCaseForm)).default(
    ["email", "hostname"],
    "Format of the common name: `email`, `hostname` or both; `disabled`: not checked.",
    ["email", "hostname", "disabled"],
  ),
  // not split at commas, which a notice may contain
  policy_identifiers: withNormalForm(strings, policiesForm).default(
    [],
    "Certificate policies: OIDs, or JSON objects with `oid`, `cps` and `notice`.",
  ),
  basic_constraints_valid_for_non_ca: flag.default(
    false,
    "Add an empty basic constraints extension to leaf certificates.",
  ),
  not_before_duration: duration.default(30, "How far the start of validity is backdated."),
  not_before: withNormalForm(text, instantForm).default("", "Fixed start of validity, RFC 3339."),
  not_after: withNormalForm(text, instantForm).default("", "Fixed end of validity, RFC 3339."),
  not_before_bound: text.default(
    "permit",
    "Allowed `not_before` in requests: `permit`, `duration` (no earlier than not_before_duration) or `forbid`.",
    ["permit", "duration", "forbid"],
  ),
  not_after_bound: withNormalForm(text, instantForm).default(
    "permit",
    "Allowed `not_after` in requests: `permit`, `ttl-limited` (no later than max_ttl), `forbid`, or the latest date, RFC 3339.",
  ),
  serial_number_source: text.default(
    "json-csr",
    "Source of the subject serial number: `json-csr` (CSR or body) or `json` (body only).",
    ["json-csr", "json"],
  ),
} as const;

/** A role as stored. */
export type Role = Parsed<typeof roleFields>;
/** The role defaults. */
export const defaultRole = Object.fromEntries(
  Object.entries(roleFields).map(([name, field]) => [name, field.parse(undefined, name)]),
  // each field's parser has its type, but `Object.entries` loses them
) as unknown as Role;
// a missing field has its default
const withFields = rowReader(defaultRole);
const readRow = memoize((row: object): Role => withFields(row));
/**
 * Returns a stored role with defaults for missing fields. Returns the same object for the same row,
 * because it is a key of caches.
 */
export const storedRole = (row: unknown): Role =>
  typeof row === "object" && row !== null ? readRow(row) : withFields(row);

/** Finds a role in the configuration. */
export async function findRole(config: Snapshot, name: string): Promise<Role | undefined> {
  // some texts cannot be keys in the store
  if (!isReference(name)) return undefined;
  const row = await config.row(keys.role(name));
  return row && storedRole(row.value);
}
/**
 * Returns the role of an issuing request, with its identity templates filled in for the caller's
 * entity. Without an entity, templates are compared literally (A 7.4).
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
 * Returns the role with the identity templates of `allowed_domains` and `allowed_uri_sans` filled
 * in for an entity (A 7.4). Entries that cannot be filled in are dropped. So are entries with a `*`
 * in a value, which would let the caller choose a glob, unless the role allows that.
 */
function forEntity<R extends Templated>(role: R, entity: Entity): R {
  // cached values have the type of the role from which they were computed
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
 * Cached roles filled in for recent entities: filling in a thousand entries takes most of a
 * millisecond.
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
 * Returns the value of a path below `identity.`, such as `entity.name` or `groups.names.ops.id`.
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
