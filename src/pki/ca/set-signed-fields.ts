import { secret } from "../../wire/field.ts";

/** Request fields with the certificates to add as issuers. */
export const setSignedFields = {
  certificate: secret.default(
    "",
    "CA certificates, PEM; PKCS#7 blocks (`PKCS7` or `CMS`) are also accepted.",
  ),
  pem_bundle: secret.alias("certificate"),
} as const;
