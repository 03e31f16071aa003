import { signerOfSealedKey } from "../pki/rows/key-row.ts";
import type { Mount } from "../engine/mount.ts";
import type { Signer } from "../engine/ports.ts";
import type { KeyRow } from "../pki/rows/records.ts";

/**
 * Opens the signer of a CA key of the mount with this UUID, wherever the key is stored. This is the
 * only way to obtain a signer. Rejects with CaError `storage` if a local key cannot be opened. For
 * a managed key, each signature is a call to its provider and may reject with `signer_failed` or
 * `unusable_issuer`.
 */
export async function signerOf(ca: Mount, mount: string, row: KeyRow): Promise<Signer> {
  const { managed, spki } = row;
  if (!managed) return signerOfSealedKey(ca.ports.vault, mount, row);
  const { self } = ca;
  return {
    spki,
    platform: false,
    // loaded where something is signed elsewhere only
    sign: async (scheme, data) =>
      (await import("./sign.ts")).signWithManagedKey(self, { managed, spki }, { scheme, data }),
  };
}
