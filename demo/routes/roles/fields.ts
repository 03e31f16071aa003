import { keyTypes } from "../../../src/algorithms/table.ts";
import type { RoleInput } from "../../lib/role.ts";
import { keyTypeText } from "../../lib/key-label.ts";
import { presets } from "../../lib/role-presets.ts";
import { extKeyUsageLabels, keyUsageLabels } from "../../lib/key-usages.ts";

/** A value in the API and its label. */
export type Option = readonly [value: string, words: string];

/** The options of a field. The user selects one of them, or any number if `many` is set. */
interface Options {
  readonly of: readonly Option[];
  readonly many?: boolean;
  /** The type of the value in the API. The default is a string. */
  readonly sent?: "number" | "list";
}

/**
 * The control for a field of a role: a `duration` such as `90d`, `72h` or a number of seconds, a
 * `moment` (RFC 3339), a `list` of entries without spaces, `lines` with one string each, `bits` for
 * the sizes of the selected key type, or `latest` for a rule or the latest time.
 */
export type Control =
  | "flag"
  | "issuer"
  | "text"
  | "list"
  | "lines"
  | "duration"
  | "moment"
  | "bits"
  | "latest"
  | Options;

/** A field of a role: its API name, label, control and hint. */
export type RoleField = readonly [
  name: keyof RoleInput,
  words: string,
  control: Control,
  hint?: string,
];

/** A group of fields about one topic. */
export interface RoleGroup {
  readonly title: string;
  readonly folded?: boolean;
  readonly fields: readonly RoleField[];
}

const aLine = "One per line; * matches any text.";
const always = "One per line. Every certificate issued with this role contains them.";

const names: RoleGroup = {
  title: "Names",
  fields: [
    [
      "allowed_domains",
      "Domains",
      "list",
      "One per line. The options below define which names these domains allow.",
    ],
    ["allow_subdomains", "Subdomains of these domains", "flag"],
    ["allow_bare_domains", "These domains themselves", "flag"],
    ["allow_wildcard_certificates", "Wildcards, such as *.example.com", "flag"],
    ["allow_localhost", "localhost", "flag"],
    ["allow_ip_sans", "IP addresses", "flag"],
    ["allow_glob_domains", "Allow * in domains (glob)", "flag"],
    ["enforce_hostnames", "Require valid host names", "flag"],
    ["require_cn", "Require a common name", "flag"],
    [
      "allow_any_name",
      "Any name",
      "flag",
      "Anyone who can use this role gets certificates for any name.",
    ],
  ],
};

const lifetime: RoleGroup = {
  title: "Lifetime",
  fields: [
    ["ttl", "Default lifetime", "duration", "Used if the request does not set a lifetime."],
    [
      "max_ttl",
      "Maximum lifetime",
      "duration",
      "Limit for all requests. 0 means the mount’s maximum.",
    ],
  ],
};

const use: RoleGroup = {
  title: "Key and use",
  fields: [
    [
      "key_type",
      "Key",
      {
        of: [
          ...keyTypes.map((type): Option => [type, keyTypeText(type) ?? type]),
          ["any", "Any, from a CSR only"],
        ],
      },
    ],
    ["key_bits", "Key size", "bits", "For keys in CSRs, this is the minimum size."],
    ["server_flag", "TLS servers", "flag"],
    ["client_flag", "TLS clients", "flag"],
    ["email_protection_flag", "Email", "flag"],
    ["code_signing_flag", "Code signing", "flag"],
    [
      "key_usage",
      "Key usages",
      { of: keyUsageLabels, many: true, sent: "list" },
      "If none is selected, certificates have no key usage extension.",
    ],
  ],
};

const moreNames: RoleGroup = {
  title: "More about names",
  folded: true,
  fields: [
    [
      "allowed_ip_sans_cidr",
      "Allowed IP ranges",
      "list",
      "One per line, such as 10.0.0.0/8. If empty, all addresses are allowed.",
    ],
    ["allowed_uri_sans", "Allowed URIs", "list", aLine],
    [
      "allowed_other_sans",
      "Allowed otherName SANs",
      "lines",
      "One per line, such as 1.3.6.1.4.1.311.20.2.3;UTF8:*@example.com, or * for all.",
    ],
    [
      "allowed_device_identifiers",
      "Allowed devices",
      "lines",
      "For ACME device attestation. One per line, such as permanent-identifier:C02*.",
    ],
    ["allowed_serial_numbers", "Allowed serial numbers in the subject", "lines", aLine],
    ["allowed_user_ids", "Allowed user IDs in the subject", "lines", aLine],
    [
      "cn_validations",
      "The common name must be",
      {
        sent: "list",
        of: [
          ["email, hostname", "a host name or an email address"],
          ["hostname", "a host name"],
          ["email", "an email address"],
          ["disabled", "anything"],
        ],
      },
    ],
    [
      "serial_number_source",
      "Source of the subject’s serial number",
      {
        of: [
          ["json-csr", "the request or its CSR"],
          ["json", "the request only"],
        ],
      },
    ],
    ["use_csr_common_name", "Take the common name from the CSR", "flag"],
    ["use_csr_sans", "Take the alternative names from the CSR", "flag"],
    [
      "allowed_domains_template",
      "Domains are templates",
      "flag",
      "Templates such as {{identity.entity.name}}.example.com are filled in for each caller.",
    ],
    ["allowed_uri_sans_template", "URIs are templates", "flag"],
    ["allow_globs_in_identity_templates", "Template values can contain *", "flag"],
  ],
};

const subject: RoleGroup = {
  title: "Subject",
  folded: true,
  fields: [
    ["organization", "Organization", "lines", always],
    ["ou", "Organizational unit", "lines"],
    ["country", "Country", "lines", "Two letters, such as SE."],
    ["province", "Province", "lines"],
    ["locality", "Locality", "lines"],
    ["street_address", "Street address", "lines"],
    ["postal_code", "Postal code", "lines"],
  ],
};

const extensions: RoleGroup = {
  title: "Extensions and signature",
  folded: true,
  fields: [
    ["ext_key_usage", "Additional EKUs", { of: extKeyUsageLabels, many: true, sent: "list" }],
    ["ext_key_usage_oids", "EKU OIDs", "list", "One per line, such as 1.3.6.1.5.5.7.3.17."],
    [
      "policy_identifiers",
      "Certificate policies",
      "lines",
      'One per line: an OID, or {"oid": "1.2.3", "cps": "https://…"}.',
    ],
    [
      "signature_bits",
      "Hash",
      {
        sent: "number",
        of: [
          ["0", "Default (SHA-256)"],
          ["256", "SHA-256"],
          ["384", "SHA-384"],
          ["512", "SHA-512"],
        ],
      },
      "Applies to issuers with an RSA key.",
    ],
    ["use_pss", "Use PSS signatures if the issuer has an RSA key", "flag"],
    ["basic_constraints_valid_for_non_ca", "Include CA:FALSE", "flag"],
  ],
};

const keeping: RoleGroup = {
  title: "Storage and validity",
  folded: true,
  fields: [
    ["not_before_duration", "Backdate by", "duration", "Helps clients whose clocks are slow."],
    [
      "not_before_bound",
      "Requested start",
      {
        of: [
          ["permit", "Any"],
          ["duration", "Not before the backdated time"],
          ["forbid", "Requests cannot set it"],
        ],
      },
    ],
    ["not_before", "Fixed start", "moment", "For example 2027-01-31T00:00:00Z."],
    ["not_after", "Fixed expiry", "moment", "For example 2027-12-31T23:59:59Z."],
    ["not_after_bound", "Requested expiry", "latest"],
    ["no_store", "Do not store certificates", "flag", "Certificates cannot be listed or revoked."],
    ["no_store_metadata", "Reject metadata", "flag"],
    [
      "generate_lease",
      "Give each certificate a lease",
      "flag",
      "When the lease expires or is revoked, the certificate is revoked.",
    ],
  ],
};

/** The fields of a role, the most important first. Groups after the first four are collapsible. */
export const groups: readonly RoleGroup[] = [
  { title: "Authority", fields: [["issuer_ref", "Signed by", "issuer"]] },
  names,
  lifetime,
  use,
  moreNames,
  subject,
  extensions,
  keeping,
];

/** The initial values of a new role. They suit TLS servers and differ from the API's defaults. */
export const fresh: Readonly<Record<string, unknown>> = {
  ...presets[0]?.fields,
  issuer_ref: "default",
  allow_localhost: false,
  allowed_domains: [],
  allow_ip_sans: false,
  require_cn: true,
  use_csr_common_name: true,
  use_csr_sans: true,
  not_before_duration: "30s",
  serial_number_source: "json-csr",
  not_before_bound: "permit",
  not_after_bound: "permit",
};
