import type { Page, Store } from "../../engine/ports.ts";
import { acmeBelow, acmeIndexes, dueKey, storedAcme } from "../rows/records.ts";
import { isDue, processingOf } from "./challenge-state.ts";
import type { DueValidation } from "./slots.ts";

/** A validation that is due, with what its rows are found by. */
export interface DueRow extends DueValidation {
  readonly order: string;
}
/** Which of those that are due are asked for. */
export interface DueQuery {
  /** Unix milliseconds. */
  readonly now: number;
  /** Of one account. */
  readonly account?: string | undefined;
  /** Of each account at most. */
  readonly max: number;
  /** Which are left out. */
  known(id: string): boolean;
}

/** Rows of one look: more than an account has known and wanted ones together, mostly. */
const pageSize = 64;
/** What comes after all of an account: the character after the slash. */
const behind = (account: string): string => `${account}0`;

/**
 * The validations that are due, of each account the longest due. What else an account has is passed
 * over, however much it is.
 */
export async function dueRows(store: Store, wanted: DueQuery): Promise<readonly DueRow[]> {
  const { account } = wanted;
  const found: DueRow[] = [];
  const counts = new Map<string, number>();
  let place: Pick<NonNullable<Page["by"]>, "from" | "after"> = account === undefined
    ? {}
    : { from: dueKey(account) };
  for (;;) {
    const rows = await store.list(acmeBelow.authorizations, {
      by: {
        name: acmeIndexes.due,
        ...place,
        ...(account === undefined ? {} : { to: behind(account) }),
      },
      limit: pageSize,
    });
    let over: string | undefined;
    for (const [key, { value }] of rows) {
      const row = storedAcme.authz(value);
      const due = processingOf(row)?.due_ms;
      const id = key.slice(acmeBelow.authorizations.length);
      const count = counts.get(row.account) ?? 0;
      // what stands here wrongly is passed over too: its place is not known
      if (due === undefined || !isDue(due, wanted.now) || count >= wanted.max) over = row.account;
      if (due === undefined || row.account === over) {
        place = { from: behind(row.account) };
        continue;
      }
      place = { after: [dueKey(row.account, due), key] };
      if (wanted.known(id)) continue;
      counts.set(row.account, count + 1);
      found.push({ id, account: row.account, order: row.order });
    }
    if (rows.length < pageSize) return found;
  }
}
