import { signerOfSealedKey } from "../pki/rows/key-row.ts";
import type { Mount } from "../engine/mount.ts";
import type { Signer } from "../engine/ports.ts";
import type { KeyRow } from "../pki/rows/records.ts";

/**
 * Returns the signer for a CA key, regardless of where the key is stored. There is no other way to
 * obtain a signer. Rejects with CaError `storage` if a local key cannot be opened. For a managed
 * key, each signature is a call to the provider and may reject with `signer_failed` or
 * `unusable_issuer`.
 */
export async function signerOf(mount: Mount, row: KeyRow): Promise<Signer> {
  const { managed, spki } = row;
  if (!managed) return signerOfSealedKey(mount.ports.vault, mount.name, row);
  const { self } = mount;
  return {
    spki,
    platform: false,
    // imported only if a managed key signs
    sign: async (scheme, data) =>
      (await import("./sign.ts")).signWithManagedKey(self, { managed, spki }, { scheme, data }),
  };
}
