import type { KeyVault, Ports, Store } from "./ports.ts";

/** A row to be put, with its key. */
export type NewRow = readonly [key: string, value: unknown];

/** Handles the rows of a type of mounts in a backup and in a restore. */
export interface RowsInBackup {
  /**
   * The row with its secrets opened by one vault and sealed by another, the same value where it has
   * none; undefined where one does not open.
   */
  resealed(
    mount: string,
    row: NewRow,
    between: Vaults,
  ): Promise<{ readonly value: unknown } | undefined>;
  /**
   * The row as it stands in a mount that is restored; undefined: it is left out. Numbers that
   * others have seen go on behind all those that were given out after the backup.
   */
  restored(row: NewRow): NewRow | undefined;
  /** Rows to be put when all others are there and the mount opens. */
  opening(ports: Ports, store: Store): Promise<readonly NewRow[]>;
}
/** Where secrets come from and go to. */
export interface Vaults {
  readonly from: KeyVault;
  readonly to: KeyVault;
}
