import { CaError } from "../../base/errors.ts";
import { decodePem } from "../../base/pem.ts";
import { managedUsages, type ManagedType } from "../../managed/records.ts";
import { readIdentity } from "../../managed/identity.ts";
import { urlFault } from "../../net/url-fault.ts";
import { parseCertificate } from "../../x509/certificate.ts";

/** Texts by name. */
type Texts = Readonly<Record<string, string>>;
/** The settings of a type of managed keys. */
interface Kind {
  readonly settings: readonly string[];
  readonly secrets: readonly string[];
  readonly needs: readonly string[];
  /** A secret that is sent unchanged, and the settings that determine the recipient. */
  readonly sent?: { readonly secret: string; readonly to: readonly string[] };
  check?(settings: Texts, secrets: Texts): Promise<void>;
}
const malformed = (words: string): CaError => new CaError("malformed", words);

/** Maximum length of a text, and number of certificates in one. */
const [maxTextLength, maxCertificates] = [64 * 1024, 20];
function checkCertificates(name: string, pem: string): void {
  const blocks = decodePem(pem);
  if (blocks.length === 0 || blocks.length > maxCertificates)
    throw malformed(`${name} holds 1 to ${maxCertificates} certificates`);
  for (const { label, der } of blocks) {
    if (label !== "CERTIFICATE")
      throw malformed(`${name} holds a ${label.slice(0, 40)}, not a certificate`);
    parseCertificate(der);
  }
}
function checkUrl(name: string, url: string): void {
  const fault = urlFault(url) ?? (url.includes("?") ? "must not have a query" : undefined);
  if (fault !== undefined) throw malformed(`${name} ${fault}`);
}

const kinds: Readonly<Record<ManagedType, Kind>> = {
  awskms: {
    settings: ["region", "endpoint", "kms_key", "key_type", "key_bits", "curve", "trusted_ca"],
    secrets: ["access_key", "secret_key"],
    needs: ["kms_key", "access_key", "secret_key"],
    async check({ region = "", endpoint, key_type: type = "RSA", kms_key = "" }, { access_key }) {
      // it becomes part of a host name
      if (region !== "" && !/^[a-z\d](?:[a-z\d-]{0,30}[a-z\d])?$/.test(region))
        throw malformed("region is no name of a region, such as eu-central-1");
      if (endpoint) checkUrl("endpoint", endpoint);
      if (!/^(RSA|ECDSA|EC|ED25519)$/i.test(type))
        throw malformed("key_type must be RSA, ECDSA or ED25519");
      if (!/^[\w:/-]{1,2048}$/.test(kms_key)) throw malformed("kms_key is no id, ARN or alias");
      if (!/^[\w-]{1,128}$/.test(access_key ?? "")) throw malformed("access_key is no id of a key");
    },
  },
  https: {
    settings: ["url", "key", "message_type", "trusted_ca", "trusted_leaf_certificate_bundle"],
    secrets: ["token", "client_cert_bundle"],
    needs: ["url"],
    sent: { secret: "token", to: ["url", "trusted_ca", "trusted_leaf_certificate_bundle"] },
    async check(settings, secrets) {
      const { url = "", key, trusted_ca, trusted_leaf_certificate_bundle: leaves } = settings;
      if (!["digest", "raw", undefined].includes(settings["message_type"]))
        throw malformed("message_type must be digest or raw");
      checkUrl("url", url);
      if (key && !/^[\w.-]{1,128}$/.test(key)) throw malformed("key is no name of a key");
      if (trusted_ca && leaves)
        throw malformed("give trusted_ca or trusted_leaf_certificate_bundle, not both");
      const { token, client_cert_bundle: bundle } = secrets;
      if (!token && !bundle)
        throw malformed(
          "give a token or a client_cert_bundle: without one the service would sign for anybody",
        );
      if (token && !/^[!-~]{1,4096}$/.test(token)) throw malformed("token is no bearer token");
      if (!bundle) return;
      if (!trusted_ca && !leaves)
        throw malformed("client_cert_bundle needs trusted_ca or trusted_leaf_certificate_bundle");
      await readIdentity(bundle);
    },
  },
};
/** All members of any type. */
const ofTypes = Object.values(kinds).flatMap(({ settings, secrets }) => [...settings, ...secrets]);

/** Value shown for a secret; when sent back, the secret stays unchanged. */
export const redactedSecret = "redacted";

/** Settings and secrets of a managed key. */
export interface ManagedKeySettings {
  readonly settings: Texts;
  readonly secrets: Texts;
}
/**
 * Rejects a change that would send a stored secret to another recipient, because whoever may write
 * a managed key need not know its secrets.
 */
function demandSameReader(
  { sent }: Kind,
  given: Readonly<Record<string, unknown>>,
  { before, told }: { readonly before: ManagedKeySettings; readonly told: ManagedKeySettings },
): void {
  if (!sent || !before.secrets[sent.secret] || !told.secrets[sent.secret]) return;
  const { [sent.secret]: secret } = given;
  if (secret !== undefined && secret !== redactedSecret) return;
  const other = sent.to.find((name) => before.settings[name] !== told.settings[name]);
  if (other !== undefined)
    throw malformed(`send ${sent.secret} again: with another ${other} another server gets it`);
}

/**
 * Returns the settings of a managed key after a request: absent members keep their value, empty
 * ones are unset. A secret sent unchanged goes only to the server that it was configured for.
 * Throws CaError `malformed`.
 */
export async function mergeSettings(
  type: ManagedType,
  given: Readonly<Record<string, unknown>>,
  before: ManagedKeySettings,
): Promise<ManagedKeySettings> {
  const kind = kinds[type];
  const own = new Set([...kind.settings, ...kind.secrets]);
  const foreign = ofTypes.find((name) => !own.has(name) && given[name] !== undefined);
  if (foreign !== undefined)
    throw malformed(`${foreign} is no field of managed keys of type ${type}`);
  const told = {
    settings: changed(kind.settings, given, before.settings),
    secrets: changed(kind.secrets, given, before.secrets),
  };
  const all: Texts = { ...told.settings, ...told.secrets };
  const missing = kind.needs.find((name) => !all[name]);
  if (missing !== undefined) throw malformed(`${missing} is missing`);
  for (const name of ["trusted_ca", "trusted_leaf_certificate_bundle"])
    if (all[name]) checkCertificates(name, all[name]);
  await kind.check?.(told.settings, told.secrets);
  demandSameReader(kind, given, { before, told });
  return told;
}
function changed(
  names: readonly string[],
  given: Readonly<Record<string, unknown>>,
  before: Texts,
): Texts {
  return Object.fromEntries(
    names.flatMap((name): readonly (readonly [string, string])[] => {
      const sent = given[name];
      const value =
        typeof sent === "string" && sent !== redactedSecret ? sent : (before[name] ?? "");
      if (value.length > maxTextLength)
        throw malformed(`${name} has more than ${maxTextLength} characters`);
      return value === "" ? [] : [[name, value]];
    }),
  );
}

/** Returns usages as stored: known and unique. Throws CaError `malformed`. */
export function usagesOf(given: readonly string[]): readonly string[] {
  const names = [...new Set(given.map((one) => one.trim().toLowerCase()).filter(Boolean))];
  const unknown = names.find((one) => !managedUsages.includes(one));
  if (unknown !== undefined)
    throw malformed(`unknown usage ${unknown.slice(0, 64)}: use ${managedUsages.join(", ")}`);
  return names;
}
