import { withValue } from "../../engine/snapshot.ts";
import { acmeConfig, attestationPlaces, type AcmeConfig } from "../rows/config.ts";
import { rangeForm } from "../../x509/forms.ts";
import { hostForm, listForm, lowerCaseForm } from "../../base/forms.ts";
import { acmeSettings } from "../rows/deployment-settings.ts";
import { keys } from "../../pki/rows/records.ts";
import { flag, withNormalForm, list, type Parsed, seconds, text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { challengeNames } from "../validation/challenge-table.ts";
import { validateAcmeConfig, doubtsOf } from "./checks.ts";
import { eabPolicies, normalizeEabPolicy, normalizePolicy } from "./policy.ts";

/** Formats names as code, separated by commas, for the description of a field. */
const codeList = (names: readonly string[]): string =>
  names.map((name) => `\`${name}\``).join(", ");

const docs = {
  enabled: "Whether ACME is enabled; requires `path` in `config/cluster`.",
  allowed_issuers: "Issuers allowed in directory paths; `*` allows all.",
  allowed_roles:
    "Roles allowed in a directory path, as a profile or in the default directory policy; `*` allows all.",
  allow_role_ext_key_usage:
    "Whether certificates get the extended key usages of the role instead of serverAuth only.",
  default_directory_policy:
    "Issuance policy of directories without a role: `sign-verbatim`, `forbid`, `role:<name>`, or `external-policy`, optionally with `:<policy>`.",
  dns_resolver:
    "DNS server for challenge lookups, `<address>:<port>`; if empty, the default resolver.",
  eab_policy:
    "Whether an external account binding is required: `not-required`, `new-account-required` or `always-required`.",
  challenge_permitted_ip_ranges:
    "Address ranges (CIDR) to which validation may connect; if empty, all public addresses.",
  challenge_excluded_ip_ranges: "Address ranges (CIDR) to which validation never connects.",
  challenge_types: `Challenge types that the server offers: ${codeList(challengeNames)}.`,
  issuer_domain_names:
    "Domain names that identify this CA in dns-persist-01 DNS records, at most 10; if empty, the host name in the mount's URL.",
  persistent_subdomains:
    "Whether a dns-persist-01 DNS record with `policy=wildcard` also authorizes the subdomains of its name.",
  attestation_apple_roots:
    "CA certificates (PEM) for Apple device attestations; if empty, no Apple attestations are accepted.",
  attestation_tpm_roots:
    "CA certificates (PEM) for TPM attestation keys; if empty, no TPM attestations are accepted.",
  attestation_crls:
    "CRLs (PEM) of the CAs below the attestation roots. Attestations with revoked certificates are rejected. If empty, revocation is not checked.",
  attestation_devices:
    "Serial numbers and other identifiers of devices that may attest, in which `*` matches any characters; if empty, any device may attest.",
  attestation_names: `Parts of the certificate that contain the name of the device: ${codeList(attestationPlaces)}; if empty, none.`,
} as const;

const acmeReply = {
  enabled: flag.required(docs.enabled),
  allowed_issuers: list.required(docs.allowed_issuers),
  allowed_roles: list.required(docs.allowed_roles),
  allow_role_ext_key_usage: flag.required(docs.allow_role_ext_key_usage),
  default_directory_policy: text.required(docs.default_directory_policy),
  dns_resolver: text.required(docs.dns_resolver),
  eab_policy: text.required(docs.eab_policy, eabPolicies),
  max_ttl: seconds.required(
    "Maximum lifetime of certificates in seconds; also the default if neither role nor mount sets one.",
  ),
  challenge_permitted_ip_ranges: list.required(docs.challenge_permitted_ip_ranges),
  challenge_excluded_ip_ranges: list.required(docs.challenge_excluded_ip_ranges),
  challenge_types: list.required(docs.challenge_types),
  issuer_domain_names: list.required(docs.issuer_domain_names),
  persistent_subdomains: flag.required(docs.persistent_subdomains),
  attestation_apple_roots: text.required(docs.attestation_apple_roots),
  attestation_tpm_roots: text.required(docs.attestation_tpm_roots),
  attestation_crls: text.required(docs.attestation_crls),
  attestation_devices: list.required(docs.attestation_devices),
  attestation_names: list.required(docs.attestation_names),
  challenge_timeout: seconds.required(
    "Time for which a challenge is retried before it fails, in seconds.",
  ),
} as const;

const body = {
  enabled: flag.optional(docs.enabled),
  allowed_issuers: list.optional(docs.allowed_issuers),
  allowed_roles: list.optional(docs.allowed_roles),
  allow_role_ext_key_usage: flag.optional(docs.allow_role_ext_key_usage),
  default_directory_policy: withNormalForm(text, normalizePolicy).optional(
    docs.default_directory_policy,
  ),
  dns_resolver: text.optional(docs.dns_resolver),
  eab_policy: withNormalForm(text, normalizeEabPolicy).optional(docs.eab_policy, eabPolicies),
  max_ttl: seconds.optional(
    "Maximum lifetime of certificates, such as 720h; also the default if neither role nor mount sets one. 0 means 90 days.",
  ),
  challenge_permitted_ip_ranges: withNormalForm(list, listForm(rangeForm)).optional(
    docs.challenge_permitted_ip_ranges,
  ),
  challenge_excluded_ip_ranges: withNormalForm(list, listForm(rangeForm)).optional(
    docs.challenge_excluded_ip_ranges,
  ),
  challenge_types: withNormalForm(list, listForm(lowerCaseForm)).optional(docs.challenge_types),
  issuer_domain_names: withNormalForm(list, listForm(hostForm)).optional(docs.issuer_domain_names),
  persistent_subdomains: flag.optional(docs.persistent_subdomains),
  attestation_apple_roots: text.optional(docs.attestation_apple_roots),
  attestation_tpm_roots: text.optional(docs.attestation_tpm_roots),
  attestation_crls: text.optional(docs.attestation_crls),
  attestation_devices: list.optional(docs.attestation_devices),
  attestation_names: withNormalForm(list, listForm(lowerCaseForm)).optional(docs.attestation_names),
  challenge_timeout: seconds.optional(
    "Time for which a challenge is retried before it fails, at most one hour; 0 means 30 seconds.",
  ),
} as const;

export const readAcmeConfig = endpoint({
  id: "readAcmeConfig",
  at: ["GET /config/acme"],
  access: "token",
  style: envelope,
  doc: "Reads the ACME configuration of the mount.",
  body: {},
  reply: acmeReply,
  run: async (mount, _input, caller) => {
    const config = await mount.config();
    for (const doubt of await doubtsOf(config, acmeSettings(mount.storeContext), mount.ports.now()))
      caller.reply.warn(doubt);
    return config.get(acmeConfig);
  },
});

export const writeAcmeConfig = endpoint({
  id: "writeAcmeConfig",
  at: ["POST /config/acme"],
  access: "token",
  style: envelope,
  doc: "Updates the given fields of the ACME configuration.",
  body,
  reply: acmeReply,
  refuses: ["invalid_field", "malformed"],
  run: (mount, input, caller) =>
    mount.configureFor(caller, async (config, caller) => {
      const next = changed(config.get(acmeConfig), input);
      const then = withValue(config, acmeConfig, next);
      await validateAcmeConfig(then, input, acmeSettings(mount.storeContext));
      for (const doubt of await doubtsOf(then, acmeSettings(mount.storeContext), mount.ports.now()))
        caller.reply.warn(doubt);
      const key = keys.config("acme");
      return { reply: next, batch: { expect: [[key, config.rev(key)]], put: [[key, next]] } };
    }),
});

const defaultMaxTtl = 90 * 86_400;
/**
 * Default of `challenge_timeout` in seconds. Clients wait 15 to 90 seconds for the result of a
 * validation.
 */
const defaultTimeout = 30;
function changed(current: AcmeConfig, input: Parsed<typeof body>): AcmeConfig {
  const lists = (name: "allowed_issuers" | "allowed_roles") => input[name] ?? current[name];
  const ranges = (name: "challenge_permitted_ip_ranges" | "challenge_excluded_ip_ranges") =>
    (input[name] ?? current[name]).filter((range) => range !== "");
  const { challenge_types: types, issuer_domain_names: issuers } = input;
  return {
    enabled: input.enabled ?? current.enabled,
    allowed_issuers: lists("allowed_issuers"),
    allowed_roles: lists("allowed_roles"),
    allow_role_ext_key_usage: input.allow_role_ext_key_usage ?? current.allow_role_ext_key_usage,
    default_directory_policy: normalizePolicy(
      input.default_directory_policy ?? current.default_directory_policy,
    ),
    dns_resolver: input.dns_resolver ?? current.dns_resolver,
    eab_policy: normalizeEabPolicy(input.eab_policy ?? current.eab_policy),
    max_ttl: (input.max_ttl ?? current.max_ttl) || defaultMaxTtl,
    challenge_permitted_ip_ranges: ranges("challenge_permitted_ip_ranges"),
    challenge_excluded_ip_ranges: ranges("challenge_excluded_ip_ranges"),
    challenge_types: types?.map(lowerCaseForm) ?? current.challenge_types,
    issuer_domain_names: issuers?.map(hostForm) ?? current.issuer_domain_names,
    persistent_subdomains: input.persistent_subdomains ?? current.persistent_subdomains,
    ...changedAttestation(current, input),
    challenge_timeout: (input.challenge_timeout ?? current.challenge_timeout) || defaultTimeout,
  };
}
function changedAttestation(current: AcmeConfig, input: Parsed<typeof body>) {
  const {
    attestation_apple_roots: apple,
    attestation_tpm_roots: tpm,
    attestation_crls: crls,
    attestation_names: names,
  } = input;
  return {
    attestation_apple_roots: apple?.trim() ?? current.attestation_apple_roots,
    attestation_tpm_roots: tpm?.trim() ?? current.attestation_tpm_roots,
    attestation_crls: crls?.trim() ?? current.attestation_crls,
    attestation_devices: (input.attestation_devices ?? current.attestation_devices).filter(Boolean),
    attestation_names: names?.map(lowerCaseForm).filter(Boolean) ?? current.attestation_names,
  };
}
