import { fromBase64 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Vaults } from "../../engine/rows-in-backup.ts";
import type { KeyVault } from "../../engine/ports.ts";
import { headOf, readPart, type Head, type Part } from "./part.ts";

/** The key that seals the secrets of a backup; by default the deployment's own. */
export interface Protection {
  readonly vault: KeyVault;
  readonly passphrase?: NonNullable<Head["passphrase"]>;
}
/**
 * Returns the vault that opens the secrets of a backup. Throws CaError `malformed` if it cannot.
 */
export type Unlock = (head: Head) => Promise<KeyVault> | KeyVault;

/** Unlocks backups protected by the deployment's own key, but not by a passphrase. */
export const ownKey =
  (vault: KeyVault): Unlock =>
  ({ passphrase }) => {
    if (passphrase)
      throw new CaError(
        "malformed",
        "the backup is protected by a passphrase: restore it with a tool that asks for the passphrase",
      );
    return vault;
  };

/** Binding of the sealed MAC key. */
export const macBinding = ({ id, mount }: Pick<Head, "id" | "mount">): string =>
  `${mount.uuid}/backup/${id}`;

/** A verified part, and the vault that opens its secrets. */
export interface OpenedPart extends Part {
  readonly from: Vaults["from"];
  /** MAC key. */
  readonly key: Uint8Array;
}
/**
 * Verifies and opens a backup part. Throws CaError `malformed` if it was altered or sealed under
 * another key.
 */
export async function openPart(bytes: Uint8Array, unlock: Unlock): Promise<OpenedPart> {
  const head = headOf(bytes);
  const from = await unlock(head);
  const sealed = fromBase64(head.key) ?? new Uint8Array(0);
  const key = await from.unseal(sealed, macBinding(head)).catch((error: unknown) => {
    if (!(error instanceof CaError)) throw error;
    throw new CaError(
      "malformed",
      head.passphrase
        ? "wrong passphrase for the backup, or its first line was altered"
        : "wrong sealing key for the backup: it is from another deployment, or its first line was altered",
    );
  });
  return { ...(await readPart(head, bytes, key)), from, key };
}
