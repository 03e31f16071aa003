import { CaError } from "../../base/errors.ts";
import { acmeBelow, acmeIndexes, acmeKeys, type AccountRow } from "../../engine/acme-records.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { stored } from "../../engine/stored.ts";

/** The most accounts of a mount that have no order and no external account binding (D 5). */
const maxUnused = 1000;
/** Seconds for which a new account stays, whatever others register meanwhile. */
const minAge = 3600;
/** The oldest accounts, one of which makes room: registrations at once seldom choose the same. */
const choices = 20;

/** Returns an account as a batch puts it: listed as unused until it orders something. */
export const accountPut = (id: string, row: AccountRow): NonNullable<Batch["put"]>[number] =>
  row.unused
    ? [acmeKeys.account(id), row, { [acmeIndexes.accountUnused]: row.created }]
    : [acmeKeys.account(id), row];

type Room = Required<Pick<Batch, "expect" | "del">>;
/**
 * Makes room for an account without a binding where the mount has too many that nobody uses:
 * returns the change that removes an old one. Throws CaError `rate_limited` while all are new.
 * `now`: Unix seconds.
 */
export async function roomForAccount({ store, ports }: Mount, now: number): Promise<Room> {
  const by = { name: acmeIndexes.accountUnused, from: 0, to: Number.MAX_SAFE_INTEGER };
  const page = { by, limit: maxUnused, values: false };
  if ((await store.list(acmeBelow.accounts, page)).length < maxUnused)
    return { expect: [], del: [] };
  const oldest = (await store.list(acmeBelow.accounts, { by, limit: choices })).map(
    ([key, { rev, value }]) => ({ key, rev, row: stored.account(value) }),
  );
  const old = oldest.filter(({ row }) => row.created + minAge <= now);
  const chosen = old[(ports.random(1)[0] ?? 0) % Math.max(1, old.length)];
  if (chosen)
    return {
      expect: [[chosen.key, chosen.rev]],
      del: [chosen.key, acmeKeys.thumb(chosen.row.thumbprint)],
    };
  const wait = Math.max(1, (oldest[0]?.row.created ?? now) + minAge - now);
  throw new CaError(
    "rate_limited",
    `${maxUnused} accounts of this mount have no order yet; try again in ${wait} seconds`,
    { headers: { "retry-after": String(wait) } },
  );
}
