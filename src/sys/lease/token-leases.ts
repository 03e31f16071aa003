import { CaError } from "../../base/errors.ts";
import type { Job } from "../../engine/deployment.ts";
import { tokenLeasesJob, tokenLeasesKind } from "../../engine/lease-jobs.ts";
import {
  belowEndedTokens,
  belowLeases,
  endedTokenEntry,
  endedTokenIndex,
  leaseTokens,
  type EndedTokenRow,
  storedEndedToken,
  storedLease,
} from "../../engine/lease-records.ts";
import type { Row } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { leasingMounts, type LeaseMount } from "./lease-at.ts";

/** Number of tokens to read, and of leases to revoke, per step. */
const [tokensAtOnce, leasesAtOnce] = [50, 100];
/**
 * Delays (ms) after a token was revoked or expired until further searches for its leases: first
 * when no cache accepts the token any more (D 4, Freshness), then when no request that it
 * authorized can still be running.
 */
const searchDelays = [2000, 300_000] as const;
/** Time in ms until the next search if leases could not be read. */
const afterFailure = 60_000;

/**
 * The job that revokes the leases of revoked and expired tokens. Another isolate may accept such a
 * token for a moment longer, so the job searches for its leases three times before it forgets the
 * token.
 */
export const tokenLeases: Job = {
  kind: tokenLeasesKind,
  of: "deployment",
  budget: 50,
  step: async (deployment) => {
    const { sys } = deployment;
    const to = Math.floor(deployment.ports.now() / 1000);
    const by = { name: endedTokenIndex, to };
    const ended = await sys.store.list(belowEndedTokens, { by, limit: tokensAtOnce });
    if (ended.length === 0) return planNext(sys);
    const mounts = await holding(await leasingMounts(deployment));
    for (const [key, row] of ended) {
      const accessor = key.slice(belowEndedTokens.length);
      const outcome = await endSome(mounts, accessor);
      // the token stays due, so that the next steps revoke its other leases
      if (outcome === "some") return "more";
      await scheduleSearch(sys, accessor, row, outcome);
    }
    return "more";
  },
};

async function planNext(sys: StoreContext): Promise<undefined> {
  const [next] = await sys.store.list(belowEndedTokens, {
    by: { name: endedTokenIndex },
    limit: 1,
  });
  const now = sys.ports.now();
  if (next)
    await sys.commit({
      put: [tokenLeasesJob({ due: storedEndedToken(next[1].value).look, now })],
    });
}

/** Returns the mounts that have leases of tokens or cannot be read. */
async function holding(mounts: readonly LeaseMount[]): Promise<readonly LeaseMount[]> {
  const by = { name: leaseTokens, anyOrder: true };
  const has = await Promise.all(
    mounts.map(({ mount }) =>
      mount.store.list(belowLeases, { by, limit: 1, values: false }).then(
        (rows) => rows.length > 0,
        () => true,
      ),
    ),
  );
  return mounts.filter((_, i) => has[i]);
}

/**
 * Revokes up to a hundred leases of a token. Returns `none` if the token has no leases, and
 * `failed` if no leases were found but a mount could not be read.
 */
async function endSome(
  mounts: readonly LeaseMount[],
  accessor: string,
): Promise<"some" | "none" | "failed"> {
  let outcome: "none" | "failed" = "none";
  for (const { mount, ender } of mounts) {
    try {
      const by = { name: leaseTokens, from: accessor, to: accessor };
      const rows = await mount.store.list(belowLeases, { by, limit: leasesAtOnce });
      if (rows.length === 0) continue;
      await ender.end(mount.forJob(), rows.map(storedLease), { force: true });
      return "some";
    } catch (error) {
      // a concurrently deleted mount has no leases; a failing mount must not delay the others
      if (error instanceof CaError && error.code === "no_route") continue;
      outcome = "failed";
    }
  }
  return outcome;
}

/** Schedules the next search for leases of a token, or forgets the token after the last search. */
async function scheduleSearch(
  sys: StoreContext,
  accessor: string,
  { value, rev }: Row,
  outcome: "none" | "failed",
): Promise<void> {
  const now = sys.ports.now();
  const { at } = storedEndedToken(value);
  const wait = searchDelays.find((after) => after > now - at);
  const nextSearch =
    outcome === "failed" ? now + afterFailure : wait === undefined ? undefined : at + wait;
  const next: EndedTokenRow | undefined =
    nextSearch === undefined ? undefined : { at, look: nextSearch };
  const key = belowEndedTokens + accessor;
  await sys.commit({
    expect: [[key, rev]],
    ...(next ? { put: [endedTokenEntry(accessor, next)] } : { del: [key] }),
  });
}
