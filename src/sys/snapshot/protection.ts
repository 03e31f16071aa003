import { fromBase64 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Vaults } from "../../engine/rows-in-backup.ts";
import type { KeyVault } from "../../engine/ports.ts";
import { headOf, readPart, type Head, type Part } from "./part.ts";

/** Under what the secrets of a backup are sealed: the deployment's own key unless said. */
export interface Protection {
  readonly vault: KeyVault;
  readonly passphrase?: NonNullable<Head["passphrase"]>;
}
/** Finds what opens the secrets of a backup. Throws CaError `malformed` where nothing here does. */
export type Unlock = (head: Head) => Promise<KeyVault> | KeyVault;

/** Unlocks backups of this deployment: those under a passphrase are not for it. */
export const ownKey =
  (vault: KeyVault): Unlock =>
  ({ passphrase }) => {
    if (passphrase)
      throw new CaError(
        "malformed",
        "the backup is protected by a passphrase: restore it where one can be entered",
      );
    return vault;
  };

/** What the key of the authentication codes is bound to. */
export const macBinding = ({ id, mount }: Pick<Head, "id" | "mount">): string =>
  `${mount.uuid}/backup/${id}`;

/** A part that is intact, and the vault that opens its secrets. */
export interface OpenedPart extends Part {
  readonly from: Vaults["from"];
  /** Of the authentication codes. */
  readonly key: Uint8Array;
}
/**
 * Opens a part of a backup. Throws CaError `malformed` for one that was altered, and for one that
 * was sealed under another key.
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
        ? "the passphrase does not open the backup, or its first line was altered"
        : "the sealing key does not open the backup: it is of another deployment, or its first line was altered",
    );
  });
  return { ...(await readPart(head, bytes, key)), from, key };
}
