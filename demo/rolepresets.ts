import type { Role } from "./pki.ts";

/** What a role is mostly wanted for, and the fields that follow from it. */
export interface Preset {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly fields: Role;
}

const nothing = {
  server_flag: false,
  client_flag: false,
  email_protection_flag: false,
  code_signing_flag: false,
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

/** The presets of the role editor. Domains and authority are nobody's but the user's. */
export const presets: readonly Preset[] = [
  {
    id: "web",
    title: "Web server",
    about: "Host names below your domains, wildcards too; 90 days.",
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
    id: "client",
    title: "Client",
    about: "Services and devices that sign in with a certificate; 30 days.",
    fields: {
      ...nothing,
      client_flag: true,
      allow_subdomains: true,
      ttl: "720h",
      max_ttl: "2160h",
    },
  },
  {
    id: "mail",
    title: "Mail",
    about: "S/MIME for addresses at your domains, RSA to sign and encrypt; one year.",
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
    about: "Signs software. The common name is the publisher’s, so any name is allowed; one year.",
    fields: {
      ...nothing,
      code_signing_flag: true,
      allow_any_name: true,
      enforce_hostnames: false,
      cn_validations: ["disabled"],
      ttl: "8760h",
      max_ttl: "26280h",
    },
  },
];
