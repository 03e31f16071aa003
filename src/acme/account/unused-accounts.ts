import type { Mount } from "../../engine/mount.ts";
import { isAtHome } from "../../engine/placement.ts";
import type { Batch, Row } from "../../engine/ports.ts";
import { AcmeProblem } from "../protocol/problem.ts";
import { acmeBelow } from "../rows/prefixes.ts";
import { acmeKeys, storedAcme } from "../rows/records.ts";
import { accountJobRow, type UnsettledAccount } from "./settle.ts";

/**
 * Maximum number of accounts of a mount that have neither an order nor an external account binding
 * (D 5).
 */
const maxUnused = 1000;
/**
 * Minimum age in seconds at which an unused account may be removed to make room for a registration
 * from the same network.
 */
const minAge = 60;
/**
 * Number of oldest accounts of a network among which the account to remove is chosen at random, so
 * that concurrent requests rarely choose the same account.
 */
const maxChoices = 20;

/** Parses a key under `acmeBelow.unused`; `created` is in Unix seconds. */
const parseKey = ([key, { rev }]: readonly [key: string, row: Row]) => {
  const [, network = "", created, id = ""] = key.split("/");
  return { key, rev, network, created: Number(created), id };
};
type UnusedAccount = ReturnType<typeof parseKey>;

/** Groups unused accounts by network, oldest first. */
function byNetwork(
  rows: readonly (readonly [key: string, row: Row])[],
): ReadonlyMap<string, readonly UnusedAccount[]> {
  const networks = new Map<string, UnusedAccount[]>();
  for (const account of rows.map(parseKey)) {
    const others = networks.get(account.network) ?? [];
    others.push(account);
    networks.set(account.network, others);
  }
  return networks;
}

/** The change that makes room for an account, or uses its binding. */
export interface Room extends Required<Pick<Batch, "expect" | "put" | "del">> {
  /** An account in another partition, to be removed after the commit by `removeNow`. */
  readonly removes?: UnsettledAccount;
}
/**
 * Returns the change that makes room for an account without a binding if the mount has too many
 * unused accounts: it removes an account of the network with the most of them. Throws CaError
 * `rate_limited` only if this is the caller's network and its oldest accounts are younger than
 * `minAge`. `network` is the caller's network, `now` is in Unix seconds.
 */
export async function roomForAccount(
  { store, ports }: Mount,
  network: string,
  now: number,
): Promise<Room> {
  // concurrent registrations may exceed the maximum by a few
  const page = { limit: 2 * maxUnused, values: false };
  const rows = await store.list(acmeBelow.unused, page);
  if (rows.length < maxUnused) return { expect: [], put: [], del: [] };
  const networks = byNetwork(rows);
  const own = networks.get(network) ?? [];
  const all = [...networks.values()];
  const maxLength = Math.max(...all.map(({ length }) => length));
  const choices =
    own.length < maxLength
      ? all
          .filter(({ length }) => length === maxLength)
          .flatMap((accounts) => accounts.slice(0, maxChoices))
      : own.slice(0, maxChoices).filter(({ created }) => created + minAge <= now);
  const [high = 0, low = 0] = ports.random(2);
  const chosen = choices[(high * 256 + low) % Math.max(1, choices.length)];
  if (chosen) return removalOf({ store, ports }, chosen);
  const wait = Math.max(1, (own[0]?.created ?? now) + minAge - now);
  throw new AcmeProblem(
    "rate_limited",
    `too many accounts without an order: ${own.length} of ${rows.length} from your network; try again in ${wait} seconds`,
    { headers: { "retry-after": String(wait) } },
  );
}

async function removalOf(
  { store, ports }: Pick<Mount, "store" | "ports">,
  { key, rev, id }: UnusedAccount,
): Promise<Room> {
  const account = acmeKeys.account(id);
  if (!isAtHome(store, account)) {
    const job = accountJobRow(id, ports.now());
    return { expect: [[key, rev]], put: [job], del: [key], removes: { id, job: job[0] } };
  }
  const [row] = await store.get([account]);
  const { unused, thumbprint } = storedAcme.account(row?.value);
  return {
    expect: [[account, row?.rev ?? null]],
    put: [],
    del: [key, ...(unused ? [account, acmeKeys.thumb(thumbprint)] : [])],
  };
}
