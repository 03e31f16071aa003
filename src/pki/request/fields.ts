import { otherNameForm } from "./other-name.ts";
import { addressForm, nameForm, rangeForm } from "../../x509/forms.ts";
import {
  base64Form,
  listForm,
  commaListForm,
  hostForm,
  instantForm,
  lowerCaseForm,
  trimmedForm,
  uriForm,
} from "../../base/forms.ts";
import { keyTypeDoc, keyTypes, usualSizeDoc } from "../../algorithms/table.ts";
import { keyPrinting } from "./format.ts";
import type { Audits } from "../../wire/audits.ts";
import {
  describedBy,
  duration,
  expiration,
  flag,
  withNormalForm,
  int,
  list,
  secret,
  text,
} from "../../wire/field.ts";

const [hosts, ranges] = [listForm(hostForm), listForm(rangeForm)] as const;
const time = withNormalForm(text, instantForm);
/** Request fields for the subject and alternative names (A 8.2). */
export const nameFields = {
  common_name: withNormalForm(text, nameForm).default(
    "",
    "Common name of the subject. Also added to the alternative names if it is a host name or email address.",
  ),
  alt_names: withNormalForm(text, commaListForm(nameForm)).default(
    "",
    "Additional host names or email addresses, separated by commas. If the role rejects one, the whole request fails.",
  ),
  ip_sans: withNormalForm(list, listForm(addressForm)).default([], "IP addresses."),
  uri_sans: withNormalForm(list, listForm(uriForm)).default([], "URIs."),
  other_sans: withNormalForm(list, listForm(otherNameForm)).default(
    [],
    "otherName SANs, each in the form `<oid>;UTF8:<value>`.",
  ),
  exclude_cn_from_sans: flag.default(false, "Do not add the common name to the alternative names."),
  serial_number: text.default(
    "",
    "Serial number attribute of the subject. The certificate's own serial number is random.",
  ),
} as const;

/** Members of a request with these names that audit events contain. */
export const issuanceAudits = {
  hashed: ["common_name", "alt_names", "ip_sans", "uri_sans"],
  plain: ["ttl"],
  always: true,
} as const satisfies Audits;

/** Request fields for the lifetime. */
export const lifetimeFields = {
  ttl: describedBy(duration, { default: "" }).optional(
    "Lifetime, up to the maximum of the role or mount.",
  ),
  not_before: time.default(
    "",
    "Start of the validity period (notBefore), RFC 3339, if the role permits it. If absent, validity starts slightly in the past.",
  ),
  not_after: time.default(
    "",
    "End of the validity period (notAfter), used instead of `ttl`: `YYYY-MM-ddTHH:MM:SSZ`, up to 9999-12-31T23:59:59Z.",
  ),
} as const;

/** Request field for the encoding of the result. */
export const formatField = {
  format: text.default("pem", "Encoding of the result: `pem`, `der` (base64) or `pem_bundle`.", [
    "pem",
    "der",
    "pem_bundle",
  ]),
} as const;
/** Request fields for the encoding of a certificate (A 6.9). */
export const certificateFormatFields = {
  format: text.default(
    "pem",
    "Encoding of the result: `pem`, `der` (base64) or `pem_bundle`. With `pkcs12_bundle` or `jks_bundle`, `certificate` is a base64 archive that also contains the key if one is generated.",
    ["pem", "der", "pem_bundle", "pkcs12_bundle", "jks_bundle"],
  ),
  pkcs12_encoder: text.default(
    "modern2026",
    "Encryption of `pkcs12_bundle`: `modern2026` (with PBMAC1), or `modern2023` for older software. Both use AES-256.",
    ["modern2026", "modern2023"],
  ),
  pkcs12_password: secret.optional(
    "Password for `pkcs12_bundle`. If absent, a password is generated and returned.",
  ),
  jks_password: secret.optional(
    "Password for `jks_bundle`, at least six characters. If absent, a strong password is generated and returned. Choose a strong password, because the format protects weak ones poorly.",
  ),
} as const;
/** Request field for the alias of a new key in an archive. */
export const keyAliasField = {
  jks_private_key_alias: withNormalForm(text, lowerCaseForm).default(
    "1",
    "Alias of the key in `jks_bundle`, lowercase.",
  ),
} as const;
/** Request field for the encoding of a new private key. */
export const keyFormatField = {
  private_key_format: describedBy(text, { default: "der" }).optional(
    "Encoding of the private key: `der` (traditional) or `pkcs8`. The library, called in process, defaults to `pkcs8`.",
    ["der", "pkcs8"],
  ),
} as const;

/** Request fields for metadata to store with the certificate: the field and its alias. */
export const metadataFields = {
  metadata: withNormalForm(describedBy(secret, { default: "" }), base64Form).optional(
    "Metadata to store with the certificate: base64 or empty.",
  ),
  cert_metadata: withNormalForm(secret, base64Form).alias("metadata"),
} as const;

/** Request fields for the subject attributes other than the common name. */
export const subjectFields = {
  ou: list.default([], "Organizational units."),
  organization: list.default([], "Organizations."),
  country: list.default([], "Countries, two letters each."),
  locality: list.default([], "Localities."),
  province: list.default([], "States or provinces."),
  street_address: list.default([], "Street addresses."),
  postal_code: list.default([], "Postal codes."),
} as const;

/** Request fields for the key to generate for a CA. */
export const keyFields = {
  key_name: withNormalForm(text, trimmedForm).optional("Name of the new key."),
  key_type: text.default("rsa", `${keyTypeDoc}.`, keyTypes),
  key_bits: int.default(0, `Key size in bits; 0 means ${usualSizeDoc}.`),
} as const;

/** Request fields for the signature options of an RSA issuer. */
export const signatureFields = {
  signature_bits: int.default(
    0,
    "SHA-2 size for RSA signatures: 256, 384 or 512 bits; 0 means 256. Ignored for other keys, whose hash is fixed.",
    [0, 256, 384, 512],
  ),
  use_pss: flag.default(false, "Use PSS instead of PKCS#1 v1.5 padding for RSA signatures."),
} as const;

/** Request fields for the name constraints of a CA certificate (RFC 5280 section 4.2.1.10). */
export const constraintFields = {
  permitted_dns_domains: withNormalForm(list, hosts).default(
    [],
    "DNS domains permitted in certificates below this CA.",
  ),
  excluded_dns_domains: withNormalForm(list, hosts).default(
    [],
    "DNS domains excluded from certificates below this CA.",
  ),
  permitted_ip_ranges: withNormalForm(list, ranges).default(
    [],
    "IP ranges (CIDR) permitted in certificates below this CA.",
  ),
  excluded_ip_ranges: withNormalForm(list, ranges).default(
    [],
    "IP ranges (CIDR) excluded from certificates below this CA.",
  ),
  permitted_email_addresses: withNormalForm(list, hosts).default(
    [],
    "Email addresses, hosts or domains permitted in certificates below this CA.",
  ),
  excluded_email_addresses: withNormalForm(list, hosts).default(
    [],
    "Email addresses, hosts or domains excluded from certificates below this CA.",
  ),
  permitted_uri_domains: withNormalForm(list, hosts).default(
    [],
    "URI hosts or domains permitted in certificates below this CA.",
  ),
  excluded_uri_domains: withNormalForm(list, hosts).default(
    [],
    "URI hosts or domains excluded from certificates below this CA.",
  ),
} as const;

/** Request field for the backdating of notBefore. */
export const notBeforeField = {
  not_before_duration: duration.default(30, "Duration by which notBefore is backdated."),
} as const;

/** Reply members that describe an issued certificate. */
export const certificateReply = {
  expiration: expiration.required("End of the validity period (notAfter), Unix seconds."),
  certificate: text.required("The certificate."),
  issuing_ca: text.required("Certificate of the issuer."),
  ca_chain: list.optional("Certificates of the issuer and its parents."),
  serial_number: text.required("Serial number: hexadecimal octets separated by colons."),
  pkcs12_password: secret.optional(
    "Generated password of the archive. The server does not store it.",
  ),
  jks_password: secret.optional("Generated password of the archive. The server does not store it."),
} as const;
/** Reply members that describe a new private key. */
export const privateKeyReply = {
  private_key: {
    ...secret.optional("Private key, unless it is in an archive. The server does not store it."),
    ...keyPrinting,
  },
  private_key_type: text.optional(`${keyTypeDoc}.`, keyTypes),
} as const;
