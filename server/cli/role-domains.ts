import { isIP } from "node:net";
import { compileGlob } from "../../src/base/glob.ts";
import type { WriteRoleInput } from "../../src/client/index.ts";
import { inRange, parseCidr } from "../../src/x509/address.ts";
import { rangeForm } from "../../src/x509/forms.ts";

/** Default and maximum lifetime of certificates. */
const [thirtyDays, ninetyDays] = ["720h", "2160h"];

/** The fields of a stored role that determine which names it allows. */
export type NameRules = Pick<
  WriteRoleInput,
  | "allow_any_name"
  | "allow_bare_domains"
  | "allow_glob_domains"
  | "allow_ip_sans"
  | "allow_localhost"
  | "allow_subdomains"
  | "allowed_domains"
  | "allowed_ip_sans_cidr"
>;

/** Reports whether a domain from the command line is an IP address or a CIDR range. */
const isAddress = (domain: string): boolean => isIP(domain.replace(/\/.*$/, "")) !== 0;

/** Returns the first domain that looks like a CIDR range but is not a valid one. */
export const findWrongRange = (domains: readonly string[]): string | undefined =>
  domains.find((domain) => isAddress(domain) && !parseCidr(rangeForm(domain)));

/** Returns the domains that a stored role does not allow. */
export function domainsLackingIn(role: NameRules, domains: readonly string[]): readonly string[] {
  return domains.filter((domain) =>
    isAddress(domain) ? !allowsRange(role, rangeForm(domain)) : !allowsName(role, domain),
  );
}

const listed = (list: NameRules["allowed_domains"]): readonly string[] =>
  typeof list === "string" ? list.split(",") : (list ?? []);

function allowsRange(role: NameRules, range: string): boolean {
  const ranges = listed(role.allowed_ip_sans_cidr);
  const [address = ""] = range.split("/");
  const prefix = parseCidr(range)?.prefix ?? 0;
  const contains = (wider: string): boolean =>
    inRange(address, wider) && (parseCidr(wider)?.prefix ?? Infinity) <= prefix;
  return role.allow_ip_sans !== false && (ranges.length === 0 || ranges.some(contains));
}

function allowsName(role: NameRules, domain: string): boolean {
  const name = domain.toLowerCase();
  if (role.allow_any_name || (name === "localhost" && role.allow_localhost)) return true;
  return listed(role.allowed_domains).some((allowed) => {
    const base = allowed.toLowerCase();
    return (
      (role.allow_bare_domains === true && name === base) ||
      (role.allow_subdomains === true && name.endsWith(`.${base}`)) ||
      (role.allow_glob_domains === true && base.includes("*") && compileGlob(base)(name))
    );
  });
}

/** Returns the fields to change in a stored role so that it also allows the given domains. */
export function fieldsToAllow(role: NameRules, domains: readonly string[]): NameRules {
  const [addresses, names] = [true, false].map((of) =>
    domains.filter((one) => isAddress(one) === of),
  ) as [string[], string[]];
  const ranges = [...listed(role.allowed_ip_sans_cidr), ...addresses.map((one) => rangeForm(one))];
  return {
    ...(names.length > 0 && {
      allowed_domains: [...listed(role.allowed_domains), ...names],
      ...(role.allow_bare_domains !== true && { allow_bare_domains: true }),
    }),
    ...(addresses.length > 0 && {
      allowed_ip_sans_cidr: ranges,
      ...(role.allow_ip_sans === false && { allow_ip_sans: true }),
    }),
  };
}

/** Returns a role for server certificates with the given domains and addresses. */
export function roleFor(name: string, domains: readonly string[]): WriteRoleInput {
  const addresses = domains.filter(isAddress);
  return {
    name,
    allowed_domains: domains.filter((one) => !isAddress(one)),
    allow_bare_domains: true,
    allow_subdomains: true,
    allow_localhost: domains.includes("localhost"),
    allow_ip_sans: addresses.length > 0,
    allowed_ip_sans_cidr: addresses.map((one) => rangeForm(one)),
    // an IPv6 address cannot be a common name
    require_cn: false,
    client_flag: false,
    key_type: "ec",
    ttl: thirtyDays,
    max_ttl: ninetyDays,
  };
}
