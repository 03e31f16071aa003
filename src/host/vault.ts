import { CaError, sealedVault, type DirectCrypto, type KeyVault } from "../index.ts";

/**
 * Creates the vault for a deployment's sealing key. Without a valid key, the deployment is sealed:
 * the seal status reports this, and every other request fails with an error that states which
 * secret is missing.
 */
export function vaultOf(
  keys: () => Parameters<typeof sealedVault>[0] | string,
  crypto?: DirectCrypto,
): KeyVault {
  const sealingKeys = keys();
  if (typeof sealingKeys !== "string")
    return sealedVault({ ...sealingKeys, ...(crypto ? { crypto } : {}) });
  const refuse = () => Promise.reject(new CaError("storage", sealingKeys));
  return { lacking: sealingKeys, seal: refuse, unseal: refuse, signer: refuse };
}
