import { algorithmFor, keyAlgorithms } from "../../src/algorithms/table.ts";
import { CaError } from "../../src/base/errors.ts";
import {
  collectNames,
  commonNameVerdict,
  nameVerdict,
  type AddressRules,
  type NameRules,
  type RuleResult,
  uriVerdict,
} from "../../src/pki/request/names.ts";
import { inRange, ipToBytes } from "../../src/x509/address.ts";
import { keyText } from "./key-label.ts";
import type { Role } from "./role.ts";
import { lasting } from "./time-text.ts";
import { toText } from "./to-text.ts";
import { roleSeconds, seconds } from "./durations.ts";
import { visible } from "./visible-text.ts";

/** The decision about a part of a request, the reason, and the rule that decided. */
export interface RuleVerdict {
  readonly allowed: boolean;
  readonly why: string;
  readonly rule: string;
}

const isAddress = (name: string): boolean =>
  /^\d+(\.\d+){3}$/.test(name) || (name.includes(":") && !name.includes("/"));
const isUri = (name: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(name) || /^urn:/i.test(name);

/** Returns the kind of an entered name. */
export const kindOf = (name: string): "address" | "uri" | "name" =>
  isUri(name) ? "uri" : isAddress(name) ? "address" : "name";

const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : [];
const yes = (role: Role, field: string): boolean => role[field] === true;

/** Converts a role from the API to rules about names. */
function rulesOf(role: Role): NameRules & AddressRules & { cn_validations: readonly string[] } {
  return {
    allow_any_name: yes(role, "allow_any_name"),
    allow_localhost: yes(role, "allow_localhost"),
    allow_bare_domains: yes(role, "allow_bare_domains"),
    allow_subdomains: yes(role, "allow_subdomains"),
    allow_glob_domains: yes(role, "allow_glob_domains"),
    allow_wildcard_certificates: yes(role, "allow_wildcard_certificates"),
    enforce_hostnames: yes(role, "enforce_hostnames"),
    allowed_domains: strings(role.allowed_domains),
    cn_validations: strings(role.cn_validations),
    allow_ip_sans: yes(role, "allow_ip_sans"),
    allowed_ip_sans_cidr: strings(role.allowed_ip_sans_cidr).filter(Boolean),
  };
}

/** Describes the result of a rule for a name in plain words. */
export function ruleText(name: string, allowed: boolean, rule: string, role: Role): string {
  const domains = strings(role.allowed_domains);
  const inside = domains.find((domain) => name === domain || name.endsWith(`.${domain}`));
  if (allowed)
    return (
      {
        allow_any_name: "any name is allowed",
        allow_localhost: "localhost is allowed",
        allow_bare_domains: "an allowed domain itself",
        allow_subdomains: `under ${inside ?? "an allowed domain"}`,
        allow_glob_domains: "matches a pattern",
        allow_ip_sans: "IP addresses are allowed",
        allowed_ip_sans_cidr: "in a range the role allows",
        allowed_uri_sans: "matches a pattern",
        require_cn: "not required by the role",
        "the chain's constraints (4.2.1.10)": "allowed by the chain’s name constraints",
      }[rule] ?? "allowed"
    );
  if (rule === "allow_wildcard_certificates") return "wildcards are not allowed";
  if (rule === "enforce_hostnames") return "not a host name";
  if (rule === "cn_validations") return "the role does not allow this kind of common name";
  if (rule !== "allowed_domains") return rule;
  if (inside === name) return `${name} itself is not allowed`;
  if (inside !== undefined) return `names under ${inside} are not allowed`;
  return domains.length > 0 ? `not under ${domains.join(" or ")}` : "the role allows no domains";
}

function verdictOnAddress(role: Role, name: string): RuleVerdict {
  if (!ipToBytes(name)) return { allowed: false, why: "not an IP address", rule: "ip_sans" };
  const allowed = yes(role, "allow_ip_sans");
  const ranges = strings(role.allowed_ip_sans_cidr).filter(Boolean);
  if (allowed && ranges.length > 0) {
    const within = ranges.find((range) => inRange(name, range));
    return {
      allowed: within !== undefined,
      why: within === undefined ? `not in ${ranges.join(", ")}` : `in ${within}`,
      rule: "allowed_ip_sans_cidr",
    };
  }
  return {
    allowed,
    why: allowed ? "IP addresses are allowed" : "IP addresses are not allowed",
    rule: "allow_ip_sans",
  };
}

function verdictOnUri(role: Role, name: string): RuleVerdict {
  if (!/^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(name) || !URL.canParse(name))
    return { allowed: false, why: "not a URI", rule: "uri_sans" };
  const { allowed, rule } = uriVerdict(strings(role.allowed_uri_sans), name);
  return {
    allowed,
    why: allowed ? "matches a pattern" : "matches none of the role’s patterns",
    rule,
  };
}

/**
 * Checks a name as an alternative name and, if `first`, also as the common name. Returns the first
 * rejection, or else the rule that allows the name.
 */
function hostVerdict(role: Role, name: string, first: boolean): RuleResult {
  const rules = rulesOf(role);
  const { dns, email } = collectNames({
    commonName: first ? name : "",
    altNames: first ? "" : name,
    excludeCn: false,
  });
  const verdicts = [
    ...(first ? [commonNameVerdict(rules, name)] : []),
    ...[...dns, ...email].map((requested) => nameVerdict(rules, requested)),
  ];
  return (
    verdicts.find(({ allowed }) => !allowed) ??
    verdicts[0] ?? { allowed: false, rule: "empty name" }
  );
}

/** Checks a name with the server's own rules. If `first`, the name also becomes the common name. */
export function verdictOnName(role: Role, name: string, first: boolean): RuleVerdict {
  const kind = kindOf(name);
  if (kind === "address") return verdictOnAddress(role, name);
  if (kind === "uri") return verdictOnUri(role, name);
  try {
    const { allowed, rule } = hostVerdict(role, name, first);
    return { allowed, why: ruleText(name, allowed, rule, role), rule };
  } catch (error) {
    if (error instanceof CaError)
      return { allowed: false, why: visible(error.message), rule: "alt_names" };
    throw error;
  }
}

/** Checks a requested lifetime against the role's maximum. */
export function verdictOnLifetime(role: Role, ttl: string): RuleVerdict {
  const maxTtl = roleSeconds(role.max_ttl);
  const requested = seconds(ttl) ?? 0;
  if (maxTtl === 0 || requested <= maxTtl)
    return {
      allowed: true,
      why: requested > 0 ? lasting(requested) : "role default",
      rule: "max_ttl",
    };
  return {
    allowed: false,
    why: `${lasting(requested)} is more than ${lasting(maxTtl)}`,
    rule: "max_ttl",
  };
}

/**
 * Checks the key in a CSR, such as `ECDSA P-256`, `RSA 2048` or `Ed25519`, which must have the
 * role's type and at least the role's size.
 */
export function verdictOnKey(role: Role, key: string): RuleVerdict {
  const type = toText(role.key_type, "rsa");
  const bits = Number(/\d+$/.exec(key)?.[0] ?? 0);
  const chosenAlgorithm = keyAlgorithms.find((algorithm) => keyText(algorithm, bits) === key);
  if (type === "any")
    return chosenAlgorithm?.explicitOnly
      ? { allowed: false, why: `only a role with this key type allows ${key}`, rule: "key_type" }
      : { allowed: true, why: "any key is allowed", rule: "key_type" };
  if (type !== chosenAlgorithm?.type)
    return { allowed: false, why: `the role allows ${type} keys`, rule: "key_type" };
  const sized = chosenAlgorithm.sizes.length > 0;
  const minBits = sized ? Number(role.key_bits) || algorithmFor(type, 0).bits : 0;
  return {
    allowed: !sized || bits >= minBits,
    why: bits >= minBits ? `the role allows ${type} keys` : `${bits} bits are less than ${minBits}`,
    rule: "key_bits",
  };
}

/**
 * Reports whether the role's domains or URI patterns may contain templates, which only the server
 * can evaluate.
 */
export const templated = (role: Role): boolean =>
  yes(role, "allowed_domains_template") || yes(role, "allowed_uri_sans_template");
