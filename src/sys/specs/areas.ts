import { loginMethodTypes } from "../../auth/types/table.ts";
import type { Area } from "../../wire/openapi-about.ts";

/** Returns an area: its name, its description, and a pattern of its paths. */
const area = (name: string, about: string, has: RegExp): Area => ({ name, about, has });
const whole = (name: string, about: string): readonly Area[] => [area(name, about, /^/)];

/** Areas of a CA mount. */
const ofMount: readonly Area[] = [
  area(
    "ACME",
    "The ACME protocol (RFC 8555, RFC 9773) and its administration. Paths with a role, an issuer or `external-policy` before `acme` are separate directories. Protocol requests come from ACME clients; they are signed with the account key and carry no token.",
    /\/acme\/|^\/config\/acme$|^\/eab/,
  ),
  area(
    "EST",
    "Enrollment over Secure Transport (RFC 7030), also under `/.well-known/est/`, and its configuration.",
    /\/est\/|^\/config\/est$/,
  ),
  area(
    "External policy",
    "Your own service decides on certificate requests instead of a role.",
    /\/external-policy/,
  ),
  area(
    "OCSP",
    "Status of individual certificates (RFC 6960), and OCSP responder certificates.",
    /\/(?:unified-)?ocsp\b|\/ocsp-responder$/,
  ),
  area(
    "Issue and sign",
    "Issue certificates under a role, with a new key or for a CSR. The explain endpoints show how the rules apply.",
    /^(?:\/issuer\/:\w+)?\/(?:explain\/)?(?:issue|sign|sign-verbatim)(?:\/|$)/,
  ),
  area(
    "Revocation lists",
    "Complete and delta CRLs of the mount and its issuers, and their rotation.",
    /\/(?:unified-)?crl\b|^\/cert\/(?:unified-)?(?:delta-)?crl$|\/resign-crls$|\/sign-revocation-list$|^\/cert\/unified-delta-crl$/,
  ),
  area(
    "Revoke",
    "Revoke certificates one by one, by private key, or by search.",
    /^\/revoke|^\/certs\/(?:revoke|revoked|revocation-queue|unified-revoked)$/,
  ),
  area("Roles", "Named issuance rules: domains, keys, usages, lifetimes.", /^\/roles/),
  area(
    "Certificates",
    "Read, list and search issued certificates.",
    /^\/certs?\/(?!ca\b|ca_chain)|^\/certs$|^\/cert-metadata|^\/batch\//,
  ),
  area(
    "CA keys",
    "CA keys: generated, imported or managed externally. Private keys cannot be read.",
    /^\/keys?\b|^\/config\/keys$/,
  ),
  area(
    "Log",
    "The tamper-evident log that records each use of the mount's keys: checkpoint, tiles and settings.",
    /^\/log\/|^\/config\/log$/,
  ),
  area("Tidy", "Remove expired data, once or regularly.", /tidy/),
  area(
    "Addresses",
    "URLs in certificates, and the URLs of the mount.",
    /^\/config\/(?:urls|cluster)/,
  ),
  ...whole(
    "Authorities",
    "Generate, import, select, read and delete roots, intermediates and other issuers.",
  ),
];

const ofSystem: readonly Area[] = [
  area(
    "Health and sealing",
    "Server health and seal status; some endpoints need no token.",
    /^\/(?:health|seal|seal-status|unseal|init|leader|rotate|begin-anew)$/,
  ),
  area(
    "Policies",
    "Access rules for paths, and tools to test them.",
    /^\/polic|^\/capabilities|acl$/,
  ),
  area(
    "Login methods",
    "Ways to get a token: password, role ID, JWT, service account or certificate.",
    /^\/auth|^\/mounts\/auth|^\/locked-users/,
  ),
  area("Mounts", "Independent CAs, each with its own store.", /^\/mounts|^\/remount/),
  area(
    "Leases",
    "Leases of certificates from roles with `generate_lease`.",
    /^\/(?:leases|renew|revoke)/,
  ),
  area("Events", "Event sinks: URLs that receive events as signed CloudEvents.", /^\/events/),
  area(
    "Audit",
    "Audit events of changes and refusals, and the receiver to which they are sent.",
    /^\/audit/,
  ),
  area("Backups", "Backups of mounts and stores, in parts, and their restore.", /^\/storage/),
  area("Limits and origins", "Rate limits, and CORS origins.", /^\/quotas|^\/config\/cors$/),
  area("Wrapping", "Single-use tokens for responses and data.", /^\/wrapping/),
  area("Tools", "Hashes and random bytes.", /^\/tools\//),
  area(
    "Managed keys",
    "CA keys in a KMS or signing service. The service creates the signatures.",
    /^\/managed-keys/,
  ),
  ...whole(
    "About this server",
    "Capabilities, mounts and versions of the server, for consoles and client generators.",
  ),
];

/** Areas of login methods, by type. */
const ofMethods = new Map<string, readonly Area[]>(
  loginMethodTypes.map(({ type, title, about }) => [type, whole(title, about)]),
);
/** Areas outside of mounts and login methods. */
const others: Readonly<Record<string, readonly Area[]>> = {
  sys: ofSystem,
  auth: whole("Tokens", "Create, read, renew and revoke tokens; token roles."),
  identity: whole(
    "Entities and groups",
    "Identities across login methods, and groups of entities.",
  ),
  cubbyhole: whole("Cubbyhole", "Private storage of a token."),
};

/**
 * Returns the areas of a location: a fixed location such as `sys`, a login method of type `type`,
 * or a mount.
 */
export const areasOf = (mount: string, type: string): readonly Area[] =>
  others[mount] ?? (mount.startsWith("auth/") ? (ofMethods.get(type) ?? []) : ofMount);
