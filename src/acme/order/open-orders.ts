import { CaError } from "../../base/errors.ts";
import {
  acmeBelow,
  acmeIndexes,
  acmeKeys,
  openOrder,
  type OrderRow,
} from "../../engine/acme-records.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { stored } from "../../engine/stored.ts";
import type { Account } from "../front/signed.ts";
import { closedPut } from "../validation/authz-put.ts";

/** The most orders of an account that wait (D 5). */
const mostOpen = 300;
/** The most authorizations that are looked at for failed ones, and orders closed at once. */
const [mostRead, mostClosed] = [1000, 20];

type Change = Required<Pick<Batch, "expect" | "put">>;
/**
 * Refuses an account that has too many orders that wait, until the first of them has expired. Some
 * may have failed meanwhile: those are closed with the batch of the new one. The first that waits
 * writes its account anew, so that tidy does not end one that it took for unused. `now`: Unix
 * seconds.
 */
export async function demandRoom(
  ca: Mount,
  { id, rev, ...account }: Account,
  now: number,
): Promise<Change> {
  const by = {
    name: acmeIndexes.orderOpen,
    from: openOrder(id, now + 1),
    to: openOrder(id, 999_999_999_999),
  };
  const open = await ca.store.list(acmeBelow.orders, { by, limit: mostOpen, values: false });
  if (open.length === 0) {
    const key = acmeKeys.account(id);
    const { unused: _, ...row } = account;
    return { expect: [[key, rev]], put: [[key, row]] };
  }
  if (open.length < mostOpen) return { expect: [], put: [] };
  const rows = (await ca.store.list(acmeBelow.orders, { by, limit: mostOpen })).map(
    ([key, { rev, value }]) => ({ key, rev, row: stored.order(value) }),
  );
  const failed = await failedOf(ca, rows);
  if (failed.length > 0)
    return {
      expect: failed.map(({ key, rev }) => [key, rev]),
      put: failed.map(({ key, row }) => closedPut(key.slice(acmeBelow.orders.length), row)),
    };
  const wait = Math.max(1, (rows[0]?.row.expires ?? 0) - now);
  throw new CaError(
    "rate_limited",
    `the account has ${mostOpen} orders that wait: finish or deactivate some`,
    { headers: { "retry-after": String(wait) } },
  );
}

interface Open {
  readonly key: string;
  readonly rev: number;
  readonly row: OrderRow;
}
/** Some of the orders that will never be finalized. */
async function failedOf(ca: Mount, orders: readonly Open[]): Promise<readonly Open[]> {
  // bounded, whatever an account has piled up: the newest orders are looked at
  const named = orders
    .toReversed()
    .flatMap((order) => order.row.authorizations.map((id) => ({ order, id })))
    .slice(0, mostRead);
  const rows = await ca.store.get(named.map(({ id }) => acmeKeys.authz(id)));
  const failed = named.filter((_, at) => {
    const status = rows[at] && stored.authz(rows[at].value).status;
    return status !== "pending" && status !== "valid";
  });
  return [...new Set(failed.map(({ order }) => order))].slice(0, mostClosed);
}
