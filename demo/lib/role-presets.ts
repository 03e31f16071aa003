import type { Role } from "./role.ts";

/** A common purpose of roles, with the field values for it. */
export interface Preset {
  readonly id: string;
  readonly title: string;
  /** Description in one sentence: who uses such a role, and which names it allows. */
  readonly about: string;
  readonly fields: Role;
}

const nothing: Role = {
  server_flag: false,
  client_flag: false,
  email_protection_flag: false,
  code_signing_flag: false,
  ext_key_usage: [],
  ext_key_usage_oids: [],
  key_type: "ec",
  key_bits: 256,
  key_usage: ["DigitalSignature"],
  allow_subdomains: false,
  allow_bare_domains: false,
  allow_wildcard_certificates: false,
  allow_any_name: false,
  enforce_hostnames: true,
  cn_validations: ["email", "hostname"],
};
/**
 * The fields of a role for people, devices or publishers, whose common names cannot be restricted
 * by domain.
 */
const anybody: Role = {
  allow_any_name: true,
  enforce_hostnames: false,
  cn_validations: ["disabled"],
};

/**
 * The presets of the role editor. They do not set domains or an issuer, because only the user knows
 * these.
 */
export const presets: readonly Preset[] = [
  {
    id: "web",
    title: "Web server",
    about: "For HTTPS and other TLS servers. Allows host names under your domains, and wildcards.",
    fields: {
      ...nothing,
      server_flag: true,
      allow_subdomains: true,
      allow_wildcard_certificates: true,
      ttl: "2160h",
      max_ttl: "9528h",
    },
  },
  {
    id: "both",
    title: "Server and client",
    about: "For services that call one another with mTLS. Allows host names under your domains.",
    fields: {
      ...nothing,
      server_flag: true,
      client_flag: true,
      allow_subdomains: true,
      ttl: "720h",
      max_ttl: "2160h",
    },
  },
  {
    id: "client",
    title: "Client",
    about:
      "For services that authenticate with a client certificate. Allows host names under your domains.",
    fields: {
      ...nothing,
      client_flag: true,
      allow_subdomains: true,
      ttl: "720h",
      max_ttl: "2160h",
    },
  },
  {
    id: "device",
    title: "User or device",
    about: "For people and machines that log in to Wi-Fi, a VPN or a site. Allows any name.",
    fields: {
      ...nothing,
      ...anybody,
      client_flag: true,
      ttl: "8760h",
      max_ttl: "8760h",
    },
  },
  {
    id: "mail",
    title: "Email",
    about: "For signing and encrypting email with S/MIME. Allows email addresses at your domains.",
    fields: {
      ...nothing,
      email_protection_flag: true,
      key_type: "rsa",
      key_bits: 3072,
      key_usage: ["DigitalSignature", "KeyEncipherment"],
      allow_bare_domains: true,
      ttl: "8760h",
      max_ttl: "17520h",
    },
  },
  {
    id: "code",
    title: "Code signing",
    about: "For signing software. Allows any name, because the common name is the publisher’s.",
    fields: {
      ...nothing,
      ...anybody,
      code_signing_flag: true,
      ttl: "8760h",
      max_ttl: "26280h",
    },
  },
];
