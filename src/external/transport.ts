import { policyFunction } from "./policy-function.ts";
import {
  externalPolicyConfig,
  type ExternalPolicyConfig,
  type ExternalPolicyRequest,
} from "./rows/records.ts";
import { utf8 } from "../base/bytes.ts";
import { decodePem } from "../base/pem.ts";
import { policyClientSigner } from "./rows/client-key.ts";
import type { Mount } from "../engine/mount.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { unlessAborted } from "../net/abort.ts";
import { guardedFetch, fetchService } from "../net/guarded-fetch.ts";
import type { FetchRequest, AddressScope } from "../net/guarded-fetch-target.ts";
import { NetError } from "../net/failure.ts";
import { allowsPrivateNetworks } from "../net/outgoing-scope.ts";
import { maxAnswerBytes } from "./policy-answer.ts";

/**
 * Sends a request to a policy service and resolves with the body of the response. The service is a
 * platform binding, an HTTPS server, or a function of the host (B 7.3). Rejects with `NetError` if
 * there is no usable response.
 */
export async function sendPolicyRequest(
  mount: Mount,
  config: Snapshot,
  request: ExternalPolicyRequest,
): Promise<Uint8Array> {
  const policy = config.get(externalPolicyConfig);
  const limit = policy.timeout * 1000;
  if (policy.service === "" && policy.external_service_url === "")
    return await byFunction(mount, request, limit);
  const fetchRequest = {
    url: policy.external_service_url || `https://${unnamed}/`,
    maxBytes: maxAnswerBytes,
    limit,
    headers: { "Content-Type": "application/json" },
    sent: utf8(JSON.stringify(request)),
    checkStatus: (status: number) => {
      if (status >= 300 && status < 400)
        throw new NetError("response", "the service returned a redirect, which is not followed");
      if (status !== 200) throw new NetError("response", `the service returned status ${status}`);
    },
  };
  if (policy.service === "") {
    const own = {
      ...(await trustOf(mount, policy)),
      scope: scopeOf(mount, policy),
    };
    return (await guardedFetch(mount.ports, { ...fetchRequest, ...own })).body;
  }
  const service = mount.ports.services?.(policy.service);
  if (!service)
    throw new NetError(
      "connection",
      "the deployment has no service with the name in the configuration",
    );
  return (await fetchService(service, fetchRequest)).body;
}
/** Host name that is sent to a platform binding if no URL is configured. */
const unnamed = "external-policy";

/**
 * Returns the scope of allowed addresses, which includes private networks and loopback only if the
 * configuration or the host allows them.
 */
const scopeOf = (
  mount: Mount,
  { allow_private_network: allowed }: ExternalPolicyConfig,
): AddressScope => ((allowed ?? allowsPrivateNetworks(mount.storeContext)) ? "loopback" : "public");

async function trustOf(
  { ports, name: mount }: Mount,
  { client, trusted_ca, trusted_leaf_certificate_bundle: leaves }: ExternalPolicyConfig,
): Promise<Pick<FetchRequest, "trust" | "identity">> {
  const [roots, pinned] = [trusted_ca, leaves].map((pem) => decodePem(pem).map(({ der }) => der));
  const trust =
    trusted_ca === ""
      ? { pinned: pinned ?? [] }
      : { roots: roots ?? [], ...(leaves === "" ? {} : { pinned: pinned ?? [] }) };
  if (!client) return { trust };
  const key = await policyClientSigner(ports.vault, mount, client);
  return { trust, identity: { chain: client.chain, key } };
}

async function byFunction(
  { storeContext }: Mount,
  request: ExternalPolicyRequest,
  limit: number,
): Promise<Uint8Array> {
  const decide = policyFunction(storeContext);
  if (!decide)
    throw new NetError(
      "connection",
      "no policy service is configured: set external_service_url or service",
    );
  const signal = AbortSignal.timeout(limit);
  try {
    const answer = await unlessAborted(decide(request, signal), signal);
    // the answer is validated like a response over HTTPS
    const bytes = utf8(JSON.stringify(answer) ?? "");
    if (bytes.length > maxAnswerBytes)
      throw new NetError("response", `the response is longer than ${maxAnswerBytes} bytes`);
    return bytes;
  } catch (cause) {
    if (cause instanceof NetError) throw cause;
    const late = signal.aborted;
    const why = late ? "the host's policy function timed out" : "the host's policy function failed";
    throw new NetError("connection", why, { cause });
  }
}
