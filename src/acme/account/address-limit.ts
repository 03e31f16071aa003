import { subscriberNetwork } from "../../base/network.ts";
import { acmeSettings } from "../rows/deployment-settings.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { hashNetwork } from "../protocol/network.ts";
import { AcmeProblem } from "../protocol/problem.ts";
import { acmeIndexes, acmeKeys } from "../rows/records.ts";
import { freeNumber } from "../protocol/free-number.ts";

/** Length of the window in which new accounts from a client address are counted, in seconds. */
const hour = 3600;

/**
 * Returns the change that counts a new account from a client address in the current hour. There is
 * one slot per allowed account, and the account takes a random free slot. Therefore concurrent
 * registrations rarely conflict, and never exceed the limit. The row does not reveal the address.
 * Throws CaError `rate_limited` if no slot is free.
 */
export async function countedAt(
  mount: Mount,
  config: Snapshot,
  address = "unknown",
): Promise<Required<Pick<Batch, "expect" | "put">>> {
  const { accountLimit: maxAccounts = 0, limitPrivate = true } = acmeSettings(mount.storeContext);
  if (maxAccounts <= 0 || (!limitPrivate && isPrivate(address))) return { expect: [], put: [] };
  const now = Math.floor(mount.ports.now() / 1000);
  const hours = Math.floor(now / hour);
  const end = (hours + 1) * hour;
  const below = acmeKeys.address(
    await hashNetwork(mount, config, subscriberNetwork(address)),
    hours,
  );
  const rows = await mount.store.list(below, { values: false, limit: maxAccounts });
  if (rows.length >= maxAccounts)
    throw new AcmeProblem(
      "rate_limited",
      `too many new accounts from one address: at most ${maxAccounts} per hour; try again in ${end - now} seconds`,
      { headers: { "retry-after": String(end - now) } },
    );
  const keys = rows.map(([key]) => key);
  const key = below + freeNumber(mount, below, { keys, max: maxAccounts });
  return { expect: [[key, null]], put: [[key, {}, { [acmeIndexes.end]: end }]] };
}

/** Loopback, private and link-local networks of IPv4 and IPv6 (RFC 6890). */
const privateNetworks =
  /^(?:(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)(?:\.\d{1,3}){2,3}|(?:f[cd][\da-f]{2}|fe[89ab][\da-f]):.*::\/64)$/;
/** Reports whether an address is loopback, link-local or private. */
const isPrivate = (address: string): boolean =>
  address === "::1" || privateNetworks.test(subscriberNetwork(address));
