import type { ExternalPolicyConfig, PolicyClient } from "./records.ts";
import type { KeyVault, Signer } from "../../engine/ports.ts";
import { reseal } from "../../engine/sealing.ts";

/**
 * Binding of the sealed key of the client certificate for the policy service, in the mount of this
 * uuid.
 */
export const policyClientBinding = (mount: string): string => `${mount}/external-policy/client`;

/** Returns the signer of that key. Rejects with CaError `storage` if the key cannot be opened. */
export const policyClientSigner = (
  vault: KeyVault,
  mount: string,
  { sealed, spki }: PolicyClient,
): Promise<Signer> => vault.signer(sealed, policyClientBinding(mount), spki);

/**
 * Returns the configuration with that key resealed with the current sealing key, of the same vault
 * unless another one is given; undefined if no key can open it.
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
