import { malformed } from "../../base/errors.ts";
import { decodePem } from "../../base/pem.ts";
import { managedUsages } from "../../managed/records.ts";
import type { ManagedKeyType, Texts } from "../../managed/types/managed-key-type.ts";
import { managedKeyTypes } from "../../managed/types/table.ts";
import { parseCertificate } from "../../x509/certificate.ts";

/** Maximum length of a setting in characters, and maximum number of certificates in a setting. */
const [maxTextLength, maxCertificates] = [64 * 1024, 20];
function checkCertificates(name: string, pem: string): void {
  const blocks = decodePem(pem);
  if (blocks.length === 0 || blocks.length > maxCertificates)
    throw malformed(`${name} must have 1 to ${maxCertificates} certificates`);
  for (const { label, der } of blocks) {
    if (label !== "CERTIFICATE")
      throw malformed(`${name} contains a ${label.slice(0, 40)} instead of a certificate`);
    parseCertificate(der);
  }
}
/** Names of the settings and secrets of all types. */
const ofTypes = managedKeyTypes.flatMap(({ settings, secrets }) => [...settings, ...secrets]);

/** Value shown instead of a secret. If a client sends it back, the secret stays unchanged. */
export const redactedSecret = "redacted";

/** Settings and secrets of a managed key. */
export interface ManagedKeySettings {
  readonly settings: Texts;
  readonly secrets: Texts;
}
/**
 * Throws `malformed` for a change that would send a stored secret to another server, because
 * callers that may write a managed key must not learn its secrets.
 */
function requireSameReader(
  { sendsSecret: sent }: ManagedKeyType,
  input: Readonly<Record<string, unknown>>,
  { before, next }: { readonly before: ManagedKeySettings; readonly next: ManagedKeySettings },
): void {
  if (!sent || !before.secrets[sent.secret] || !next.secrets[sent.secret]) return;
  const { [sent.secret]: secret } = input;
  if (secret !== undefined && secret !== redactedSecret) return;
  const other = sent.to.find((name) => before.settings[name] !== next.settings[name]);
  if (other !== undefined)
    throw malformed(
      `a change of ${other} would send the stored ${sent.secret} to another server: include ${sent.secret} in the request`,
    );
}

/**
 * Returns the settings and secrets of a managed key after a request. Absent members keep their
 * values, and empty ones are unset. Rejects with CaError `malformed` for invalid settings, and for
 * a change that would send a stored secret to another server.
 */
export async function mergeSettings(
  type: ManagedKeyType,
  input: Readonly<Record<string, unknown>>,
  before: ManagedKeySettings,
): Promise<ManagedKeySettings> {
  const own = new Set([...type.settings, ...type.secrets]);
  const foreign = ofTypes.find((name) => !own.has(name) && input[name] !== undefined);
  if (foreign !== undefined)
    throw malformed(`${foreign} is not a field of managed keys of type ${type.type}`);
  const settings = {
    settings: changed(type.settings, input, before.settings),
    secrets: changed(type.secrets, input, before.secrets),
  };
  const all: Texts = { ...settings.settings, ...settings.secrets };
  const missing = type.needs.find((name) => !all[name]);
  if (missing !== undefined) throw malformed(`${missing} is missing`);
  for (const name of ["trusted_ca", "trusted_leaf_certificate_bundle"])
    if (all[name]) checkCertificates(name, all[name]);
  await type.check(settings.settings, settings.secrets);
  requireSameReader(type, input, { before, next: settings });
  return settings;
}
function changed(
  names: readonly string[],
  input: Readonly<Record<string, unknown>>,
  before: Texts,
): Texts {
  return Object.fromEntries(
    names.flatMap((name): readonly (readonly [string, string])[] => {
      const sent = input[name];
      const value =
        typeof sent === "string" && sent !== redactedSecret ? sent : (before[name] ?? "");
      if (value.length > maxTextLength)
        throw malformed(`${name} has more than ${maxTextLength} characters`);
      return value === "" ? [] : [[name, value]];
    }),
  );
}

/**
 * Normalizes a list of usages and removes duplicates. Throws CaError `malformed` for unknown
 * usages.
 */
export function usagesOf(requested: readonly string[]): readonly string[] {
  const names = [...new Set(requested.map((one) => one.trim().toLowerCase()).filter(Boolean))];
  const unknown = names.find((one) => !managedUsages.includes(one));
  if (unknown !== undefined)
    throw malformed(`unknown usage ${unknown.slice(0, 64)}: use ${managedUsages.join(", ")}`);
  return names;
}
