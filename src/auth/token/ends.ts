import { jobRow } from "../../engine/jobs.ts";
import { type TokenRow, tokenKeys, storedTokens } from "../rows/tokens.ts";
import type { Batch, Row } from "../../engine/ports.ts";

/** Kind of the job that removes tokens which have ended. */
export const tokenEndKind = "token-end";
/**
 * What makes the job look at a token's end: the row of the time at which it looks next is written
 * only where that is earlier than planned.
 */
export function dueRows({ expires }: TokenRow, ends: Row | undefined, now: number): Batch {
  if (expires === undefined) return {};
  const expect = [[tokenKeys.ends, ends?.rev ?? null]] as const;
  const planned = ends ? storedTokens.ends(ends.value).due : Infinity;
  if (planned <= expires) return { expect };
  return {
    expect,
    put: [
      [tokenKeys.ends, { due: expires }],
      jobRow({ due: expires * 1000, now }, tokenEndKind, "tokens"),
    ],
  };
}
