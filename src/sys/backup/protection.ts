import { fromBase64 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Vaults } from "../../engine/rows-in-backup.ts";
import type { KeyVault } from "../../engine/ports.ts";
import { headOf, readPart, type Head, type Part } from "./part.ts";

/**
 * The vault that seals the secrets in a backup, and the parameters of the passphrase if one
 * protects the backup.
 */
export interface Protection {
  readonly vault: KeyVault;
  readonly passphrase?: NonNullable<Head["passphrase"]>;
}
/**
 * A function that returns the vault for the secrets in a backup. It throws CaError `malformed` if
 * the key is not available.
 */
export type Unlock = (head: Head) => Promise<KeyVault> | KeyVault;

/**
 * Returns a function that unlocks backups that are protected by the deployment's own key, not by a
 * passphrase.
 */
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

/** Returns the binding of a backup's sealed MAC key. */
export const macBinding = ({ id, mount }: Pick<Head, "id" | "mount">): string =>
  `${mount.uuid}/backup/${id}`;

/** A verified part, with the vault that opens its secrets. */
export interface OpenedPart extends Part {
  readonly from: Vaults["from"];
  /** MAC key of the backup. */
  readonly key: Uint8Array;
}
/**
 * Verifies and opens a backup part. Rejects with CaError `malformed` if the part was altered, or
 * sealed under another key.
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
