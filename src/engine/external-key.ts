import type { ExternalPolicyConfig, PolicyClient } from "./external-records.ts";
import type { KeyVault, Signer } from "./ports.ts";
import { sealedAnew } from "./sealing.ts";

/**
 * What the sealed key of the certificate that a policy service is shown is bound to, in the mount
 * of this uuid.
 */
export const policyClientBinding = (mount: string): string => `${mount}/external-policy/client`;

/** What signs with that key. Rejects with CaError `storage` when it does not open. */
export const policyClientSigner = (
  vault: KeyVault,
  mount: string,
  { sealed, spki }: PolicyClient,
): Promise<Signer> => vault.signer(sealed, policyClientBinding(mount), spki);

/**
 * The configuration with that key sealed under the current sealing key, of the same vault unless
 * another one is given; undefined when the key opens under none.
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
  const sealed = await sealedAnew(vault, secret, to);
  return sealed && { ...config, client: { ...client, sealed } };
}
