import { keyTypes } from "../src/algorithms/table.ts";
/**
 * Which control a field of a role gets. `duration` takes `90d`, `72h`, seconds; `list` is one entry
 * between commas or blanks, `lines` one a line.
 */
export type Control =
  | "flag"
  | "issuer"
  | "text"
  | "list"
  | "lines"
  | "duration"
  | "int"
  | readonly string[];

/** A field of a role: its name in the API, plain words, and its control. */
export type RoleField = readonly [name: string, words: string, control: Control];

/**
 * The fields of a role in the order people need them; what is not in the first four groups is
 * folded away.
 */
export const groups: readonly {
  readonly title: string;
  readonly folded?: boolean;
  readonly fields: readonly RoleField[];
}[] = [
  {
    title: "Authority",
    fields: [["issuer_ref", "Signed by", "issuer"]],
  },
  {
    title: "Names",
    fields: [
      ["allowed_domains", "Domains", "list"],
      ["allow_subdomains", "names below a domain", "flag"],
      ["allow_bare_domains", "a domain itself", "flag"],
      ["allow_wildcard_certificates", "wildcards", "flag"],
      ["allow_localhost", "localhost", "flag"],
      ["allow_ip_sans", "IP addresses", "flag"],
      ["allow_glob_domains", "patterns: * in a domain matches anything", "flag"],
      ["allow_any_name", "any name at all", "flag"],
      ["enforce_hostnames", "require valid host names", "flag"],
      ["require_cn", "a common name is required", "flag"],
    ],
  },
  {
    title: "Lifetime",
    fields: [
      ["ttl", "Default lifetime", "duration"],
      ["max_ttl", "Maximum lifetime", "duration"],
    ],
  },
  {
    title: "Key and use",
    fields: [
      ["key_type", "Key", [...keyTypes, "any"]],
      ["key_bits", "Key size (0 = default)", "int"],
      ["server_flag", "for TLS servers", "flag"],
      ["client_flag", "for TLS clients", "flag"],
      ["email_protection_flag", "for mail", "flag"],
      ["code_signing_flag", "for signing code", "flag"],
    ],
  },
  {
    title: "More about names",
    folded: true,
    fields: [
      ["allowed_ip_sans_cidr", "Allowed IP ranges (CIDR)", "list"],
      ["allowed_uri_sans", "URIs, with * for anything", "list"],
      ["allowed_other_sans", "Other names, each oid;UTF8:value", "lines"],
      ["allowed_serial_numbers", "Serial numbers in the subject", "lines"],
      ["allowed_user_ids", "User IDs in the subject", "lines"],
      ["cn_validations", "Common name checks: email, hostname, disabled", "list"],
      ["use_csr_common_name", "a CSR brings the common name", "flag"],
      ["use_csr_sans", "a CSR brings the other names", "flag"],
      ["allowed_domains_template", "domains are templates", "flag"],
      ["allowed_uri_sans_template", "URIs are templates", "flag"],
      ["allow_globs_in_identity_templates", "a value that fills a template may hold *", "flag"],
      ["serial_number_source", "Subject serial number comes from", ["json-csr", "json"]],
    ],
  },
  {
    title: "Subject",
    folded: true,
    fields: [
      ["organization", "Organization", "lines"],
      ["ou", "Organizational unit", "lines"],
      ["country", "Country", "lines"],
      ["province", "Province", "lines"],
      ["locality", "Locality", "lines"],
      ["street_address", "Street address", "lines"],
      ["postal_code", "Postal code", "lines"],
    ],
  },
  {
    title: "Extensions and signature",
    folded: true,
    fields: [
      ["key_usage", "Key usages", "list"],
      ["ext_key_usage", "Additional EKUs", "list"],
      ["ext_key_usage_oids", "EKU OIDs", "list"],
      ["policy_identifiers", "Policies", "lines"],
      ["basic_constraints_valid_for_non_ca", "include CA:FALSE", "flag"],
      ["signature_bits", "Hash bits of RSA issuers (0 = default)", "int"],
      ["use_pss", "PSS signatures from RSA issuers", "flag"],
    ],
  },
  {
    title: "Storage and validity",
    folded: true,
    fields: [
      ["no_store", "certificates are not kept", "flag"],
      ["no_store_metadata", "metadata is refused", "flag"],
      ["generate_lease", "each certificate comes with a lease", "flag"],
      ["not_before_duration", "Backdate by", "duration"],
      ["not_before", "Fixed start (RFC 3339)", "text"],
      ["not_after", "Fixed expiry (RFC 3339)", "text"],
      ["not_before_bound", "Requested begin", ["permit", "duration", "forbid"]],
      [
        "not_after_bound",
        "Requested expiry: permit, ttl-limited, forbid, or the latest time",
        "text",
      ],
    ],
  },
];

/**
 * What a new role starts with: what is sensible for TLS servers today, not what the API fills in.
 */
export const fresh: Readonly<Record<string, unknown>> = {
  issuer_ref: "default",
  ttl: "2160h",
  max_ttl: "9528h",
  allow_localhost: false,
  allowed_domains: [],
  allow_subdomains: true,
  allow_wildcard_certificates: true,
  enforce_hostnames: true,
  allow_ip_sans: false,
  require_cn: true,
  key_type: "ec",
  key_bits: 256,
  server_flag: true,
  client_flag: false,
  key_usage: ["DigitalSignature"],
  use_csr_common_name: true,
  use_csr_sans: true,
  cn_validations: ["email", "hostname"],
  not_before_duration: "30s",
  serial_number_source: "json-csr",
  not_before_bound: "permit",
  not_after_bound: "permit",
};
