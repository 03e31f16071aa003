import { rowReader } from "../engine/row-reader.ts";

/** A mount or a login method that was moved to another path, in the store `sys`. */
export interface RemountRow {
  readonly source: string;
  readonly target: string;
  readonly status: "in-progress" | "success" | "failure";
  /** Its uuid. */
  readonly of: string;
  /** Unix milliseconds. */
  readonly at: number;
}
/** Returns the key of the row of a remount. */
export const remountKey = (id: string): string => `remount/${id}`;
/** Reads the row of a remount. */
export const storedRemount = rowReader<RemountRow>({
  source: "",
  target: "",
  status: "in-progress",
  of: "",
  at: 0,
});
