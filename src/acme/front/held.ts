import { memo } from "../../base/memo.ts";
import type { AccountRow } from "../../engine/acme-records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";

/** An account as it was read. */
export interface Account extends AccountRow {
  readonly id: string;
  readonly rev: number;
}

/** Anybody may make accounts: few are held. */
const most = 1000;
/**
 * Valid accounts as they were read last, by their ids, for as long as one configuration is held.
 * Whatever rests on one expects its revision, and is judged anew where that is another one by now:
 * until then nobody is answered, and nobody refused.
 */
const held = memo((_config: Snapshot) => new Map<string, Account>());

/** The account of an id, as it was read last. */
export const heldAccount = (config: Snapshot, id: string): Account | undefined =>
  held(config).get(id);

/** Holds an account for the next request, unless it may do nothing any more. */
export function hold(config: Snapshot, account: Account): void {
  const accounts = held(config);
  if (account.status !== "valid") return void accounts.delete(account.id);
  if (accounts.size >= most) accounts.clear();
  accounts.set(account.id, account);
}
