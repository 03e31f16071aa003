import { externalPolicyConfig, type ExternalPolicyRequest } from "./rows/records.ts";
import { urlsConfig } from "../pki/rows/settings.ts";
import { shortDuration } from "../base/duration.ts";
import { uuid } from "../base/ids.ts";
import { encodePem } from "../base/pem.ts";
import { effectiveTtls } from "../engine/new-mount.ts";
import type { Entity } from "../engine/ports.ts";
import { hasAddresses } from "../pki/issuer/urls.ts";
import type { PolicyRequest, PolicyContext } from "./policy-request.ts";

/**
 * Returns the body of the request to an external policy service (B 7.3). Throws CaError
 * `policy_failed` if a JMESPath expression cannot be applied.
 */
export async function encodePolicyRequest(
  it: PolicyContext,
  request: PolicyRequest,
): Promise<ExternalPolicyRequest> {
  const { mount, config } = it;
  const { issuer, policy } = request;
  const urls = issuer && hasAddresses(issuer.urls) ? issuer.urls : config.get(urlsConfig);
  const own = issuer !== undefined && urls === issuer.urls;
  const ttls = request.lifetimes ?? effectiveTtls(config.mount);
  const who = await identityOf(it, request);
  return {
    request_version: 1,
    request_uuid: uuid(mount.ports.random),
    synchronous: true,
    user_request_key_values: { ...request.parameters, csr: request.csr },
    ...(who ? { identity_request_key_values: who } : {}),
    ...(request.acme ? { acme_request_key_values: request.acme } : {}),
    vault_request_values: {
      ...(policy === undefined || policy === "" ? {} : { policy_name: policy }),
      mount: `${config.mount.path}/`,
      ns: "",
      vault_is_performance_standby: false,
      vault_is_performance_secondary: false,
      issuance_mode: request.mode,
      vault_generated_private_key: request.generated,
      requested_issuer_name: issuer?.name ?? "",
      requested_issuer_id: issuer?.id ?? "",
      requested_issuer_cert: issuer ? encodePem("CERTIFICATE", issuer.der) : "",
      requested_issuance_config: {
        aia_values: {
          issuing_certificates: urls.issuing_certificates,
          crl_distribution_points: urls.crl_distribution_points,
          delta_crl_distribution_points: urls.delta_crl_distribution_points,
          ocsp_servers: urls.ocsp_servers,
          enable_templating: own
            ? issuer.enable_aia_url_templating
            : config.get(urlsConfig).enable_templating,
        },
        leaf_not_after_behavior: issuer?.leaf_not_after_behavior ?? "",
        mount_default_ttl: shortDuration(ttls.default),
        mount_max_ttl: shortDuration(ttls.max),
      },
    },
  };
}

/**
 * Returns the description of the caller for the service, or undefined for ACME and for callers
 * without an entity.
 */
async function identityOf({ caller, config }: PolicyContext, { mode }: PolicyRequest) {
  const entity = mode === "acme" ? undefined : caller?.identity.entity;
  if (!entity) return undefined;
  const { entity_jmespath, group_jmespath } = config.get(externalPolicyConfig);
  const [entityFields, groups] = [
    await filterValue(entity_jmespath, () => shownEntity(entity)),
    await filterValue(group_jmespath, () => entity.groups.map(shownGroup)),
  ];
  return {
    entity_id: entity.id,
    ...(entityFields === undefined ? {} : { entity: entityFields }),
    ...(groups === undefined ? {} : { groups }),
  };
}
/** Applies a filter expression. An empty expression selects nothing, and `@` everything. */
async function filterValue(expression: string, value: () => unknown): Promise<unknown> {
  if (expression === "") return undefined;
  if (expression === "@") return value();
  const { applyExpression } = await import("./filter.ts");
  return applyExpression(expression, value());
}

const shownEntity = ({ id, name, metadata, aliases }: Entity) => ({
  id,
  name,
  metadata,
  aliases: Object.entries(aliases).map(([mount_accessor, alias]) => ({ ...alias, mount_accessor })),
});
const shownGroup = ({ id, name, metadata = {} }: Entity["groups"][number]) => ({
  id,
  name,
  metadata,
});
