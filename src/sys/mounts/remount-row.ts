import { rowReader } from "../../engine/row-reader.ts";

/** A row of the `sys` store: the move of a mount or login method to another path. */
export interface RemountRow {
  readonly source: string;
  readonly target: string;
  readonly status: "in-progress" | "success" | "failure";
  /** UUID of the mount or login method. */
  readonly of: string;
  /** Time of the move (Unix milliseconds). */
  readonly at: number;
}
/** Returns the row key of a move. */
export const remountKey = (id: string): string => `remount/${id}`;
/** Parser for the stored row of a move. */
export const storedRemount = rowReader<RemountRow>({
  source: "",
  target: "",
  status: "in-progress",
  of: "",
  at: 0,
});
