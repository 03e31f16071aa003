import {
  asciiOf,
  hasControlCharacter,
  hasReadableLabels,
  isHostName,
  isPlainHostName,
  isWildLabel,
  lowerAscii,
  endsInNumber,
  isWithinDnsLimits,
  isWithinMailLimit,
  isMailAddress,
  truncateForMessage,
  toAscii,
} from "../../base/names.ts";
import { addressesIn, inRange } from "../../x509/address.ts";
import { compileGlob, matchesGlob } from "../../base/glob.ts";
import { memoize } from "../../base/memo.ts";
import { CaError } from "../../base/errors.ts";

/**
 * A role's rules for host names and email addresses. Templates in `allowed_domains` must already be
 * filled in, with values that contain no `*` unless the role allows it.
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
 * A decision about one value, and the rule that decided: a field of the role, or the reason why no
 * rule was needed.
 */
export interface RuleResult {
  readonly allowed: boolean;
  readonly rule: string;
}

/** Returns the result for a value that `rule` allows. */
export const allowedBy = (rule: string): RuleResult => ({ allowed: true, rule });
/** Returns the result for a value that `rule` rejects. */
export const refusedBy = (rule: string): RuleResult => ({ allowed: false, rule });

/**
 * The parts of a name: `*.a.test` has the base `a.test` and the wild label `*`; `u@a.test` has the
 * host `a.test`.
 */
interface NameParts {
  readonly name: string;
  readonly email: boolean;
  readonly host: string;
  readonly base: string;
  readonly wild: string | undefined;
}

/** Checks whether a role allows a name: a common name, DNS name or email address. */
export function nameVerdict(rules: NameRules, name: string): RuleResult {
  const isPlain = isPlainHostName(name);
  const malformed = isPlain ? undefined : formRefusal(name);
  if (malformed) return refusedBy(malformed);
  const parts = isPlain
    ? { name, email: false, host: name, base: name, wild: undefined }
    : partsOf(name);
  if (parts.wild !== undefined) {
    if (!rules.allow_wildcard_certificates) return refusedBy("allow_wildcard_certificates");
    if (parts.base === "" && parts.wild === "*") return refusedBy("a wildcard without a domain");
    if (parts.base.includes("*") || parts.wild.split("*").length > 2)
      return refusedBy("more than one wildcard, or a wildcard right of the first label");
    if (parts.email) return refusedBy("wildcard in an email address");
  }
  if (rules.enforce_hostnames && !isPlain && !hasHostForm(parts))
    return refusedBy("enforce_hostnames");
  if (rules.allow_any_name) return allowedBy("allow_any_name");
  if (rules.allow_localhost && isLocal(rules, parts.base)) return allowedBy("allow_localhost");
  const rule = domainRule(rules, parts);
  return rule ? allowedBy(rule) : refusedBy("allowed_domains");
}

function formRefusal(name: string): string | undefined {
  if (name === "") return "empty name";
  if (hasControlCharacter(name)) return "control character";
  const [mailbox, host, ...more] = name.split("@");
  return host !== undefined && (more.length > 0 || mailbox === "" || host === "")
    ? "malformed email address"
    : undefined;
}

function partsOf(name: string): NameParts {
  const at = name.indexOf("@");
  const host = name.slice(at + 1);
  if (!host.includes("*")) return { name, email: at >= 0, host, base: host, wild: undefined };
  const dot = host.indexOf(".");
  const wild = dot < 0 ? host : host.slice(0, dot);
  return { name, email: at >= 0, host, base: dot < 0 ? "" : host.slice(dot + 1), wild };
}

function hasHostForm({ base, wild }: NameParts): boolean {
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
  { name, email, host, base, wild }: NameParts,
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

/** A role's rules for IP addresses. */
export interface AddressRules {
  readonly allow_ip_sans: boolean;
  /** Allowed ranges (CIDR); if empty, any address is allowed. */
  readonly allowed_ip_sans_cidr: readonly string[];
}
/** Checks whether a role allows an IP address. */
function addressVerdict(rules: AddressRules, address: string): RuleResult {
  const ranges = rules.allowed_ip_sans_cidr;
  if (!rules.allow_ip_sans || ranges.length === 0)
    return { allowed: rules.allow_ip_sans, rule: "allow_ip_sans" };
  return { allowed: ranges.some((range) => inRange(address, range)), rule: "allowed_ip_sans_cidr" };
}

/**
 * Checks whether a role allows a common name. A common name that contains an IP address must also
 * satisfy the rules for IP addresses. If `cn_validations` is exactly `disabled`, only control
 * characters are rejected.
 */
export function commonNameVerdict(
  rules: NameRules & AddressRules & { readonly cn_validations: readonly string[] },
  name: string,
): RuleResult {
  if (hasControlCharacter(name)) return refusedBy("control character");
  if (rules.cn_validations.length === 1 && rules.cn_validations[0] === "disabled")
    return allowedBy("cn_validations");
  const verdict = nameVerdict(rules, name);
  if (!verdict.allowed) return verdict;
  if (!isPlainHostName(name))
    for (const address of addressesIn(name)) {
      const refused = addressVerdict(rules, address);
      if (!refused.allowed) return refused;
    }
  return rules.cn_validations.includes(name.includes("@") ? "email" : "hostname")
    ? verdict
    : refusedBy("cn_validations");
}

/**
 * The `allowed_domains` of a role, indexed so that a name need not be compared with every entry: a
 * role may have thousands of entries.
 */
interface Domains {
  readonly exact: ReadonlySet<string>;
  readonly anyCase: ReadonlySet<string>;
  /** Length of the longest domain. */
  readonly maxLength: number;
  readonly globs: readonly ((name: string) => boolean)[];
}

// a role's list stays the same array until the configuration changes
const domainsOf = memoize((list: readonly string[]): Domains => {
  const entries = list.filter((entry) => entry !== "");
  return {
    exact: new Set(entries),
    anyCase: new Set(entries.map(lowerAscii)),
    maxLength: entries.reduce((max, { length }) => Math.max(max, length), 0),
    globs: entries.filter((entry) => entry.includes("*")).map(compileGlob),
  };
});

/** Reports whether a name equals one of the domains, ignoring ASCII case. */
export const isDomain = (list: readonly string[], name: string): boolean =>
  domainsOf(list).anyCase.has(lowerAscii(name));

/** Reports whether a name is a subdomain of one of the domains, comparing case-sensitively. */
export function isBelowDomain(list: readonly string[], name: string): boolean {
  const { exact, maxLength } = domainsOf(list);
  // only suffixes no longer than the longest domain are looked up, so that a name with a million
  // dots costs no more than any other
  for (
    let dot = name.indexOf(".", Math.max(0, name.length - maxLength - 1));
    dot >= 0;
    dot = name.indexOf(".", dot + 1)
  )
    if (exact.has(name.slice(dot + 1))) return true;
  return false;
}

/** Reports whether a name matches one of the domains that contain `*`. */
export const fitsGlobDomain = (list: readonly string[], name: string): boolean =>
  domainsOf(list).globs.some((matches) => matches(name));

/** The sources of a certificate's names. If `csr` is present, `altNames` is ignored. */
interface NameSources {
  readonly commonName: string;
  /** The `alt_names` of the request, separated by commas. */
  readonly altNames: string;
  readonly excludeCn: boolean;
  readonly csr?: { readonly dns: readonly string[]; readonly email: readonly string[] };
}
/**
 * The distinct alternative names in the order of the request. DNS names are in ASCII form
 * (A-labels).
 */
export interface CollectedNames {
  readonly dns: readonly string[];
  readonly email: readonly string[];
}

/**
 * Maximum number of names in a certificate, to catch mistakes and prevent abuse. Browsers and
 * servers already fail with far fewer names.
 */
export const maxNames = 5000;

/**
 * Collects the requested DNS names and email addresses. Includes the common name if it is a DNS
 * name or an email address. Throws `name_not_allowed` for control characters, names in `altNames`
 * that are neither a DNS name nor an email address, and more than `maxNames` names.
 */
export function collectNames({
  commonName,
  altNames,
  excludeCn,
  csr,
}: NameSources): CollectedNames {
  const [dns, email] = [new Set(csr?.dns), new Set(csr?.email)];
  const requested = csr || altNames === "" ? [] : altNames.split(",").map((name) => name.trim());
  if (requested.length > maxNames)
    throw new CaError(
      "name_not_allowed",
      `${requested.length} alternative names were requested; at most ${maxNames} are allowed`,
    );
  // checked before trimming, which would silently remove a line break
  for (const name of csr ? [commonName, ...dns, ...email] : [commonName, altNames])
    refuseControlCharacters(name);
  if (!excludeCn && commonName !== "") {
    const form = sanForm(commonName);
    if (form) (form.email ? email : dns).add(form.name);
  }
  for (const name of requested)
    if (name !== "") (name.includes("@") ? email : dns).add(asSan(name, name.includes("@")));
  return { dns: [...dns], email: [...email] };
}

/**
 * Throws `name_not_allowed` for a name with a control character, because other software may
 * truncate or misread such a name.
 */
export function refuseControlCharacters(name: string): void {
  if (!hasControlCharacter(name)) return;
  // quoted as JSON, so that the message contains no control character
  const visible = JSON.stringify(truncateForMessage(name)).replace(/\p{Cc}/gu, "?");
  throw new CaError("name_not_allowed", `the name ${visible} contains a control character`);
}

/**
 * Throws `name_not_allowed` for a DNS name or email address that exceeds the limits of its RFC,
 * because some software would truncate it.
 */
export function refuseLongNames({ dns, email }: CollectedNames): void {
  const host = dns.find((name) => !isWithinDnsLimits(name));
  if (host !== undefined)
    throw new CaError(
      "name_not_allowed",
      `the DNS name ${truncateForMessage(host)} is too long: a name may have at most 253 octets, and each label at most 63`,
    );
  const address = email.find((name) => !isWithinMailLimit(name));
  if (address !== undefined)
    throw new CaError(
      "name_not_allowed",
      `the email address ${truncateForMessage(address)} is too long: an address may have at most 254 octets`,
    );
}

/**
 * Returns the form in which a name appears as an alternative name, or undefined if it is neither a
 * DNS name nor an email address (for example an IP address). Also accepts a partial wildcard such
 * as `f*o` as the first label.
 */
function sanForm(name: string): { readonly name: string; readonly email: boolean } | undefined {
  if (isPlainHostName(name)) return { name, email: false };
  if (name.includes("@")) return isMailAddress(name) ? { name, email: true } : undefined;
  const ascii = asciiOf(name);
  if (ascii === undefined || endsInNumber(ascii)) return undefined;
  const dot = ascii.indexOf(".");
  const wild =
    dot > 0 &&
    isWildLabel(ascii.slice(0, dot)) &&
    isHostName(ascii.slice(dot + 1)) &&
    !ascii.includes("*", dot);
  return wild || isHostName(ascii) ? { name: ascii, email: false } : undefined;
}

/**
 * Returns the form in which a name appears as an alternative name of the given kind. The form is
 * the same for names from the body and from a CSR. Throws `name_not_allowed` for a name that is not
 * of that kind.
 */
export function asSan(name: string, email: boolean): string {
  if (!email && !name.includes("@") && !isPlainHostName(name)) toAscii(name);
  const form = sanForm(name);
  if (form?.email === email) return form.name;
  const kind = email ? "e-mail address" : "DNS name";
  throw new CaError(
    "name_not_allowed",
    `subject alternate name ${truncateForMessage(name)} is not a valid ${kind} and cannot be included as a SAN`,
  );
}

/** Checks a URI against the `allowed_uri_sans` of a role. */
export function uriVerdict(allowed: readonly string[], uri: string): RuleResult {
  return listVerdict("allowed_uri_sans", uri, allowed, (entry) => matchesGlob(entry, uri));
}

/** Checks a subject serial number against the `allowed_serial_numbers` of a role. */
export function subjectSerialVerdict(allowed: readonly string[], serial: string): RuleResult {
  return listVerdict("allowed_serial_numbers", serial, allowed, (entry) =>
    matchesGlob(entry, serial),
  );
}

/**
 * Checks a user ID against the `allowed_user_ids` of a role. Entries without `*` are compared
 * ignoring ASCII case.
 */
export function userIdVerdict(allowed: readonly string[], userId: string): RuleResult {
  return listVerdict("allowed_user_ids", userId, allowed, (entry) =>
    entry.includes("*") ? matchesGlob(entry, userId) : sameIgnoringCase(entry, userId),
  );
}

function listVerdict(
  rule: string,
  value: string,
  allowed: readonly string[],
  matches: (entry: string) => boolean,
): RuleResult {
  if (hasControlCharacter(value)) return refusedBy("control character");
  return { allowed: allowed.some((entry) => entry !== "" && matches(entry)), rule };
}

function sameIgnoringCase(one: string, other: string): boolean {
  return one.length === other.length && lowerAscii(one) === lowerAscii(other);
}
