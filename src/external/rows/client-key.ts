import type { ExternalPolicyConfig, PolicyClient } from "./records.ts";
import type { KeyVault, Signer } from "../../engine/ports.ts";
import { reseal } from "../../engine/sealing.ts";

/**
 * Returns the binding with which the key of the client certificate for the policy service is
 * sealed. `mount` is a UUID.
 */
export const policyClientBinding = (mount: string): string => `${mount}/external-policy/client`;

/**
 * Returns the signer of the client certificate for the policy service. Rejects with CaError
 * `storage` if the key cannot be opened.
 */
export const policyClientSigner = (
  vault: KeyVault,
  mount: string,
  { sealed, spki }: PolicyClient,
): Promise<Signer> => vault.signer(sealed, policyClientBinding(mount), spki);

/**
 * Returns the configuration with its client key resealed with the current sealing key of `to`,
 * which is the same vault by default. Returns undefined if no sealing key can open the client key.
 */
export async function resealedPolicy(
  vault: KeyVault,
  mount: string,
  config: ExternalPolicyConfig,
  to = vault,
): Promise<ExternalPolicyConfig | undefined> {
  const { client } = config;
  if (!client) return config;
  const secret = { sealed: client.sealed, binding: policyClientBinding(mount) };
  const sealed = await reseal(vault, secret, to);
  return sealed && { ...config, client: { ...client, sealed } };
}
