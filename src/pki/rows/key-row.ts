import type { KeyVault, Signer } from "../../engine/ports.ts";
import type { KeyId, KeyRow } from "./records.ts";
import { resealRow, type RowSecret } from "../../engine/sealing.ts";

/**
 * Returns the binding of a sealed key. The binding prevents opening the key in another row or
 * mount.
 */
export const keyBinding = (mount: string, id: KeyId): string => `${mount}/key/${id}`;

/** Seals a PKCS#8 private key for the key row `id` of the mount whose UUID is `mount`. */
export const sealedKey = (
  vault: KeyVault,
  mount: string,
  id: KeyId,
  pkcs8: Uint8Array,
): Promise<Uint8Array> => vault.seal(pkcs8, keyBinding(mount, id));

/**
 * Returns a signer for a sealed CA key of a mount. Rejects with CaError `storage` if the key cannot
 * be opened.
 */
export const signerOfSealedKey = (vault: KeyVault, mount: string, row: KeyRow): Promise<Signer> =>
  vault.signer(row.sealed, keyBinding(mount, row.id), row.spki);

/**
 * Returns the secret in a key row of the mount whose UUID is `mount`, or undefined for a managed
 * key.
 */
export const secretOfKey = (mount: string, row: KeyRow): RowSecret<KeyRow> | undefined =>
  row.managed
    ? undefined
    : {
        sealed: row.sealed,
        binding: keyBinding(mount, row.id),
        withSealed: (sealed) => ({ ...row, sealed }),
      };

/**
 * Returns the row with its key resealed with the current sealing key. Returns undefined if no
 * sealing key can open it. Rows of managed keys contain no secret and are returned unchanged.
 */
export async function resealedKey(
  vault: KeyVault,
  mount: string,
  row: KeyRow,
): Promise<KeyRow | undefined> {
  const secret = secretOfKey(mount, row);
  return secret ? await resealRow(vault, secret) : row;
}
