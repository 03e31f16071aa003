import { CaError } from "../../base/errors.ts";
import type { Job } from "../../engine/deployment.ts";
import { tokenLeasesJob, tokenLeasesKind } from "../../engine/lease-jobs.ts";
import {
  belowEndedTokens,
  belowLeases,
  endedTokenEntry,
  endedTokenLooks,
  leaseTokens,
  type EndedTokenRow,
  storedEndedToken,
  storedLease,
} from "../../engine/lease-records.ts";
import type { Row } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { leasingMounts, type LeaseMount } from "./lease-at.ts";

/** How many tokens one step looks at, and how many leases it ends. */
const [tokensAtOnce, leasesAtOnce] = [50, 100];
/**
 * When an ended token is looked at again, milliseconds after its end: when nobody holds it for a
 * valid one any more (D 4, Freshness), and when no call is under way any more that was let in.
 */
const looks = [2000, 300_000] as const;
/** When a token is looked at again of whose leases some could not be read, milliseconds. */
const afterFailure = 60_000;

/**
 * Ends the leases of tokens that have ended. Another isolate may have held such a token for valid a
 * moment longer: it is looked for leases three times, and forgotten then.
 */
export const tokenLeases: Job = {
  kind: tokenLeasesKind,
  of: "deployment",
  budget: 50,
  step: async (ca) => {
    const { sys } = ca;
    const to = Math.floor(ca.ports.now() / 1000);
    const by = { name: endedTokenLooks, to };
    const ended = await sys.store.list(belowEndedTokens, { by, limit: tokensAtOnce });
    if (ended.length === 0) return planNext(sys);
    const mounts = await holding(await leasingMounts(ca));
    for (const [key, row] of ended) {
      const accessor = key.slice(belowEndedTokens.length);
      const found = await endSome(mounts, accessor);
      // it is due still: its other leases are ended by the next steps
      if (found === "some") return "more";
      await lookAgain(sys, accessor, row, found);
    }
    return "more";
  },
};

async function planNext(sys: StoreContext): Promise<undefined> {
  const [next] = await sys.store.list(belowEndedTokens, {
    by: { name: endedTokenLooks },
    limit: 1,
  });
  const now = sys.ports.now();
  if (next)
    await sys.commit({
      put: [tokenLeasesJob({ due: storedEndedToken(next[1].value).look, now })],
    });
}

/** Those of the mounts that have leases of tokens, or cannot be asked. */
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
 * Ends leases of a token, a hundred at the most; `failed`: some cannot be read, and no others are
 * left.
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
      // a mount that was removed meanwhile has no leases; one that fails must not keep the others
      // waiting
      if (error instanceof CaError && error.code === "no_route") continue;
      outcome = "failed";
    }
  }
  return outcome;
}

/** Plans the next look at a token that has no leases now, or forgets it after the last. */
async function lookAgain(
  sys: StoreContext,
  accessor: string,
  { value, rev }: Row,
  found: "none" | "failed",
): Promise<void> {
  const now = sys.ports.now();
  const { at } = storedEndedToken(value);
  const wait = looks.find((after) => after > now - at);
  const look = found === "failed" ? now + afterFailure : wait === undefined ? undefined : at + wait;
  const next: EndedTokenRow | undefined = look === undefined ? undefined : { at, look };
  const key = belowEndedTokens + accessor;
  await sys.commit({
    expect: [[key, rev]],
    ...(next ? { put: [endedTokenEntry(accessor, next)] } : { del: [key] }),
  });
}
