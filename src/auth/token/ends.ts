import { jobRow } from "../../engine/jobs.ts";
import { type TokenRow, tokenKeys, storedTokens } from "../rows/tokens.ts";
import type { Batch, Row } from "../../engine/ports.ts";

/** Kind of the job that removes revoked and expired tokens. */
export const tokenEndKind = "token-end";
/**
 * Returns the changes that schedule the job for when a token expires. They change the row with the
 * time of the next run only if that time becomes earlier.
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
