import { uriForm } from "../base/forms.ts";
import { duration, flag, withNormalForm, int, secret, text } from "../wire/field.ts";

const docs = {
  enabled: "Whether certificates are issued by external policy.",
  external_service_url: "URL that the policy service is asked at, https only.",
  service:
    "Name of a service of the platform that is asked in the place of a server, such as a service binding of the Worker.",
  trusted_ca: "CA certificates, PEM, one of which the server's chain leads to.",
  trusted_leaf_certificate_bundle:
    "Certificates of the server, PEM: exactly one of these is taken, whatever its names and validity.",
  entity_jmespath:
    "JMESPath expression that picks what is sent of the caller's entity; empty: its id alone, `@`: everything.",
  group_jmespath:
    "JMESPath expression that picks what is sent of the caller's groups; empty: nothing, `@`: everything.",
  allow_private_network:
    "Whether addresses of private networks and of the own machine may be asked; as ACME_PRIVATE_NETWORKS of the deployment says unless sent.",
} as const;

/** Fields of the configuration in replies. */
export const configReply = {
  enabled: flag.required(docs.enabled),
  external_service_url: text.required(docs.external_service_url),
  service: text.required(docs.service),
  timeout: int.required("How long an answer may take, nanoseconds."),
  trusted_ca: text.required(docs.trusted_ca),
  trusted_leaf_certificate_bundle: text.required(docs.trusted_leaf_certificate_bundle),
  vault_client_cert_bundle: text.required(
    "Certificates that the service is shown, PEM, without their key.",
  ),
  entity_jmespath: text.required(docs.entity_jmespath),
  group_jmespath: text.required(docs.group_jmespath),
  allow_private_network: flag.required(docs.allow_private_network),
  external_service_last_updated: text.required("When this was last written, RFC 3339."),
  external_service_validated: flag.required(
    "Whether the last answer of the service was a valid one, as far as this process knows.",
  ),
  last_successful_request: text.required(
    "When the last valid answer came, RFC 3339, as far as this process knows; empty: never.",
  ),
  last_failed_request: text.required(
    "When there was no valid answer last, RFC 3339, as far as this process knows; empty: never.",
  ),
  last_failure: text.required("Why there was none then; empty: never."),
} as const;

/** Fields of the configuration in requests. */
export const configBody = {
  enabled: flag.optional(docs.enabled),
  external_service_url: withNormalForm(text, uriForm).optional(docs.external_service_url),
  service: text.optional(docs.service),
  timeout: duration.optional("How long an answer may take, 1 to 60 seconds; 15s unless set."),
  trusted_ca: text.optional(docs.trusted_ca),
  trusted_leaf_certificate_bundle: text.optional(docs.trusted_leaf_certificate_bundle),
  vault_client_cert_bundle: secret.optional(
    "Private key and its certificates, PEM, that the service is shown; the key is not read back.",
  ),
  entity_jmespath: text.optional(docs.entity_jmespath),
  group_jmespath: text.optional(docs.group_jmespath),
  allow_private_network: flag.optional(docs.allow_private_network),
} as const;
