import { visible } from "../../lib/visible-text.ts";
import type { Values } from "./role-values.ts";

const entriesOf = (value: string | boolean | undefined): readonly string[] =>
  String(value ?? "")
    .split(/[\s,]+/)
    .filter(Boolean);

/** Reports whether a pattern with `*` matches names of any registered domain. */
const matchesAnyDomain = (pattern: string): boolean => /^[*.]+[^.*]*$/.test(pattern);

interface Risk {
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

/** Returns the risks of edited values that the saved role does not have. */
export function newRisks(values: Values, saved: Values | undefined): readonly Risk[] {
  const savedRisks = new Set(saved ? risksOf(saved).map(({ id }) => id) : []);
  return risksOf(values).filter(({ id }) => !savedRisks.has(id) && !savedRisks.has(`${id} *`));
}

/**
 * Returns why a domain of a role without globs allows no name, and what to enter instead. Returns
 * undefined if all domains are usable.
 */
export function wrongGlob(values: Values): string | undefined {
  if (values["allow_glob_domains"] === true) return undefined;
  const glob = entriesOf(values["allowed_domains"]).find((domain) => domain.includes("*"));
  if (glob === undefined) return undefined;
  const base = glob.replace(/^\*\./, "");
  const instead = base.includes("*") ? "Enter a domain without *" : `Enter ${base}`;
  return visible(
    `${glob} allows no name. ${instead} and select “Subdomains of these domains”, or select “Allow * in domains”.`,
  );
}
