import * as pki from "./pki.ts";

const lifetime = { root: "87600h", issuing: "43800h" };
const elliptic = { key_type: "ec", key_bits: 256 };

/** A ready-made beginning: authorities and roles, and what to issue first. */
export interface StartKind {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly organization: string;
  readonly issuers: readonly { readonly name: string; readonly title: string; readonly roles: Readonly<Record<string, object>> }[];
  readonly first: { readonly role: string; readonly name: string };
}

const server = { ...elliptic, server_flag: true, client_flag: false, key_usage: ["DigitalSignature"], allow_wildcard_certificates: true };

/** The starts that this version has. */
export const starts: readonly StartKind[] = [
  {
    id: "dev",
    title: "Dev CA",
    about: "localhost, names under .test and .localhost, any IP address. Ten years, ECDSA.",
    organization: "Dev CA",
    issuers: [
      {
        name: "dev-servers",
        title: "Dev CA Servers",
        roles: {
          "dev-server": {
            ...server,
            allow_localhost: true,
            allowed_domains: ["test", "localhost"],
            allow_subdomains: true,
            allow_ip_sans: true,
            ttl: "2160h",
            max_ttl: "9528h",
          },
        },
      },
    ],
    first: { role: "dev-server", name: "localhost" },
  },
  {
    id: "home",
    title: "Home lab",
    about: "home.arpa and IP addresses, 90-day certificates.",
    organization: "Home lab",
    issuers: [
      {
        name: "home-servers",
        title: "Home lab Servers",
        roles: {
          "home-server": {
            ...server,
            allow_localhost: false,
            allowed_domains: ["home.arpa"],
            allow_subdomains: true,
            allow_ip_sans: true,
            ttl: "2160h",
            max_ttl: "2160h",
          },
        },
      },
    ],
    first: { role: "home-server", name: "nas.home.arpa" },
  },
  {
    id: "mtls",
    title: "mTLS between services",
    about: "A server role and a client role under two issuers.",
    organization: "Services",
    issuers: [
      {
        name: "services",
        title: "Services Servers",
        roles: {
          "service-server": {
            ...server,
            allow_localhost: true,
            allowed_domains: ["svc.internal"],
            allow_subdomains: true,
            allow_ip_sans: true,
            ttl: "720h",
            max_ttl: "2160h",
          },
        },
      },
      {
        name: "clients",
        title: "Services Clients",
        roles: {
          "service-client": {
            ...elliptic,
            server_flag: false,
            client_flag: true,
            key_usage: ["DigitalSignature"],
            allow_localhost: false,
            allowed_domains: ["svc.internal"],
            allow_subdomains: true,
            allow_ip_sans: false,
            ttl: "720h",
            max_ttl: "2160h",
          },
        },
      },
    ],
    first: { role: "service-server", name: "api.svc.internal" },
  },
  {
    id: "smime",
    title: "S/MIME",
    about: "Certificates that sign and encrypt mail.",
    organization: "Mail",
    issuers: [
      {
        name: "mail",
        title: "Mail Issuer",
        roles: {
          mail: {
            key_type: "rsa",
            key_bits: 3072,
            server_flag: false,
            client_flag: false,
            email_protection_flag: true,
            key_usage: ["DigitalSignature", "KeyEncipherment"],
            allow_localhost: false,
            allow_ip_sans: false,
            allowed_domains: ["example.org"],
            allow_bare_domains: true,
            ttl: "8760h",
            max_ttl: "17520h",
          },
        },
      },
    ],
    first: { role: "mail", name: "someone@example.org" },
  },
];

/** Makes root, issuers and roles; tells each step as it begins. */
export async function begin(kind: StartKind, step: (text: string) => void): Promise<void> {
  step("Making the root");
  const rootKey = { key_type: "ec", key_bits: 384 };
  const root = await pki.makeRoot({
    ...rootKey,
    common_name: `${kind.organization} Root`,
    organization: kind.organization,
    issuer_name: `${kind.id}-root`,
    ttl: lifetime.root,
  });
  for (const [i, issuer] of kind.issuers.entries()) {
    step(`Making ${issuer.title}`);
    const id = await pki.makeIntermediate(root, {
      ...elliptic,
      common_name: issuer.title,
      organization: kind.organization,
      issuer_name: issuer.name,
      ttl: lifetime.issuing,
    });
    if (i === 0) await pki.setDefaultIssuer(id);
    for (const [name, fields] of Object.entries(issuer.roles)) await pki.saveRole(name, { ...fields, issuer_ref: id });
  }
  pki.changed();
}
