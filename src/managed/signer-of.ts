import { heldSigner } from "../engine/key-row.ts";
import type { Mount } from "../engine/mount.ts";
import type { Signer } from "../engine/ports.ts";
import type { KeyRow } from "../engine/records.ts";

/**
 * What signs with a CA key of the mount of this uuid: the only way to one, wherever it is kept.
 * Rejects with CaError `storage` when a local key does not open. A managed one is asked for at each
 * signature, which rejects with `signer_failed` or `unusable_issuer`.
 */
export async function signerOf(ca: Mount, mount: string, row: KeyRow): Promise<Signer> {
  const { managed, spki } = row;
  if (!managed) return heldSigner(ca.ports.vault, mount, row);
  const { self } = ca;
  return {
    spki,
    platform: false,
    // loaded where something is signed elsewhere only
    sign: async (scheme, data) =>
      (await import("./sign.ts")).signElsewhere(self, { managed, spki }, { scheme, data }),
  };
}
