import { uriForm } from "../base/forms.ts";
import { duration, flag, withNormalForm, int, secret, text } from "../wire/field.ts";

const docs = {
  enabled: "Whether external policy is enabled.",
  external_service_url: "URL (https) of the policy service.",
  service:
    "Name of a platform service to call instead of a URL, such as a service binding of the Worker.",
  trusted_ca: "CA certificates, PEM, that the server's chain must lead to.",
  trusted_leaf_certificate_bundle:
    "Accepted server certificates, PEM, compared exactly; names and validity are not checked.",
  entity_jmespath:
    "JMESPath expression that selects the entity data to send; empty: only its ID, `@`: everything.",
  group_jmespath:
    "JMESPath expression that selects the group data to send; empty: nothing, `@`: everything.",
  allow_private_network:
    "Whether the service may have a private or loopback address; default: ACME_PRIVATE_NETWORKS of the deployment.",
} as const;

/** Fields of the configuration in replies. */
export const configReply = {
  enabled: flag.required(docs.enabled),
  external_service_url: text.required(docs.external_service_url),
  service: text.required(docs.service),
  timeout: int.required("Response timeout in nanoseconds."),
  trusted_ca: text.required(docs.trusted_ca),
  trusted_leaf_certificate_bundle: text.required(docs.trusted_leaf_certificate_bundle),
  vault_client_cert_bundle: text.required(
    "Client certificate chain presented to the service, PEM, without the key.",
  ),
  entity_jmespath: text.required(docs.entity_jmespath),
  group_jmespath: text.required(docs.group_jmespath),
  allow_private_network: flag.required(docs.allow_private_network),
  external_service_last_updated: text.required("When it was last updated, RFC 3339."),
  external_service_validated: flag.required(
    "Whether the last response of the service was valid, as known to this instance.",
  ),
  last_successful_request: text.required(
    "When the last valid response arrived, RFC 3339, as known to this instance; empty: never.",
  ),
  last_failed_request: text.required(
    "When the last request failed, RFC 3339, as known to this instance; empty: never.",
  ),
  last_failure: text.required("Why it failed; empty: never."),
} as const;

/** Fields of the configuration in requests. */
export const configBody = {
  enabled: flag.optional(docs.enabled),
  external_service_url: withNormalForm(text, uriForm).optional(docs.external_service_url),
  service: text.optional(docs.service),
  timeout: duration.optional("Response timeout, 1 to 60 seconds; default: 15s."),
  trusted_ca: text.optional(docs.trusted_ca),
  trusted_leaf_certificate_bundle: text.optional(docs.trusted_leaf_certificate_bundle),
  vault_client_cert_bundle: secret.optional(
    "Private key and certificates presented to the service, PEM; the key is never returned.",
  ),
  entity_jmespath: text.optional(docs.entity_jmespath),
  group_jmespath: text.optional(docs.group_jmespath),
  allow_private_network: flag.optional(docs.allow_private_network),
} as const;
