import {
  asciiOf,
  hasControlCharacter,
  hasReadableLabels,
  isHostName,
  isWildLabel,
} from "../../base/names.ts";
import { addressesIn, inRange } from "../../x509/address.ts";
import { fitsGlobDomain, isBelowDomain, isDomain } from "./domains.ts";

/**
 * What a role says about host names and mail addresses. `allowed_domains` after template expansion:
 * the caller drops values from templates that hold a `*`.
 */
export interface NameRules {
  readonly allow_any_name: boolean;
  readonly allow_localhost: boolean;
  readonly allow_bare_domains: boolean;
  readonly allow_subdomains: boolean;
  readonly allow_glob_domains: boolean;
  readonly allow_wildcard_certificates: boolean;
  readonly enforce_hostnames: boolean;
  readonly allowed_domains: readonly string[];
}
/**
 * Whether a value may stand in a certificate, and the rule that decided: the name of the role's
 * field, or why no field was asked.
 */
export interface Verdict {
  readonly allowed: boolean;
  readonly rule: string;
}

/** A value that a rule lets in. */
export const allow = (rule: string): Verdict => ({ allowed: true, rule });
/** A value that a rule keeps out. */
export const refuse = (rule: string): Verdict => ({ allowed: false, rule });

/**
 * A name taken apart: `*.a.test` has the base `a.test` and the wild label `*`; `u@a.test` has the
 * host `a.test`.
 */
interface Parts {
  readonly name: string;
  readonly email: boolean;
  readonly host: string;
  readonly base: string;
  readonly wild: string | undefined;
}

/** Says whether a role lets `name` (a common name, DNS name or mail address) into a certificate. */
export function nameVerdict(rules: NameRules, name: string): Verdict {
  const malformed = formRefusal(name);
  if (malformed) return refuse(malformed);
  const parts = partsOf(name);
  if (parts.wild !== undefined) {
    if (!rules.allow_wildcard_certificates) return refuse("allow_wildcard_certificates");
    if (parts.base === "" && parts.wild === "*") return refuse("a wildcard without a domain");
    if (parts.base.includes("*") || parts.wild.split("*").length > 2)
      return refuse("more than one wildcard, or a wildcard right of the first label");
    if (parts.email) return refuse("wildcard in a mail address");
  }
  if (rules.enforce_hostnames && !hasHostForm(parts)) return refuse("enforce_hostnames");
  if (rules.allow_any_name) return allow("allow_any_name");
  if (rules.allow_localhost && isLocal(rules, parts.base)) return allow("allow_localhost");
  const rule = domainRule(rules, parts);
  return rule ? allow(rule) : refuse("allowed_domains");
}

function formRefusal(name: string): string | undefined {
  if (name === "") return "empty name";
  if (hasControlCharacter(name)) return "control character";
  const [mailbox, host, ...more] = name.split("@");
  return host !== undefined && (more.length > 0 || mailbox === "" || host === "")
    ? "malformed mail address"
    : undefined;
}

function partsOf(name: string): Parts {
  const at = name.indexOf("@");
  const host = name.slice(at + 1);
  if (!host.includes("*")) return { name, email: at >= 0, host, base: host, wild: undefined };
  const dot = host.indexOf(".");
  const wild = dot < 0 ? host : host.slice(0, dot);
  return { name, email: at >= 0, host, base: dot < 0 ? "" : host.slice(dot + 1), wild };
}

function hasHostForm({ base, wild }: Parts): boolean {
  const ascii = base === "" ? "" : asciiOf(base);
  const sound =
    base === "" || (ascii !== undefined && isHostName(ascii) && hasReadableLabels(ascii));
  return sound && (wild === undefined || (isWildLabel(wild) && hasReadableLabels(wild)));
}

function isLocal(rules: NameRules, base: string): boolean {
  return ["localhost", "localdomain"].some(
    (local) => base === local || (rules.allow_subdomains && base.endsWith(`.${local}`)),
  );
}

function domainRule(
  rules: NameRules,
  { name, email, host, base, wild }: Parts,
): string | undefined {
  const { allowed_domains: domains } = rules;
  if (rules.allow_bare_domains && (isDomain(domains, name) || (email && isDomain(domains, host))))
    return "allow_bare_domains";
  if (
    rules.allow_subdomains &&
    (isBelowDomain(domains, base) || (wild !== undefined && isDomain(domains, base)))
  )
    return "allow_subdomains";
  if (rules.allow_glob_domains && fitsGlobDomain(domains, name)) return "allow_glob_domains";
  return undefined;
}

/** What a role says about IP addresses. */
export interface AddressRules {
  readonly allow_ip_sans: boolean;
  /** Ranges that addresses must lie in; none for any. */
  readonly allowed_ip_sans_cidr: readonly string[];
}
/** Says whether a role lets an IP address into a certificate. */
function addressVerdict(rules: AddressRules, address: string): Verdict {
  const ranges = rules.allowed_ip_sans_cidr;
  if (!rules.allow_ip_sans || ranges.length === 0)
    return { allowed: rules.allow_ip_sans, rule: "allow_ip_sans" };
  return { allowed: ranges.some((range) => inRange(address, range)), rule: "allowed_ip_sans_cidr" };
}

/**
 * Says whether a role lets `name` be the common name: one that is read as an address must be
 * allowed as one, too. `cn_validations` of exactly `disabled` asks no other rule.
 */
export function commonNameVerdict(
  rules: NameRules & AddressRules & { readonly cn_validations: readonly string[] },
  name: string,
): Verdict {
  if (hasControlCharacter(name)) return refuse("control character");
  if (rules.cn_validations.length === 1 && rules.cn_validations[0] === "disabled")
    return allow("cn_validations");
  const verdict = nameVerdict(rules, name);
  const refused = [
    verdict,
    ...addressesIn(name).map((address) => addressVerdict(rules, address)),
  ].find(({ allowed }) => !allowed);
  if (refused) return refused;
  return rules.cn_validations.includes(name.includes("@") ? "email" : "hostname")
    ? verdict
    : refuse("cn_validations");
}
