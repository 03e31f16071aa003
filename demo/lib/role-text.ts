import { isKeyType } from "../../src/algorithms/table.ts";
import { requestedKeyText } from "./key-label.ts";
import type { Role } from "./role.ts";
import { extKeyUsageLabels, keyUsageLabels } from "./key-usages.ts";
import { lasting } from "./time-text.ts";
import { toText } from "./to-text.ts";
import { roleSeconds } from "./durations.ts";

/** Maximum number of domains to list. The number of further domains follows. */
const maxNamed = 3;

/**
 * Lists the domains of a role in words. Domains with `*` are listed only if the role allows globs,
 * because they cannot match otherwise.
 */
function domainsOf({ allowed_domains, allow_glob_domains }: Role): string {
  const all = (Array.isArray(allowed_domains) ? allowed_domains.map(String) : []).filter(
    (domain) => allow_glob_domains === true || !domain.includes("*"),
  );
  const left = all.length - maxNamed;
  return left > 1 ? `${all.slice(0, maxNamed).join(", ")} and ${left} more` : all.join(" and ");
}

/** Joins the parts of a sentence with commas and "and". A part may contain "and" itself. */
const joinWords = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")}, and ${parts.at(-1)}`;

/** Describes the names that a role allows, in a sentence. */
export function describe(role: Role): string {
  const domains = domainsOf(role);
  const parts = [
    role.allow_any_name === true && "any name",
    domains && role.allow_subdomains === true && `names under ${domains}`,
    domains && role.allow_bare_domains === true && `${domains} itself`,
    domains && role.allow_glob_domains === true && `names like ${domains}`,
    role.allow_localhost === true && "the name localhost",
    role.allow_ip_sans === true && "IP addresses",
  ].flatMap((part) => part || []);
  return parts.length === 0 ? "Allows no names." : `Signs ${joinWords(parts)}.`;
}

/** Returns an example of a name that a role allows, or `otherwise` if the role suggests none. */
export function exampleName(role: Role, otherwise: string): string {
  const domains = Array.isArray(role.allowed_domains) ? role.allowed_domains.map(String) : [];
  // Templates and patterns are not names.
  const domain = domains.find((one) => /^[^*{}@\s]+$/.test(one));
  if (domain && role.allow_subdomains === true) return `www.${domain}`;
  if (domain && role.allow_bare_domains === true) return domain;
  return role.allow_localhost === true && role.allow_any_name !== true ? "localhost" : otherwise;
}

/** Returns the default and maximum lifetimes of a role's certificates. */
export function lifetimes(role: Role): readonly string[] {
  const maxTtl = roleSeconds(role.max_ttl);
  const standard = roleSeconds(role.ttl);
  const sentences = [
    standard > 0 && `${lasting(standard)} by default`,
    maxTtl > 0 && `at most ${lasting(maxTtl)}`,
  ].filter((text) => text !== false);
  return sentences.length > 0 ? sentences : ["Mount default"];
}

/** Describes the key that a role generates or requires. */
export function keyOf(role: Role): string {
  const bits = role.key_bits ?? 0;
  const type = toText(role.key_type, "rsa");
  return isKeyType(type) ? requestedKeyText(type, bits) : "Any, from a CSR only";
}

const flagged = [
  ["server_flag", "TLS servers"],
  ["client_flag", "TLS clients"],
  ["email_protection_flag", "email"],
  ["code_signing_flag", "code signing"],
] as const;

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : toText(value).split(",").filter(Boolean);

/** Returns the purposes of a role's certificates, one for each extended key usage. */
export function purposesOf(role: Role): readonly string[] {
  const further = texts(role.ext_key_usage).map(
    (name) =>
      extKeyUsageLabels.find(([usage]) => usage.toLowerCase() === name.toLowerCase())?.[1] ?? name,
  );
  return [
    ...flagged.flatMap(([field, words]) => (role[field] === true ? [words] : [])),
    ...further,
    ...texts(role.ext_key_usage_oids),
  ];
}

/** Describes the purposes, key usages, key and lifetimes of a role in one line. */
export function setsOf(role: Role): string {
  const purposes = purposesOf(role);
  const usages = texts(role.key_usage).map((name) =>
    (keyUsageLabels.find(([usage]) => usage === name)?.[1] ?? name).toLowerCase(),
  );
  return [
    purposes.join(" and ") || "any use",
    usages.join(" and ") || "any key usage",
    keyOf(role),
    lifetimes(role).join(", "),
  ].join("; ");
}

/**
 * Reports whether two roles have the same extended key usages. A request cannot change a role's
 * usages.
 */
export const sameUse = (one: Role, other: Role): boolean =>
  purposesOf(one).toSorted().join() === purposesOf(other).toSorted().join();

/** Returns a sentence about the lease of a certificate, or an empty list if the role sets none. */
export const leaseNote = ({
  generate_lease: leases,
  no_store: unstored,
}: Role): readonly string[] =>
  leases === true && unstored !== true
    ? [
        "Certificates have a lease of your token: they are revoked when the token expires or is revoked.",
      ]
    : [];
