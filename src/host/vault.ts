import { CaError, sealedVault, type DirectCrypto, type KeyVault } from "../index.ts";

/**
 * The vault of a deployment's sealing key. Without a fit key it is sealed: whoever asks for the
 * state is told so, and everything else is refused with what is missing.
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
