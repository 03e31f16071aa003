import { visible } from "../../lib/visible-text.ts";
import type { Values } from "./role-values.ts";

const entriesOf = (value: string | boolean | undefined): readonly string[] =>
  String(value ?? "")
    .split(/[\s,]+/)
    .filter(Boolean);

/** Reports whether a pattern with `*` matches names of any registered domain. */
const matchesAnyDomain = (pattern: string): boolean => /^[*.]+[^.*]*$/.test(pattern);

/** A consequence of the fields of a role that the user must confirm. */
export interface Risk {
  /** ID that is compared to find the risks that an edit adds. */
  readonly id: string;
  readonly text: string;
}

/** Returns the risks of a role, such as certificates for names that callers do not own. */
export function risksOf(values: Values): readonly Risk[] {
  const isOn = (name: string): boolean => values[name] === true;
  const wildcards = isOn("allow_wildcard_certificates") ? ", and wildcards for any domain" : "";
  const risks: Risk[] = [];
  if (isOn("allow_any_name"))
    risks.push({
      id: `any-name${wildcards && " *"}`,
      text: `certificates for any name${wildcards}`,
    });
  else if (isOn("allow_glob_domains"))
    for (const pattern of entriesOf(values["allowed_domains"]).filter(matchesAnyDomain))
      risks.push({
        id: `domain ${pattern}${wildcards && " *"}`,
        text: `certificates for every name that matches ${visible(pattern)}${wildcards}`,
      });
  if (entriesOf(values["allowed_uri_sans"]).includes("*"))
    risks.push({ id: "any-uri", text: "certificates for any URI, such as another SPIFFE ID" });
  if (entriesOf(values["allowed_other_sans"]).some((one) => one === "*" || one.endsWith(":*")))
    risks.push({
      id: "any-other-name",
      text: "certificates for any otherName SAN, such as another user’s UPN for smart card logon",
    });
  return risks;
}

/** Returns the members of `all` that the saved role does not have. */
const newOnes = (all: readonly Risk[], saved: readonly Risk[]): readonly Risk[] => {
  const ids = new Set(saved.map(({ id }) => id));
  return all.filter(({ id }) => !ids.has(id) && !ids.has(`${id} *`));
};

/** Returns the risks of edited values that the saved role does not have. */
export const newRisks = (values: Values, saved: Values | undefined): readonly Risk[] =>
  newOnes(risksOf(values), saved ? risksOf(saved) : []);

/**
 * Returns a domain with `*` that allows no name, because the role does not allow globs. Such a
 * domain still allows itself, as a wildcard, if the role allows wildcards and its domains
 * themselves.
 */
function unusedGlob(values: Values): string | undefined {
  const isOn = (name: string): boolean => values[name] === true;
  if (isOn("allow_glob_domains") || isOn("allow_any_name")) return undefined;
  const allowsItself = isOn("allow_bare_domains") && isOn("allow_wildcard_certificates");
  return entriesOf(values["allowed_domains"]).find(
    (domain) => domain.includes("*") && !(allowsItself && /^\*\.[^*]+$/.test(domain)),
  );
}

/**
 * Returns why a domain of a role without globs allows no name, and what to enter instead. Returns
 * undefined if all domains are usable.
 */
export function wrongGlob(values: Values): string | undefined {
  const glob = unusedGlob(values);
  if (glob === undefined) return undefined;
  const base = glob.replace(/^\*\./, "");
  const instead = base.includes("*") ? "Enter a domain without *" : `Enter ${base}`;
  return visible(
    `${glob} allows no name. ${instead} and select “Subdomains of these domains”, or select “Allow * in domains”.`,
  );
}

/** The options that allow names by themselves. */
const nameFlags = ["allow_any_name", "allow_localhost", "allow_ip_sans"];
/** The options that determine which names the domains allow. */
const domainFlags = ["allow_subdomains", "allow_bare_domains", "allow_glob_domains"];
/** The lists whose entries allow names or parts of the subject. */
const nameLists = [
  "allowed_uri_sans",
  "allowed_other_sans",
  "allowed_device_identifiers",
  "allowed_serial_numbers",
  "allowed_user_ids",
];

/** Reports whether a role allows at least one name. */
function allowsName(values: Values): boolean {
  const isOn = (name: string): boolean => values[name] === true;
  const isFilled = (name: string): boolean => entriesOf(values[name]).length > 0;
  const domains = entriesOf(values["allowed_domains"]);
  return (
    nameFlags.some(isOn) ||
    nameLists.some(isFilled) ||
    values["cn_validations"] === "disabled" ||
    (domainFlags.some(isOn) && domains.some((domain) => domain !== unusedGlob(values)))
  );
}

/** Returns the reasons why a role rejects names that it may be meant to allow. */
export function gapsOf(values: Values): readonly Risk[] {
  const glob = wrongGlob(values);
  const advice =
    " Enter a domain and select its subdomains or the domain itself, or allow other names.";
  const none: Risk = {
    id: "no name",
    text: `The role allows no name: every request with a name will be rejected.${glob === undefined ? advice : ""}`,
  };
  return [
    ...(glob === undefined ? [] : [{ id: `glob ${glob}`, text: glob }]),
    ...(allowsName(values) ? [] : [none]),
  ];
}

/** Returns the gaps of edited values that the saved role does not have. */
export const newGaps = (values: Values, saved: Values | undefined): readonly Risk[] =>
  newOnes(gapsOf(values), saved ? gapsOf(saved) : []);
