import type { SqlValue } from "./sql.ts";

/** This process as a writer of an object's rows; another server may use the same directory. */
export interface Writer {
  /** Returns the next revision, and claims the rows like `claim`. */
  revision(): number;
  /** Records this process as the last writer. */
  claim(): void;
  /**
   * Checks which process wrote last. `mine`: this one; `takenOver`: another one, after this one
   * wrote.
   */
  checkOwner(): { readonly mine: boolean; readonly takenOver: boolean };
  /** Drops the reserved revisions. */
  forget(): void;
}

/**
 * Revisions are reserved in blocks, so that they only increase and a commit need not store the last
 * one.
 */
const revisionBlock = 1 << 20;

/** Returns the writer of an object. */
export function writerOf(
  meta: (name: string) => SqlValue | undefined,
  setMeta: (name: string, value: string | number) => void,
): Writer {
  const id = crypto.randomUUID();
  let [wrote, last] = [false, false];
  // the last revision assigned, and the last one reserved
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
