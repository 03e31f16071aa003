import type { Index } from "../../engine/ports.ts";
import { unlistedIndex, type RevokedRow } from "../../engine/records.ts";
import { listId } from "../crl/crl-list.ts";

/**
 * Name of the index that finds revocations by the ends of their certificates. No other row has it:
 * who looks for them need not pass by all certificates that have ended.
 */
export const revokedEnds = "revoked_end";
/** The index values of a revocation. `notAfter`: when its certificate ends, Unix seconds. */
export const revokedIndex = (
  { issuer, crl_set, shard, unlisted }: RevokedRow,
  notAfter: number,
): Index => ({
  [revokedEnds]: notAfter,
  issuer,
  ...(unlisted ? { [unlistedIndex]: 1 } : {}),
  // those of a shard are looked through by it
  ...(shard === undefined ? {} : { shard: listId(crl_set, shard) }),
});
