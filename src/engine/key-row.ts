import type { KeyVault, Signer } from "./ports.ts";
import type { KeyId, KeyRow } from "./records.ts";
import { sealedAnew } from "./sealing.ts";

/** What a sealed key is bound to: swapped into another row or another mount it does not open. */
export const keyBinding = (mount: string, id: KeyId): string => `${mount}/key/${id}`;

/** A PKCS#8 private key sealed for the row of this id in the mount of this uuid. */
export const sealedKey = (
  vault: KeyVault,
  mount: string,
  id: KeyId,
  pkcs8: Uint8Array,
): Promise<Uint8Array> => vault.seal(pkcs8, keyBinding(mount, id));

/**
 * What signs with a CA key that the mount of this uuid holds itself. Rejects with CaError `storage`
 * when the key does not open.
 */
export const signerOfSealedKey = (vault: KeyVault, mount: string, row: KeyRow): Promise<Signer> =>
  vault.signer(row.sealed, keyBinding(mount, row.id), row.spki);

/**
 * The row sealed under the current sealing key, of the same vault unless another one is given;
 * undefined when its key opens under none. That of a managed key holds no secret and stays.
 */
export async function resealedKey(
  vault: KeyVault,
  mount: string,
  row: KeyRow,
  to = vault,
): Promise<KeyRow | undefined> {
  if (row.managed) return row;
  const secret = { sealed: row.sealed, binding: keyBinding(mount, row.id) };
  const sealed = await sealedAnew(vault, secret, to);
  return sealed && { ...row, sealed };
}
