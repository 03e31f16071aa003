import type { Batch, KeyVault, Ports, Store } from "./ports.ts";

/** A row to put, with its key. */
export type NewRow = readonly [key: string, value: unknown];

/** Handles the rows of one mount type in backups and restores. */
export interface RowsInBackup {
  /**
   * Returns the row with its secrets opened by one vault and sealed by another, or the same value
   * if it has none; undefined if a secret cannot be opened.
   */
  resealed(
    mount: string,
    row: NewRow,
    between: Vaults,
  ): Promise<{ readonly value: unknown } | undefined>;
  /**
   * Returns the row for a restored mount; undefined to omit it. Numbers that others have seen must
   * continue after all those assigned since the backup.
   */
  restored(row: NewRow): NewRow | undefined;
  /** Returns the rows to commit once all others are stored and the mount is opened. */
  opening(ports: Ports, store: Store): Promise<Pick<Batch, "put" | "log">>;
}
/** The vaults from which and to which secrets are moved. */
export interface Vaults {
  readonly from: KeyVault;
  readonly to: KeyVault;
}
