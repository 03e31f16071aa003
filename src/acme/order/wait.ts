import type { AuthzRow } from "../../engine/acme-records.ts";
import { askAgainAfter } from "../validation/challenge-state.ts";

/**
 * `Retry-After` while validations run (RFC 8555 section 7.5.1): when the first of them is tried
 * next; nothing where none runs. `now`: Unix milliseconds.
 */
export function waitOf(
  authorizations: readonly AuthzRow[],
  now: number,
): Readonly<Record<string, string>> {
  const waits = authorizations
    .map((row) => askAgainAfter(row, now))
    .filter((wait) => wait !== undefined);
  return waits.length > 0 ? { "retry-after": String(Math.min(...waits)) } : {};
}
