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
/** Fields with the requested names (A 8.2). */
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
    "Other names, each `<oid>;UTF8:<value>`.",
  ),
  exclude_cn_from_sans: flag.default(false, "Do not add the common name to the alternative names."),
  serial_number: text.default(
    "",
    "Serial number attribute of the subject. The certificate's own serial number is random.",
  ),
} as const;

/** Fields with the requested lifetime. */
export const lifetimeFields = {
  ttl: describedBy(duration, { default: "" }).optional(
    "Lifetime, at most the maximum of the role or mount.",
  ),
  not_before: time.default(
    "",
    "Start of validity, RFC 3339, if the role permits it; default: backdated.",
  ),
  not_after: time.default(
    "",
    "End of validity instead of `ttl`: `YYYY-MM-ddTHH:MM:SSZ`, up to 9999-12-31T23:59:59Z.",
  ),
} as const;

/** Field with the encoding of the result. */
export const formatField = {
  format: text.default("pem", "Encoding of the result: `pem`, `der` (base64) or `pem_bundle`.", [
    "pem",
    "der",
    "pem_bundle",
  ]),
} as const;
/** Fields with the encoding of a certificate (A 6.9). */
export const certificateFormatFields = {
  format: text.default(
    "pem",
    "Encoding of the result: `pem`, `der` (base64) or `pem_bundle`; or an archive in `certificate`, base64, including the key if one is generated: `pkcs12_bundle` or `jks_bundle`.",
    ["pem", "der", "pem_bundle", "pkcs12_bundle", "jks_bundle"],
  ),
  pkcs12_encoder: text.default(
    "modern2026",
    "Protection of `pkcs12_bundle`: `modern2026` (PBMAC1), or `modern2023` for older readers. Both use AES-256.",
    ["modern2026", "modern2023"],
  ),
  pkcs12_password: secret.optional(
    "Password of `pkcs12_bundle`. If not sent, one is generated and returned.",
  ),
  jks_password: secret.optional(
    "Password of `jks_bundle`, at least six characters. If not sent, a strong one is generated and returned; the format protects weak ones badly.",
  ),
} as const;
/** Field with the alias of a new key in an archive. */
export const keyAliasField = {
  jks_private_key_alias: withNormalForm(text, lowerCaseForm).default(
    "1",
    "Alias of the key in `jks_bundle`, lowercase.",
  ),
} as const;
/** Field with the encoding of a new private key. */
export const keyFormatField = {
  private_key_format: describedBy(text, { default: "der" }).optional(
    "Encoding of the private key: `der` (traditional) or `pkcs8`. In the process of the CA, the library defaults to `pkcs8`.",
    ["der", "pkcs8"],
  ),
} as const;

/** Fields with metadata stored for the serial number, under both names. */
export const metadataFields = {
  metadata: withNormalForm(describedBy(secret, { default: "" }), base64Form).optional(
    "Metadata to store with the certificate: base64, or empty.",
  ),
  cert_metadata: withNormalForm(secret, base64Form).alias("metadata"),
} as const;

/** Fields with subject values besides the common name. */
export const subjectFields = {
  ou: list.default([], "Organizational units."),
  organization: list.default([], "Organizations."),
  country: list.default([], "Countries, two letters each."),
  locality: list.default([], "Localities."),
  province: list.default([], "States or provinces."),
  street_address: list.default([], "Street addresses."),
  postal_code: list.default([], "Postal codes."),
} as const;

/** Fields of the key generated for a CA. */
export const keyFields = {
  key_name: withNormalForm(text, trimmedForm).optional("Name of the new key."),
  key_type: text.default("rsa", `${keyTypeDoc}.`, keyTypes),
  key_bits: int.default(0, `Key size in bits; 0 means ${usualSizeDoc}.`),
} as const;

/** Fields with the signature options of an RSA issuer. */
export const signatureFields = {
  signature_bits: int.default(
    0,
    "SHA-2 size for RSA signatures: 256, 384 or 512 bits; 0: 256. Other keys have a fixed hash.",
    [0, 256, 384, 512],
  ),
  use_pss: flag.default(false, "Use PSS instead of PKCS#1 v1.5 for RSA signatures."),
} as const;

/** Fields with the name constraints of a CA certificate (RFC 5280 section 4.2.1.10). */
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

/** Field with the backdating of notBefore. */
export const notBeforeField = {
  not_before_duration: duration.default(30, "How far the start of validity is backdated."),
} as const;

/** Reply members of a certificate. */
export const certificateReply = {
  expiration: expiration.required("End of validity, Unix seconds."),
  certificate: text.required("The certificate."),
  issuing_ca: text.required("Certificate of the issuer."),
  ca_chain: list.optional("Certificates of the issuer and its parents."),
  serial_number: text.required("Serial number: hexadecimal octets with colons."),
  pkcs12_password: secret.optional("Generated password of the archive. It is not stored."),
  jks_password: secret.optional("Generated password of the archive. It is not stored."),
} as const;
/** Reply members of a new private key. */
export const privateKeyReply = {
  private_key: {
    ...secret.optional("Private key, unless it is in an archive. It is not stored."),
    ...keyPrinting,
  },
  private_key_type: text.optional(`${keyTypeDoc}.`, keyTypes),
} as const;
