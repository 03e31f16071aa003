import { loginMethodTypes } from "../../auth/types/table.ts";
import type { Area } from "../../wire/openapi-about.ts";

/** Returns an area: name, description and paths. */
const area = (name: string, about: string, has: RegExp): Area => ({ name, about, has });
const whole = (name: string, about: string): readonly Area[] => [area(name, about, /^/)];

/** The areas of a CA mount. `pki` stands for the path of the mount. */
const ofMount: readonly Area[] = [
  area(
    "ACME",
    "The ACME protocol (RFC 8555, RFC 9773), and who may use it how. Paths with a role, an issuer or `external-policy` before `acme` are directories of their own. Clients of ACME call the protocol; its requests are signed with the account's key and carry no token.",
    /\/acme\/|^\/config\/acme$|^\/eab/,
  ),
  area(
    "EST",
    "Enrolment over Secure Transport (RFC 7030), also below `/.well-known/est/`, and its settings.",
    /\/est\/|^\/config\/est$/,
  ),
  area(
    "External policy",
    "Issuing by what a service of your own decides, in the place of a role.",
    /\/external-policy/,
  ),
  area(
    "OCSP",
    "The status of one certificate (RFC 6960), and the certificates that answers are signed with.",
    /\/(?:unified-)?ocsp\b|\/ocsp-responder$/,
  ),
  area(
    "Issue and sign",
    "Certificates by a role: with a new key, or for a CSR. Dry runs tell which rule decides how.",
    /^(?:\/issuer\/:\w+)?\/(?:explain\/)?(?:issue|sign|sign-verbatim)(?:\/|$)/,
  ),
  area(
    "Revocation lists",
    "Complete and delta CRLs, of the whole mount and of one issuer; when they are signed again.",
    /\/(?:unified-)?crl\b|^\/cert\/(?:unified-)?(?:delta-)?crl$|\/resign-crls$|\/sign-revocation-list$|^\/cert\/unified-delta-crl$/,
  ),
  area(
    "Revoke",
    "Certificates one by one, with the private key as proof, or all that a search finds.",
    /^\/revoke|^\/certs\/(?:revoke|revoked|revocation-queue|unified-revoked)$/,
  ),
  area("Roles", "What may be issued under a name: domains, keys, usages, lifetimes.", /^\/roles/),
  area(
    "Certificates",
    "Reading, listing and searching what was issued.",
    /^\/certs?\/(?!ca\b|ca_chain)|^\/certs$|^\/cert-metadata|^\/batch\//,
  ),
  area(
    "CA keys",
    "The keys of the authorities: made here, imported, or kept elsewhere. None is ever read.",
    /^\/keys?\b|^\/config\/keys$/,
  ),
  area("Tidy", "Removes what has ended, once or regularly.", /tidy/),
  area(
    "Addresses",
    "The addresses that certificates carry, and that of the mount itself.",
    /^\/config\/(?:urls|cluster)/,
  ),
  ...whole(
    "Authorities",
    "Roots, intermediates and other issuers: making, importing, choosing, reading, deleting.",
  ),
];

const ofSystem: readonly Area[] = [
  area(
    "Health and sealing",
    "Whether the server is up and its key is right; clients ask some of it before anything else.",
    /^\/(?:health|seal|seal-status|unseal|init|leader|rotate|begin-anew)$/,
  ),
  area(
    "Policies",
    "What tokens may do, and why: rules for paths.",
    /^\/polic|^\/capabilities|acl$/,
  ),
  area(
    "Login methods",
    "Ways to get a token by a password, a role id, a JWT, a service account or a certificate.",
    /^\/auth|^\/mounts\/auth|^\/locked-users/,
  ),
  area(
    "Mounts",
    "Authorities beside each other, each with a store of its own.",
    /^\/mounts|^\/remount/,
  ),
  area(
    "Leases",
    "Certificates of roles that give leases: their ends and their tokens.",
    /^\/(?:leases|renew|revoke)/,
  ),
  area("Audit", "What was changed and what was refused, and where events are sent.", /^\/audit/),
  area("Backups", "A mount as it is at one moment, in parts; and how it comes back.", /^\/storage/),
  area(
    "Limits and origins",
    "Rate limits, and which pages of other origins may call.",
    /^\/quotas|^\/config\/cors$/,
  ),
  area("Wrapping", "Replies and data behind a token that gives them once.", /^\/wrapping/),
  area("Tools", "Hashes and random bytes.", /^\/tools\//),
  area(
    "Managed keys",
    "CA keys that a KMS or a signing service keeps and signs with.",
    /^\/managed-keys/,
  ),
  ...whole(
    "About this server",
    "What it can do, its mounts and its versions, as consoles and generators of clients ask.",
  ),
];

/** The area of each type of login method. */
const ofMethods = new Map<string, readonly Area[]>(
  loginMethodTypes.map(({ type, title, about }) => [type, whole(title, about)]),
);
/** Areas outside of mounts and methods. */
const others: Readonly<Record<string, readonly Area[]>> = {
  sys: ofSystem,
  auth: whole("Tokens", "Making, reading, renewing and revoking tokens, and roles of tokens."),
  identity: whole(
    "Entities and groups",
    "Who has logged in, by whatever method, and groups of them.",
  ),
  cubbyhole: whole("Cubbyhole", "What a token keeps for itself alone."),
};

/** Returns the areas of a location: `sys` and the like, a login method of a type, or a mount. */
export const areasOf = (place: string, type: string): readonly Area[] =>
  others[place] ?? (place.startsWith("auth/") ? (ofMethods.get(type) ?? []) : ofMount);
