import type { Batch, KeyVault, Ports, Store } from "./ports.ts";

/** A row to put, with its key. */
export type NewRow = readonly [key: string, value: unknown];

/** A log of a partition that a restored mount does not have. It gets no more entries. */
export interface FormerLog {
  readonly partition: number;
  /** Name of the log: the last part of its key prefix. */
  readonly log: string;
  /** Sequence number of the last entry. */
  readonly last: number;
}

/** Functions that back up and restore the rows of one mount type. */
export interface RowsInBackup {
  /**
   * Opens the secrets in a row with one vault, seals them with another, and returns the row's new
   * value. A value without secrets is returned unchanged. Returns undefined if a secret cannot be
   * opened.
   */
  resealed(
    mount: string,
    row: NewRow,
    between: Vaults,
  ): Promise<{ readonly value: unknown } | undefined>;
  /**
   * Returns a row in the form in which it is restored, or undefined to omit the row. A counter
   * whose values clients have seen must resume above every value that was assigned after the
   * backup, so that no value is reused.
   */
  restored(row: NewRow): NewRow | undefined;
  /**
   * Key prefixes of the logs, other than audit logs, whose entries are in backups and restored with
   * their numbers, for each partition.
   */
  readonly logs: readonly string[];
  /**
   * Returns the rows to commit when the mount is opened, after all other rows are stored. `former`
   * lists the logs of partitions that the mount does not have.
   */
  opening(
    ports: Ports,
    store: Store,
    former: readonly FormerLog[],
  ): Promise<Pick<Batch, "put" | "log">>;
}
/** The vaults that open and seal the secrets of a backup. */
export interface Vaults {
  readonly from: KeyVault;
  readonly to: KeyVault;
}
