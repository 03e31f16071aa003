import { policyFunction } from "./policy-function.ts";
import {
  externalPolicyConfig,
  type PolicyClient,
  type ExternalPolicyConfig,
} from "./rows/records.ts";
import { policyClientBinding } from "./rows/client-key.ts";
import type { Mount } from "../engine/mount.ts";
import { readClientBundle } from "../keys/client-bundle.ts";
import { rfc3339, rfc3339nano } from "../base/duration.ts";
import { equalBytes } from "../base/bytes.ts";
import { CaError, malformed } from "../base/errors.ts";
import { decodePem, encodePem } from "../base/pem.ts";
import { keys } from "../pki/rows/records.ts";
import { allowsPrivateNetworks } from "../net/outgoing-scope.ts";
import { urlFault } from "../net/url-fault.ts";
import type { Caller } from "../wire/endpoint.ts";
import type { Parsed } from "../wire/field.ts";
import { isCa, parseCertificate } from "../x509/certificate.ts";
import type { configBody } from "./config-fields.ts";
import { forgetCalls, lastCall } from "./last-call.ts";

/**
 * The client bundle in a request: undefined if it is absent, null if it is empty, and only a chain
 * if it contains no key.
 */
export type SentClientBundle =
  | PolicyClient
  | { readonly chain: readonly Uint8Array[] }
  | null
  | undefined;

/**
 * Parses a client's certificate chain and key, in any order, and seals the key. Throws CaError
 * `bad_key` or `malformed`.
 */
export async function sealClientBundle(
  mount: Mount,
  pem: string | undefined,
): Promise<SentClientBundle> {
  if (pem === undefined) return undefined;
  if (pem.trim() === "") return null;
  const { chain, key } = await readClientBundle("vault_client_cert_bundle", pem);
  if (!key) return { chain };
  const sealed = await mount.ports.vault.seal(key.pkcs8, policyClientBinding(mount.name));
  return { chain, spki: key.spki, sealed };
}

type Written = Parsed<typeof configBody>;

/** Limits on `timeout`, in seconds. */
const [minTimeout, maxTimeout] = [1, 60];
/** Maximum number of certificates in a bundle. */
const maxCertificates = 20;

/** Returns the configuration as the API returns it (B 7.1). */
export function configView(mount: Mount, policy: ExternalPolicyConfig) {
  const calls = lastCall(mount.ports, mount.name, policy);
  const { client, updated, timeout, allow_private_network: allowed, ...rest } = policy;
  return {
    ...rest,
    timeout: timeout * 1e9,
    vault_client_cert_bundle:
      client?.chain.map((der) => `${encodePem("CERTIFICATE", der)}\n`).join("") ?? "",
    allow_private_network: allowed ?? allowsPrivateNetworks(mount.storeContext),
    external_service_last_updated: updated === 0 ? "0001-01-01T00:00:00Z" : rfc3339nano(updated),
    external_service_validated: calls?.valid === true,
    last_successful_request: calls?.succeeded ? rfc3339(Math.floor(calls.succeeded / 1000)) : "",
    last_failed_request: calls?.failed ? rfc3339(Math.floor(calls.failed / 1000)) : "",
    last_failure: calls?.failure ?? "",
  };
}

/** Merges the fields of a request into the stored configuration. Throws CaError `malformed`. */
export async function writeConfig(mount: Mount, input: Written, caller: Caller) {
  // sealing is slow and does not depend on the configuration
  const client = await sealClientBundle(mount, input.vault_client_cert_bundle);
  if (input.entity_jmespath || input.group_jmespath) await requireExpressions(input);
  const reply = await mount.configureFor(caller, async (config, caller) => {
    const current = config.get(externalPolicyConfig);
    const next = changed(current, input, client);
    requireConfig(mount, next, caller);
    const then = { ...next, updated: Math.max(mount.ports.now(), current.updated + 1) };
    const key = keys.config("external-policy");
    const shownThen = configView(mount, then);
    return {
      reply: shownThen,
      batch: { expect: [[key, config.rev(key)]], put: [[key, then]] },
    };
  });
  await forgetCalls(mount);
  return reply;
}

function changed(
  current: ExternalPolicyConfig,
  input: Written,
  client: SentClientBundle,
): ExternalPolicyConfig {
  const changes = Object.fromEntries(
    Object.entries(input).filter(
      ([name, value]) => value !== undefined && name !== "vault_client_cert_bundle",
    ),
  );
  const next: ExternalPolicyConfig = { ...current, ...changes };
  if (client === undefined) return next;
  if (client === null || "sealed" in client) return { ...next, client };
  // a bundle that was read from the API has no key, and sending it back changes nothing
  if (!current.client || !sameChain(current.client.chain, client.chain))
    throw malformed("vault_client_cert_bundle has no private key");
  return next;
}
const sameChain = (one: readonly Uint8Array[], other: readonly Uint8Array[]): boolean =>
  one.length === other.length &&
  one.every((der, i) => equalBytes(der, other[i] ?? new Uint8Array()));

function requireConfig(mount: Mount, next: ExternalPolicyConfig, caller: Caller): void {
  const { external_service_url: url, service, timeout } = next;
  const fault = url === "" ? undefined : urlFault(url);
  if (fault !== undefined) throw malformed(`external_service_url ${fault}`);
  if (timeout < minTimeout || timeout > maxTimeout)
    throw malformed(`timeout must be between ${minTimeout} and ${maxTimeout} seconds`);
  requireCertificates("trusted_ca", next.trusted_ca, false);
  requireCertificates(
    "trusted_leaf_certificate_bundle",
    next.trusted_leaf_certificate_bundle,
    true,
  );
  if (service !== "") {
    if (!/^\w{1,100}$/.test(service))
      throw malformed("service must be a name of letters, digits and underscores");
    if (!mount.ports.services?.(service))
      caller.reply.warn(`the deployment has no service ${service}`);
    return;
  }
  if (
    url !== "" &&
    next.trusted_ca.trim() === "" &&
    next.trusted_leaf_certificate_bundle.trim() === ""
  )
    throw malformed("external_service_url requires trusted_ca or trusted_leaf_certificate_bundle");
  if (next.enabled && url === "" && !policyFunction(mount.storeContext))
    throw malformed("enabled requires external_service_url or service");
}

/**
 * Rejects anything that does not consist of PEM certificates: leaf certificates if `leaves` is
 * true, and CA certificates otherwise.
 */
function requireCertificates(field: string, pem: string, leaves: boolean): void {
  const blocks = decodePem(pem);
  if (pem.trim() !== "" && blocks.length === 0) throw malformed(`${field} has no certificate`);
  if (blocks.length > maxCertificates)
    throw malformed(`${field} has more than ${maxCertificates} certificates`);
  for (const { label, der } of blocks) {
    if (label !== "CERTIFICATE")
      throw malformed(`${field} contains a ${label.slice(0, 40)}, not a certificate`);
    if (isCa(parseCertificate(der)) === leaves)
      throw malformed(
        `${field} contains ${leaves ? "a CA certificate" : "a certificate that is not a CA certificate"}`,
      );
  }
}

async function requireExpressions(input: Written): Promise<void> {
  const { parseExpression } = await import("./filter.ts");
  for (const field of ["entity_jmespath", "group_jmespath"] as const) {
    const text = input[field] ?? "";
    try {
      if (text !== "") parseExpression(text);
    } catch (error) {
      throw error instanceof CaError ? malformed(`${field}: ${error.message}`) : error;
    }
  }
}
