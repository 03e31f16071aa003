import type { SqlValue } from "./sql.ts";

/** This process as a writer of a store's rows. Another process may write to the same store. */
export interface Writer {
  /** Returns the next revision, and records this process as the last writer, as `claim` does. */
  revision(): number;
  /** Records this process as the last writer. */
  claim(): void;
  /**
   * Checks which process wrote last. `mine` is true if it was this process, and `takenOver` if it
   * was another process after this process had written.
   */
  checkOwner(): { readonly mine: boolean; readonly takenOver: boolean };
  /** Drops the reserved revisions; the next call of `revision` reserves new ones. */
  forget(): void;
}

/**
 * Number of revisions that are reserved together, so that a commit need not store the last revision
 * and revisions still only increase.
 */
const revisionBlock = 1 << 20;

/** Returns a writer that represents this process in a store. */
export function writerOf(
  meta: (name: string) => SqlValue | undefined,
  setMeta: (name: string, value: string | number) => void,
): Writer {
  const id = crypto.randomUUID();
  let [wrote, last] = [false, false];
  // the last assigned revision, and the last reserved revision
  let [rev, reserved] = [0, 0];
  const claim = (): void => {
    if (!last) setMeta("writer", id);
    wrote = last = true;
  };
  return {
    claim,
    revision() {
      claim();
      if (rev >= reserved) {
        rev = Number(meta("reserved") ?? 0);
        reserved = rev + revisionBlock;
        setMeta("reserved", reserved);
      }
      rev += 1;
      return rev;
    },
    checkOwner() {
      last = meta("writer") === id;
      return { mine: last, takenOver: wrote && !last };
    },
    forget: () => void (rev = reserved = 0),
  };
}
