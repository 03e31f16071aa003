import { CaError, sealedVault, type DirectCrypto, type KeyVault } from "../index.ts";

/**
 * Creates the vault of a deployment's sealing key. Without a valid key it is sealed: the seal
 * status reports it, and every other request fails with the name of the missing secret.
 */
export function vaultOf(
  keys: () => Parameters<typeof sealedVault>[0] | string,
  crypto?: DirectCrypto,
): KeyVault {
  const found = keys();
  if (typeof found !== "string") return sealedVault({ ...found, ...(crypto ? { crypto } : {}) });
  const refuse = () => Promise.reject(new CaError("storage", found));
  return { lacking: found, seal: refuse, unseal: refuse, signer: refuse };
}
