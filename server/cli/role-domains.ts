import { isIP } from "node:net";
import { endsInNumber, isWithinDnsLimits } from "../../src/base/names.ts";
import type { WriteRoleInput } from "../../src/client/index.ts";
import { nameVerdict, type AddressRules, type NameRules } from "../../src/pki/request/names.ts";
import { inRange, parseCidr } from "../../src/x509/address.ts";
import { rangeForm } from "../../src/x509/forms.ts";
import { domainForm } from "./host-form.ts";

/** Default and maximum lifetime of certificates. */
const [thirtyDays, ninetyDays] = ["720h", "2160h"];

/** The fields of a stored role that determine which names and addresses it allows. */
export type StoredRules = NameRules & AddressRules;

/** Reports whether a domain from the command line is an IP address or a CIDR range. */
const isAddress = (domain: string): boolean => isIP(domain.replace(/\/.*$/, "")) !== 0;

/** Returns the domain names among domains from the command line, as roles store them. */
const namesIn = (domains: readonly string[]): readonly string[] =>
  domains.filter((one) => !isAddress(one)).map(domainForm);
/** Returns the addresses and ranges among domains from the command line, as roles store them. */
const rangesIn = (domains: readonly string[]): readonly string[] =>
  domains.filter(isAddress).map((one) => rangeForm(one));

/** Returns the first domain that looks like a CIDR range but is not a valid one. */
export const findWrongRange = (domains: readonly string[]): string | undefined =>
  domains.find((domain) => isAddress(domain) && !parseCidr(rangeForm(domain)));

/** Rules that allow every name that is a host name or an email address. */
const anyHost: NameRules = {
  allow_any_name: true,
  allow_localhost: true,
  allow_bare_domains: true,
  allow_subdomains: true,
  allow_glob_domains: true,
  allow_wildcard_certificates: true,
  enforce_hostnames: true,
  allowed_domains: [],
};

/**
 * Returns the first domain that is not an address and that a role with `enforce_hostnames` allows
 * in no certificate.
 */
export const findWrongName = (domains: readonly string[]): string | undefined =>
  domains.find((domain) => !isAddress(domain) && !isHost(domainForm(domain)));

const isHost = (name: string): boolean =>
  nameVerdict(anyHost, name).allowed && isWithinDnsLimits(name) && !endsInNumber(name);

/** Returns the domains that a stored role does not allow. */
export function domainsLackingIn(role: StoredRules, domains: readonly string[]): readonly string[] {
  return domains.filter((domain) =>
    isAddress(domain) ? !allowsRange(role, rangeForm(domain)) : !allowsName(role, domain),
  );
}

function allowsRange(role: StoredRules, range: string): boolean {
  const ranges = role.allowed_ip_sans_cidr;
  const [address = ""] = range.split("/");
  const prefix = parseCidr(range)?.prefix ?? 0;
  const contains = (wider: string): boolean =>
    inRange(address, wider) && (parseCidr(wider)?.prefix ?? Infinity) <= prefix;
  return role.allow_ip_sans && (ranges.length === 0 || ranges.some(contains));
}

const allowsName = (role: StoredRules, domain: string): boolean =>
  // ignores `enforce_hostnames`, because `fieldsToAllow` never suggests to disable it
  nameVerdict({ ...role, enforce_hostnames: false }, domainForm(domain)).allowed;

/** Returns the fields to change in a stored role so that it also allows the given domains. */
export function fieldsToAllow(role: StoredRules, domains: readonly string[]): Partial<StoredRules> {
  const [names, ranges] = [namesIn(domains), rangesIn(domains)];
  const hasWildcard = names.some((name) => name.includes("*"));
  return {
    ...(names.length > 0 && {
      allowed_domains: [...role.allowed_domains, ...names],
      ...(!role.allow_bare_domains && { allow_bare_domains: true }),
      ...(hasWildcard &&
        !role.allow_wildcard_certificates && { allow_wildcard_certificates: true }),
    }),
    ...(ranges.length > 0 && {
      allowed_ip_sans_cidr: [...role.allowed_ip_sans_cidr, ...ranges],
      ...(!role.allow_ip_sans && { allow_ip_sans: true }),
    }),
  };
}

/** Returns a role for server certificates with the given domains and addresses. */
export function roleFor(name: string, domains: readonly string[]): WriteRoleInput {
  const ranges = rangesIn(domains);
  return {
    name,
    allowed_domains: namesIn(domains),
    allow_bare_domains: true,
    allow_subdomains: true,
    allow_localhost: domains.includes("localhost"),
    allow_ip_sans: ranges.length > 0,
    allowed_ip_sans_cidr: ranges,
    // an IPv6 address cannot be a common name
    require_cn: false,
    client_flag: false,
    key_type: "ec",
    ttl: thirtyDays,
    max_ttl: ninetyDays,
  };
}
