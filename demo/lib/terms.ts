/**
 * Explanations of technical terms, one sentence each, with the endpoint whose reference has more
 * information.
 */
export const terms = {
  role: [
    "A role defines the names, lifetimes and uses for which certificates can be issued.",
    "writeRole",
    "Roles in the API",
  ],
  mount: [
    "A mount is a separate certificate authority on the same server, with its own issuers, roles and certificates.",
    "createMount",
    "Mounts in the API",
  ],
  issuer: [
    "An issuer is the certificate and key of a CA that signs in this mount.",
    "readIssuer",
    "Issuers in the API",
  ],
  standard: [
    "The default issuer signs whenever neither the role nor the request specifies an issuer.",
    "writeIssuersConfig",
    "The default in the API",
  ],
  san: [
    "Each name becomes a subject alternative name (SAN), which clients compare with the host name they connect to.",
    "issue",
    "Issuing in the API",
  ],
  crl: [
    "A CRL lists the certificates that an issuer has revoked. Clients use it until its next update.",
    "readCrl",
    "CRLs in the API",
  ],
} as const satisfies Readonly<Record<string, readonly [about: string, id: string, more: string]>>;
