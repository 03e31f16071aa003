import type { ExternalPolicyConfig, PolicyClient } from "./records.ts";
import type { KeyVault, Signer } from "../../engine/ports.ts";
import type { RowSecret } from "../../engine/sealing.ts";

/**
 * Returns the associated data with which the key of the policy service's client certificate is
 * sealed. `mount` is a UUID.
 */
export const policyClientBinding = (mount: string): string => `${mount}/external-policy/client`;

/**
 * Returns the signer for the policy service's client certificate. Rejects with CaError `storage` if
 * the key cannot be opened.
 */
export const policyClientSigner = (
  vault: KeyVault,
  mount: string,
  { sealed, spki }: PolicyClient,
): Promise<Signer> => vault.signer(sealed, policyClientBinding(mount), spki);

/** Returns the secret in a mount's policy configuration, if any: the client certificate's key. */
export function secretOfPolicy(
  mount: string,
  config: ExternalPolicyConfig,
): RowSecret<ExternalPolicyConfig> | undefined {
  const { client } = config;
  return client
    ? {
        sealed: client.sealed,
        binding: policyClientBinding(mount),
        withSealed: (sealed) => ({ ...config, client: { ...client, sealed } }),
      }
    : undefined;
}
