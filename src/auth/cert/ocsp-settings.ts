import { listForm, uriForm } from "../../base/forms.ts";
import { fromBase64, fromUtf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { decodePem } from "../../base/pem.ts";
import { flag, withNormalForm, int, list, seconds, text } from "../../wire/field.ts";
import { parseCertificate, type Certificate } from "../../x509/certificate.ts";

/** The stored OCSP settings of a role. */
export interface OcspSettings {
  readonly ocsp_enabled: boolean;
  readonly ocsp_fail_open: boolean;
  readonly ocsp_query_all_servers: boolean;
  readonly ocsp_servers_override: readonly string[];
  /** Certificates of trusted responders: PEM, or base64 of PEM or DER. */
  readonly ocsp_ca_certificates: string;
  /** Maximum age of a response in seconds; 0 means any age. */
  readonly ocsp_this_update_max_age: number;
  readonly ocsp_max_retries: number;
}
/** The default OCSP settings. */
export const plainOcsp: OcspSettings = {
  ocsp_enabled: false,
  ocsp_fail_open: false,
  ocsp_query_all_servers: false,
  ocsp_servers_override: [],
  ocsp_ca_certificates: "",
  ocsp_this_update_max_age: 0,
  ocsp_max_retries: 4,
};
const texts = {
  ocsp_enabled: "Whether to check client certificates with OCSP, in addition to local revocations.",
  ocsp_fail_open: "Whether to accept a certificate whose status no OCSP responder provides.",
  ocsp_query_all_servers:
    "Whether all OCSP responders must agree; otherwise the first definite answer counts.",
  ocsp_servers_override: "OCSP responder URLs to use instead of those in the certificate.",
  ocsp_ca_certificates:
    "Certificates of trusted OCSP responders, besides the issuer and its delegates: PEM, or base64 of either PEM or one DER certificate.",
  ocsp_this_update_max_age:
    "Maximum age of an OCSP response (`thisUpdate`) in seconds; 0 means unlimited.",
  ocsp_max_retries: "Maximum number of retries per unresponsive OCSP responder, up to 10.",
} as const;
/** The OCSP settings in requests. */
export const ocspFields = {
  ocsp_enabled: flag.optional(texts.ocsp_enabled),
  ocsp_fail_open: flag.optional(texts.ocsp_fail_open),
  ocsp_query_all_servers: flag.optional(texts.ocsp_query_all_servers),
  ocsp_servers_override: withNormalForm(list, listForm(uriForm)).optional(
    texts.ocsp_servers_override,
  ),
  ocsp_ca_certificates: text.optional(texts.ocsp_ca_certificates),
  ocsp_this_update_max_age: seconds.optional(texts.ocsp_this_update_max_age),
  ocsp_max_retries: int.optional(texts.ocsp_max_retries),
} as const;
/** The OCSP settings in responses. */
export const ocspReply = {
  ocsp_enabled: flag.required(texts.ocsp_enabled),
  ocsp_fail_open: flag.required(texts.ocsp_fail_open),
  ocsp_query_all_servers: flag.required(texts.ocsp_query_all_servers),
  ocsp_servers_override: list.required(texts.ocsp_servers_override),
  ocsp_ca_certificates: text.required(texts.ocsp_ca_certificates),
  ocsp_this_update_max_age: int.required(texts.ocsp_this_update_max_age),
  ocsp_max_retries: int.required(texts.ocsp_max_retries),
} as const;

type RequestedSettings = { readonly [K in keyof OcspSettings]?: OcspSettings[K] | undefined };
/** Returns the OCSP settings with the changes of a request. */
export const withOcspFields = (old: OcspSettings, changes: RequestedSettings): OcspSettings => ({
  ocsp_enabled: changes.ocsp_enabled ?? old.ocsp_enabled,
  ocsp_fail_open: changes.ocsp_fail_open ?? old.ocsp_fail_open,
  ocsp_query_all_servers: changes.ocsp_query_all_servers ?? old.ocsp_query_all_servers,
  ocsp_servers_override: changes.ocsp_servers_override ?? old.ocsp_servers_override,
  ocsp_ca_certificates: changes.ocsp_ca_certificates ?? old.ocsp_ca_certificates,
  ocsp_this_update_max_age: changes.ocsp_this_update_max_age ?? old.ocsp_this_update_max_age,
  ocsp_max_retries: changes.ocsp_max_retries ?? old.ocsp_max_retries,
});

/**
 * Parses certificates in PEM, or in base64 of PEM or of one DER certificate. Throws CaError
 * `malformed` for anything else.
 */
export function respondersIn(text: string): readonly Certificate[] {
  if (text === "") return [];
  const bytes = text.includes("-----") ? undefined : fromBase64(text);
  if (bytes?.[0] === derSequence) return [parseCertificate(bytes)];
  const blocks = decodePem(bytes ? textOf(bytes) : text);
  if (blocks.length === 0 || blocks.some(({ label }) => label !== "CERTIFICATE"))
    throw new CaError(
      "malformed",
      "ocsp_ca_certificates must be certificates in PEM, or base64 of PEM or of one certificate in DER",
    );
  return blocks.map(({ der }) => parseCertificate(der));
}
const derSequence = 0x30;
/** Decodes UTF-8. Returns "" if the bytes are not valid UTF-8. */
function textOf(bytes: Uint8Array): string {
  try {
    return fromUtf8(bytes);
  } catch {
    return "";
  }
}
