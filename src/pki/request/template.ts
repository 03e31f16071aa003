import { isOid } from "../../base/der.ts";
import { CaError } from "../../base/errors.ts";
import { hasControlCharacter, truncateForMessage } from "../../base/names.ts";
import { type GeneralNames, noNames } from "../../x509/san.ts";
import { type Rdn, nameValues, valuesOfType } from "../../x509/name.ts";
import { nameOid } from "../../x509/oid.ts";
import type { Extension } from "../../x509/extension.ts";
import { certificateNames, deviceNamesOf, type Certificate } from "../../x509/certificate.ts";
import type { IssuanceContext } from "./rule-checker.ts";
import { choicesOf } from "./format.ts";

/** Names that a CA's name constraints permit or exclude, by type. */
export interface NameSets {
  readonly dns: readonly string[];
  readonly ip: readonly string[];
  readonly email: readonly string[];
  readonly uri: readonly string[];
}
/**
 * A certificate policy: an OID, optionally with the URI of a certification practice statement (CPS)
 * and a user notice.
 */
export type Policy =
  | string
  | { readonly oid: string; readonly cps?: string; readonly notice?: string };

/** The fields that all certificates of one purpose share. */
export interface Profile {
  /** Only a root or an intermediate may be a CA. A root is signed with its own key. */
  readonly kind: "leaf" | "root" | "intermediate";
  readonly keyUsage: readonly string[];
  /** Object identifiers, in order. */
  readonly extKeyUsage: readonly string[];
  readonly basicConstraints?: { readonly ca: boolean; readonly pathLength?: number };
  readonly policies?: readonly Policy[];
  readonly constraints?: { readonly permitted: NameSets; readonly excluded: NameSets };
}
/** The fields of one certificate, except its serial number. */
export interface CertificateFields {
  /** Relative distinguished names in order, or the DER of a name copied from a CSR. */
  readonly subject: readonly Rdn[] | Uint8Array;
  readonly names: GeneralNames;
  /** Start of validity, Unix seconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** DER-encoded SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  /**
   * Requested subject key identifier. By default, the SHA-1 hash of the public key (RFC 5280
   * section 4.2.1.2, method 1).
   */
  readonly subjectKeyId?: Uint8Array;
  /** Additional extensions. Each replaces the generated extension with the same OID, if any. */
  readonly extra?: readonly Extension[];
}
/**
 * The contents of a certificate to be signed, as plain data. Earlier checks have approved them;
 * `certify` only asserts that they are valid.
 */
export interface Template extends Profile, CertificateFields {}

/** The subject attributes of a request or role. A 6.5 determines their order in the certificate. */
export interface SubjectValues {
  readonly country: readonly string[];
  readonly province: readonly string[];
  readonly locality: readonly string[];
  readonly street_address: readonly string[];
  readonly postal_code: readonly string[];
  readonly organization: readonly string[];
  readonly ou: readonly string[];
}

/**
 * Returns a subject with the attributes in the order C, ST, L, STREET, postal code, O, OU, CN,
 * serial number, user IDs. Several values of one attribute, except user IDs, share one relative
 * distinguished name. Throws `name_not_allowed` for control characters, because other software may
 * truncate or misread names that contain them.
 */
export function subjectOf(
  values: SubjectValues,
  commonName: string,
  serialNumbers: string | readonly string[],
  userIds: readonly string[] = [],
): readonly Rdn[] {
  const rdns: Rdn[] = [];
  const add = (oid: string, list: readonly string[]) => {
    const rdn: Rdn[number][] = [];
    for (const value of list.length > 1 ? new Set(list) : list) {
      if (value === "") continue;
      if (hasControlCharacter(value))
        throw new CaError("name_not_allowed", "a subject attribute contains a control character");
      rdn.push({ oid, value });
    }
    if (rdn.length > 0) rdns.push(rdn);
  };
  add(nameOid.country, values.country);
  add(nameOid.province, values.province);
  add(nameOid.locality, values.locality);
  add(nameOid.street, values.street_address);
  add(nameOid.postalCode, values.postal_code);
  add(nameOid.organization, values.organization);
  add(nameOid.organizationalUnit, values.ou);
  add(nameOid.commonName, [commonName]);
  add(nameOid.serialNumber, typeof serialNumbers === "string" ? [serialNumbers] : serialNumbers);
  for (const id of new Set(userIds)) add(nameOid.userId, [id]);
  return rdns;
}

/**
 * Returns extended key usage OIDs without empty entries. Throws `malformed` if one is not an OID.
 */
export function purposesOf(names: readonly string[]): readonly string[] {
  const oids = names.filter((oid) => oid !== "");
  for (const oid of oids)
    if (!isOid(oid))
      throw new CaError(
        "malformed",
        `"${oid.slice(0, 64)}" could not be parsed as a valid oid for an extended key usage`,
      );
  return oids;
}

/**
 * Returns the names of a certificate, beginning with the one under which a search finds it: DNS
 * names, email addresses, IP addresses, URIs, common names, otherNames and device names.
 */
const searchNames = (
  { dns, email, ip, uri, other, device = [] }: GeneralNames,
  common: readonly string[],
): readonly string[] =>
  [dns, email, ip, uri, common, [...other, ...device].map(({ value }) => value)]
    .flat()
    .filter(Boolean);

/**
 * Returns the names of a stored certificate, omitting those that cannot be parsed. A certificate
 * that a caller presented for revocation may contain names that no endpoint of this server would
 * sign.
 */
export function readableNames(
  certificate: Certificate,
): ReturnType<typeof certificateNames> & Pick<GeneralNames, "device"> {
  for (const extensions of [certificate.extensions, []])
    try {
      const named = { ...certificate, extensions };
      return { ...certificateNames(named), device: deviceNamesOf(named) };
    } catch (error) {
      if (!(error instanceof CaError)) throw error;
    }
  return { ...noNames, common: [] };
}

/** Returns the name under which a search finds a stored certificate, or "" if it has no name. */
export function firstName(certificate: Certificate): string {
  const names = readableNames(certificate);
  return searchNames(names, names.common)[0] ?? "";
}

/** Returns the names of a certificate that is yet to be signed, in the order of `searchNames`. */
export const templateNames = ({
  names,
  subject,
}: Pick<Template, "names" | "subject">): readonly string[] =>
  searchNames(names, commonNamesOf(subject));

/** Returns the name under which a search will find a certificate that is yet to be signed. */
export const templateName = (template: Pick<Template, "names" | "subject">): string =>
  templateNames(template)[0] ?? "";

/** Maximum length of a common name in characters (RFC 5280 appendix A.1, ub-common-name). */
const maxCommonName = 64;

/** Reports whether a common name has more characters than RFC 5280 allows. */
export const isLongCommonName = (name: string): boolean =>
  // a character has one or two UTF-16 code units, so a short string need not be split
  name.length > maxCommonName && [...name].length > maxCommonName;

/**
 * Checks the length of common names (D 1 row 8). Depending on the caller's dialect, a name longer
 * than 64 characters is rejected or only causes a warning.
 */
export function checkCommonNames(
  {
    caller,
    checker,
  }: Pick<IssuanceContext<unknown>, "checker"> & {
    readonly caller: Pick<IssuanceContext<unknown>["caller"], "reply" | "dialect">;
  },
  ...names: readonly string[]
): void {
  const long = names.filter(isLongCommonName);
  if (long.length === 0) return;
  for (const name of new Set(long)) {
    const text = `the common name has ${[...name].length} characters; RFC 5280 allows ${maxCommonName}`;
    if (choicesOf(caller.dialect).longCommonName === "warn")
      caller.reply.warn(`${text}, and some software rejects longer common names`);
    else
      checker.enforce(
        "common_name",
        name,
        false,
        () => new CaError("name_not_allowed", `${text}: ${truncateForMessage(name)}`),
      );
  }
}

/** Returns all common names of a subject, which may have several. */
export const commonNamesOf = (subject: readonly Rdn[] | Uint8Array): readonly string[] =>
  subject instanceof Uint8Array
    ? nameValues(subject, nameOid.commonName)
    : valuesOfType(subject, nameOid.commonName);
