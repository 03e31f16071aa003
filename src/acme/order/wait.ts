import type { AuthzRow } from "../rows/records.ts";
import { retryAfterOf } from "../validation/challenge-state.ts";
import { statusOf, type WholeOrder } from "./order-row.ts";

/**
 * Returns the `Retry-After` header with the time until the next attempt (RFC 8555 section 7.5.1),
 * or no header if no validation is running. `now` is in Unix milliseconds.
 */
export function waitOf(
  authorizations: readonly AuthzRow[],
  now: number,
): Readonly<Record<string, string>> {
  const waits = authorizations
    .map((row) => retryAfterOf(row, now))
    .filter((wait) => wait !== undefined);
  return waits.length > 0 ? { "retry-after": String(Math.min(...waits)) } : {};
}

/**
 * Returns the `Retry-After` header for an order, or no header if no running validation can change
 * its status.
 */
export const waitOfOrder = (order: WholeOrder, now: number): Readonly<Record<string, string>> =>
  statusOf(order, Math.floor(now / 1000)) === "pending"
    ? waitOf(
        order.authorizations.map(({ row }) => row),
        now,
      )
    : {};
