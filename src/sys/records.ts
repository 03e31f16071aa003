import { rowReader } from "../engine/row-reader.ts";

/** The move of a mount or login method to another path, in the store `sys`. */
export interface RemountRow {
  readonly source: string;
  readonly target: string;
  readonly status: "in-progress" | "success" | "failure";
  /** Uuid of the mount or method. */
  readonly of: string;
  /** Unix milliseconds. */
  readonly at: number;
}
/** Returns the key of a move's row. */
export const remountKey = (id: string): string => `remount/${id}`;
/** Reads the row of a move. */
export const storedRemount = rowReader<RemountRow>({
  source: "",
  target: "",
  status: "in-progress",
  of: "",
  at: 0,
});
