import type { Page, Store } from "../../engine/ports.ts";
import { listOfAccount } from "../rows/account-rows.ts";
import { acmeBelow } from "../rows/prefixes.ts";
import { acmeIndexes, dueKey, storedAcme } from "../rows/records.ts";
import { isDue, processingOf } from "./challenge-state.ts";
import type { DueValidation } from "./slots.ts";

/** A due validation with the ID of its order. */
export interface DueRow extends DueValidation {
  readonly order: string;
}
/** A query for due validations. */
interface DueQuery {
  /** Current time, Unix milliseconds. */
  readonly now: number;
  /** ID of the account to which the query is limited, if any. */
  readonly account?: string | undefined;
  /** Maximum number of validations per account. */
  readonly max: number;
  /** Reports whether the validation with an ID is already queued, so that it is skipped. */
  isQueued(id: string): boolean;
}

/**
 * Number of rows per page. It usually exceeds the number of running and requested validations of an
 * account.
 */
const pageSize = 64;
/**
 * Returns a key that follows the keys of all of an account's validations. It ends with `0`, the
 * character after the slash.
 */
const behind = (account: string): string => `${account}0`;

/**
 * Returns due validations: for each account, those that have been due longest. Skips the remaining
 * rows of an account in one step.
 */
export async function dueRows(store: Store, query: DueQuery): Promise<readonly DueRow[]> {
  const { account } = query;
  const dueItems: DueRow[] = [];
  const counts = new Map<string, number>();
  let position: Pick<NonNullable<Page["by"]>, "from" | "after"> = account === undefined
    ? {}
    : { from: dueKey(account) };
  const prefix = acmeBelow.authorizations;
  const list = (page: Page) =>
    account === undefined ? store.list(prefix, page) : listOfAccount(store, prefix, account, page);
  for (;;) {
    const rows = await list({
      by: {
        name: acmeIndexes.due,
        ...position,
        ...(account === undefined ? {} : { to: behind(account) }),
      },
      limit: pageSize,
    });
    let over: string | undefined;
    for (const [key, { value }] of rows) {
      const row = storedAcme.authz(value);
      const due = processingOf(row)?.due_ms;
      const id = key.slice(prefix.length);
      const count = counts.get(row.account) ?? 0;
      // an invalid row has no due time; it and the account's remaining rows are skipped
      if (due === undefined || !isDue(due, query.now) || count >= query.max) over = row.account;
      if (due === undefined || row.account === over) {
        position = { from: behind(row.account) };
        continue;
      }
      position = { after: [dueKey(row.account, due), key] };
      if (query.isQueued(id)) continue;
      counts.set(row.account, count + 1);
      dueItems.push({ id, account: row.account, order: row.order });
    }
    if (rows.length < pageSize) return dueItems;
  }
}
