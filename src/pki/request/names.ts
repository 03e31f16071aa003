import { CaError } from "../../base/errors.ts";
import { glob } from "../../base/glob.ts";
import {
  endsInNumber,
  fitsDns,
  fitsMail,
  hasControlCharacter,
  hasReadableLabels,
  isHostName,
  isMailAddress,
  isWildLabel,
  lowerAscii,
  shown,
  toAscii,
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

const allow = (rule: string): Verdict => ({ allowed: true, rule });
const refuse = (rule: string): Verdict => ({ allowed: false, rule });

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

function sameIgnoringCase(one: string, other: string): boolean {
  return one.length === other.length && lowerAscii(one) === lowerAscii(other);
}

/** The ASCII form, or nothing when the name has none. */
function asciiOf(name: string): string | undefined {
  try {
    return toAscii(name);
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}

/** What a role says about IP addresses. */
export interface AddressRules {
  readonly allow_ip_sans: boolean;
  /** Ranges that addresses must lie in; none for any. */
  readonly allowed_ip_sans_cidr: readonly string[];
}
/** Says whether a role lets an IP address into a certificate. */
export function addressVerdict(rules: AddressRules, address: string): Verdict {
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

/** Says whether a URI matches one of the role's `allowed_uri_sans`. */
export function uriVerdict(allowed: readonly string[], uri: string): Verdict {
  return listVerdict("allowed_uri_sans", uri, allowed, (entry) => glob(entry, uri));
}

/**
 * Says whether a subject serial number equals or matches one of the role's
 * `allowed_serial_numbers`.
 */
export function subjectSerialVerdict(allowed: readonly string[], serial: string): Verdict {
  return listVerdict("allowed_serial_numbers", serial, allowed, (entry) => glob(entry, serial));
}

/** Says whether a user id equals (in any case) or matches one of the role's `allowed_user_ids`. */
export function userIdVerdict(allowed: readonly string[], userId: string): Verdict {
  return listVerdict("allowed_user_ids", userId, allowed, (entry) =>
    entry.includes("*") ? glob(entry, userId) : sameIgnoringCase(entry, userId),
  );
}

function listVerdict(
  rule: string,
  value: string,
  allowed: readonly string[],
  fits: (entry: string) => boolean,
): Verdict {
  if (hasControlCharacter(value)) return refuse("control character");
  return { allowed: allowed.some((entry) => entry !== "" && fits(entry)), rule };
}

/** Another name of a certificate: `<oid>;UTF8:<value>`. In a role the value is a glob. */
export interface OtherSan {
  readonly oid: string;
  readonly value: string;
}

/** No object identifier is longer as text. */
const longestOid = 512;

/**
 * Reads `<oid>;UTF8:<value>` (the type also as `UTF-8`, in any case), or tells nothing when it is
 * not of that form.
 */
export function parseOtherSan(text: string): OtherSan | undefined {
  if (text.indexOf(";") > longestOid) return undefined;
  const found =
    /^\s*((?:[01]\.(?:[0-9]|[1-3][0-9])|2\.(?:0|[1-9][0-9]*))(?:\.(?:0|[1-9][0-9]*))*)\s*;\s*utf-?8\s*:([^]*)$/i.exec(
      text,
    );
  return found ? { oid: found[1] ?? "", value: (found[2] ?? "").trim() } : undefined;
}

/**
 * Says whether a role's `allowed_other_sans` let the value in. The rule of a refusal is the text
 * for the caller.
 */
export function otherSansVerdict(allowed: readonly string[], { oid, value }: OtherSan): Verdict {
  if (hasControlCharacter(value))
    return refuse(`other SAN for OID ${shown(oid)} contains a control character`);
  if (allowed.length === 1 && allowed[0] === "*") return allow("allowed_other_sans");
  const entries = allowed.map(parseOtherSan).filter((entry) => entry?.oid === oid);
  if (entries.length === 0) return refuse(`other SAN OID ${shown(oid)} not allowed by this role`);
  if (entries.some((entry) => entry && glob(entry.value, value)))
    return allow("allowed_other_sans");
  return refuse(`other SAN ${shown(value)} not allowed for OID ${shown(oid)} by this role`);
}

/**
 * Where the names of a certificate come from. With `csr` its names are taken and `altNames` is not
 * read.
 */
export interface NameSources {
  readonly commonName: string;
  /** Comma-separated, as sent. */
  readonly altNames: string;
  readonly excludeCn: boolean;
  readonly csr?: { readonly dns: readonly string[]; readonly email: readonly string[] };
}
/** Alternative names in the order they were asked for, each once; DNS names in ASCII form. */
export interface Names {
  readonly dns: readonly string[];
  readonly email: readonly string[];
}

/** So many are sent by mistake or to do harm: browsers and servers give up long before. */
export const mostNames = 5000;

/**
 * Collects the DNS and mail names that a request asks for. A common name that is neither a host
 * name nor a mail address is no alternative name. Refuses (`name_not_allowed`) control characters
 * anywhere and alternative names of the body that are neither.
 */
export function collectNames({ commonName, altNames, excludeCn, csr }: NameSources): Names {
  const [dns, email] = [new Set(csr?.dns), new Set(csr?.email)];
  const asked = csr ? [] : altNames.split(",").map((name) => name.trim());
  if (asked.length > mostNames)
    throw new CaError(
      "name_not_allowed",
      `${asked.length} alternative names were asked for, ${mostNames} at most are taken`,
    );
  // Trimming would also take a line break away unseen.
  for (const name of csr ? [commonName, ...dns, ...email] : [commonName, altNames])
    refuseControlCharacters(name);
  if (!excludeCn && commonName !== "") {
    const form = sanForm(commonName);
    if (form) (form.email ? email : dns).add(form.name);
  }
  for (const name of asked)
    if (name !== "") (name.includes("@") ? email : dns).add(asSan(name, name.includes("@")));
  return { dns: [...dns], email: [...email] };
}

/**
 * Refuses (`name_not_allowed`) a name with a control character: other software cuts it there, or
 * shows it as another one.
 */
export function refuseControlCharacters(name: string): void {
  if (!hasControlCharacter(name)) return;
  // Quoted as JSON, so that the message holds no such character itself.
  const visible = JSON.stringify(shown(name)).replace(/\p{Cc}/gu, "?");
  throw new CaError("name_not_allowed", `the name ${visible} contains a control character`);
}

/**
 * Refuses (`name_not_allowed`) a DNS name or a mail address that is longer than any can be: it
 * reaches nobody, and some software cuts it off.
 */
export function refuseLongNames({ dns, email }: Names): void {
  const host = dns.find((name) => !fitsDns(name));
  if (host !== undefined)
    throw new CaError(
      "name_not_allowed",
      `the DNS name ${shown(host)} is too long: a name has at most 253 octets, and each label at most 63`,
    );
  const address = email.find((name) => !fitsMail(name));
  if (address !== undefined)
    throw new CaError(
      "name_not_allowed",
      `the e-mail address ${shown(address)} is too long: an address has at most 254 octets`,
    );
}

/**
 * The name as an alternative name, or nothing when it can be none, as an address can. Also takes a
 * wild label like `f*o` in front of a host name.
 */
function sanForm(name: string): { readonly name: string; readonly email: boolean } | undefined {
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
 * The name as an alternative name of its kind: the same form from a body and from a CSR. Refuses
 * (`name_not_allowed`) any other.
 */
export function asSan(name: string, email: boolean): string {
  if (!email && !name.includes("@")) toAscii(name);
  const form = sanForm(name);
  if (form?.email === email) return form.name;
  const kind = email ? "e-mail address" : "DNS name";
  throw new CaError(
    "name_not_allowed",
    `subject alternate name ${shown(name)} is not a valid ${kind} and cannot be included as a SAN`,
  );
}
