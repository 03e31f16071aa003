import { fromBase64, toBase64 } from "../../base/bytes.ts";
import { hashLength } from "./hash.ts";
import type { TreeHead } from "./proof.ts";

/** The content of a checkpoint (C2SP tlog-checkpoint). */
export interface Checkpoint extends TreeHead {
  readonly origin: string;
}
/** Returns the text of a checkpoint, which is signed as a note. */
export const encodeCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${toBase64(root)}\n`;

/**
 * Parses the text of a checkpoint. Ignores extension lines. Returns undefined if the text is
 * malformed.
 */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin = "", count = "", encoded = ""] = text.split("\n");
  const root = fromBase64(encoded);
  const size = Number(count);
  const isValid =
    origin !== "" && /^(?:0|[1-9]\d{0,15})$/.test(count) && Number.isSafeInteger(size);
  return isValid && root?.length === hashLength ? { origin, size, root } : undefined;
}
