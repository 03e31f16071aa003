import { matchesGlob } from "../../base/glob.ts";
import { hasControlCharacter, truncateForMessage } from "../../base/names.ts";
import { deviceNameOid } from "../../x509/device-name.ts";
import { allowedBy, refusedBy, type RuleResult } from "./names.ts";

/** An otherName of the form `<oid>;UTF8:<value>`. In a role, the value is a glob. */
export interface OtherName {
  readonly oid: string;
  readonly value: string;
}

/** Maximum length of an object identifier in dotted-decimal form. */
const maxOidLength = 512;

/**
 * Parses `<oid>;UTF8:<value>`. The type may also be `UTF-8`, and its case is ignored. Returns
 * undefined if malformed.
 */
export function parseOtherName(text: string): OtherName | undefined {
  if (text.indexOf(";") > maxOidLength) return undefined;
  const match =
    /^\s*((?:[01]\.(?:[0-9]|[1-3][0-9])|2\.(?:0|[1-9][0-9]*))(?:\.(?:0|[1-9][0-9]*))*)\s*;\s*utf-?8\s*:([^]*)$/i.exec(
      text,
    );
  return match ? { oid: match[1] ?? "", value: (match[2] ?? "").trim() } : undefined;
}

/** Normalizes an otherName; malformed text is only trimmed. */
export function otherNameForm(text: string): string {
  const name = parseOtherName(text);
  return name ? `${name.oid};UTF8:${name.value}` : text.trim();
}

/**
 * Types of otherName that identify devices. Devices prove these names with an attestation in ACME.
 */
const deviceOids: ReadonlySet<string> = new Set(Object.values(deviceNameOid));

/**
 * Checks an otherName against the `allowed_other_sans` of a role. If it is rejected, the result's
 * `rule` is the error message.
 */
export function otherNameVerdict(
  allowed: readonly string[],
  { oid, value }: OtherName,
): RuleResult {
  if (hasControlCharacter(value))
    return refusedBy(`other SAN for OID ${truncateForMessage(oid)} contains a control character`);
  if (allowed.length === 1 && allowed[0] === "*")
    return deviceOids.has(oid)
      ? refusedBy(`other SAN OID ${oid} identifies a device, which the entry * does not allow`)
      : allowedBy("allowed_other_sans");
  const entries = allowed.map(parseOtherName).filter((entry) => entry?.oid === oid);
  if (entries.length === 0)
    return refusedBy(`other SAN OID ${truncateForMessage(oid)} not allowed by this role`);
  if (entries.some((entry) => entry && matchesGlob(entry.value, value)))
    return allowedBy("allowed_other_sans");
  return refusedBy(
    `other SAN ${truncateForMessage(value)} not allowed for OID ${truncateForMessage(oid)} by this role`,
  );
}
