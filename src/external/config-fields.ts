import { uriForm } from "../base/forms.ts";
import { duration, flag, withNormalForm, int, secret, text } from "../wire/field.ts";

const docs = {
  enabled: "Whether external policy is enabled.",
  external_service_url: "URL (https) of the policy service.",
  service:
    "Name of a platform service that is called instead of a URL, such as a service binding of the Worker.",
  trusted_ca: "CA certificates (PEM). The server's certificate must chain to one of them.",
  trusted_leaf_certificate_bundle:
    "Accepted server certificates (PEM). The server must present one of them; its names and validity are not checked.",
  entity_jmespath:
    "JMESPath expression that selects which data about the caller's entity is sent. If empty, only the ID is sent; `@` selects everything.",
  group_jmespath:
    "JMESPath expression that selects which data about the caller's groups is sent. If empty, nothing is sent; `@` selects everything.",
  allow_private_network:
    "Whether the service may have a private or loopback address. The default is the ACME_PRIVATE_NETWORKS setting of the deployment.",
} as const;

/** Configuration fields in responses. */
export const configReply = {
  enabled: flag.required(docs.enabled),
  external_service_url: text.required(docs.external_service_url),
  service: text.required(docs.service),
  timeout: int.required("Response timeout in nanoseconds."),
  trusted_ca: text.required(docs.trusted_ca),
  trusted_leaf_certificate_bundle: text.required(docs.trusted_leaf_certificate_bundle),
  vault_client_cert_bundle: text.required(
    "Client certificate chain (PEM) presented to the service, without the key.",
  ),
  entity_jmespath: text.required(docs.entity_jmespath),
  group_jmespath: text.required(docs.group_jmespath),
  allow_private_network: flag.required(docs.allow_private_network),
  external_service_last_updated: text.required("Time of the last update, RFC 3339."),
  external_service_validated: flag.required(
    "Whether the last response of the service that this process received was valid.",
  ),
  last_successful_request: text.required(
    "Time of the last valid response that this process received, RFC 3339; empty if there was none.",
  ),
  last_failed_request: text.required(
    "Time of this process's last failed request, RFC 3339; empty if there was none.",
  ),
  last_failure: text.required(
    "Reason why the last failed request failed; empty if there was none.",
  ),
} as const;

/** Configuration fields in requests. */
export const configBody = {
  enabled: flag.optional(docs.enabled),
  external_service_url: withNormalForm(text, uriForm).optional(docs.external_service_url),
  service: text.optional(docs.service),
  timeout: duration.optional("Response timeout, 1 to 60 seconds; 15s by default."),
  trusted_ca: text.optional(docs.trusted_ca),
  trusted_leaf_certificate_bundle: text.optional(docs.trusted_leaf_certificate_bundle),
  vault_client_cert_bundle: secret.optional(
    "Private key and client certificate chain (PEM) with which the CA authenticates to the service. The key is never returned.",
  ),
  entity_jmespath: text.optional(docs.entity_jmespath),
  group_jmespath: text.optional(docs.group_jmespath),
  allow_private_network: flag.optional(docs.allow_private_network),
} as const;
