import { crlConfig } from "../rows/settings.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { memoize } from "../../base/memo.ts";
import { storedCrl } from "../rows/crl-records.ts";
import { gaugeSample, type Sample } from "../../engine/metrics.ts";
import { logConfig } from "../../log/rows/records.ts";
import { witnessState } from "../../log/rows/witness-state.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Store } from "../../engine/ports.ts";
import { rowPrefixes, keys } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { recentActiveCrls } from "../crl/active-crls.ts";
import { crlSets, crlSigner } from "../crl/crl-set.ts";
import { activeIssuers } from "../issuer/issuer-expiry.ts";
import { certificateOf } from "../issuer/issuer.ts";

/** Returns the gauge metrics of a mount. */
export async function mountGauges(mount: Mount): Promise<readonly Sample[]> {
  const config = await mount.config();
  return [
    ...activeIssuers(config).map((row) =>
      gaugeSample("issuerUntil", [mount.name, row.id], certificateOf(row).notAfter),
    ),
    ...(await crlSamples(mount, config)),
    ...(await expiringSamples(mount)),
    ...(await logSamples(mount, config)),
  ];
}

/**
 * Returns the time for which the latest entries of the mount's log have been unpublished, if the
 * log has witnesses.
 */
async function logSamples(mount: Mount, config: Snapshot): Promise<readonly Sample[]> {
  if (config.get(logConfig).witnesses.length === 0) return [];
  const { since } = await witnessState(mount, config);
  const age = since > 0 ? Math.max(0, mount.ports.now() - since) / 1000 : 0;
  return [gaugeSample("logUnpublished", [mount.name], age)];
}

/**
 * Returns the thisUpdate and nextUpdate times of the current CRLs. For each CRL set, these are the
 * earliest of all its CRLs.
 */
async function crlSamples(mount: Mount, config: Snapshot): Promise<readonly Sample[]> {
  if (config.get(crlConfig).disable) return [];
  const active = await recentActiveCrls(mount, config);
  const samples = await Promise.all(
    crlSets(config).map(async (set) => {
      const rows = await mount.store.get(active.of([set]).map((crlId) => keys.crl(crlId)));
      const crls = rows.flatMap((row) => (row ? [storedCrl.crl(row.value)] : []));
      const issuer = crlSigner(config, set)?.id ?? crls[0]?.issuer;
      if (issuer === undefined || crls.length === 0) return [];
      const labels = [mount.name, issuer] as const;
      return [
        gaugeSample("crlFrom", labels, Math.min(...crls.map((crl) => crl.this_update))),
        gaugeSample("crlUntil", labels, Math.min(...crls.map((crl) => crl.next_update))),
      ];
    }),
  );
  return samples.flat();
}

/** Time for which the number of expiring certificates is cached (ms). */
const countTtl = 600_000;
/** Maximum number of rows per listing, and number of certificates at which counting stops. */
const [maxListed, maxCounted] = [2000, 50_000];
const day = 86_400;

interface ExpiringCount {
  /** Time of the count (Unix ms). */
  at: number;
  within7: number;
  within30: number;
}
const expiringCountOf = memoize<Mount, readonly [], ExpiringCount>(() => ({
  at: -Infinity,
  within7: 0,
  within30: 0,
}));

/** Returns the numbers of certificates that expire soon, counted using only the index. */
async function expiringSamples(mount: Mount): Promise<readonly Sample[]> {
  const counted = expiringCountOf(mount);
  const now = mount.ports.now();
  if (now - counted.at >= countTtl || now < counted.at) {
    const from = Math.floor(now / 1000);
    const within7 = await countBetween(mount.store, { from, to: from + 7 * day }, maxCounted);
    const rest = { from: from + 7 * day + 1, to: from + 30 * day };
    const later = await countBetween(mount.store, rest, Math.max(0, maxCounted - within7));
    Object.assign(counted, { at: now, within7, within30: within7 + later });
  }
  return [
    gaugeSample("expiring", [mount.name, "7d"], counted.within7),
    gaugeSample("expiring", [mount.name, "30d"], counted.within30),
  ];
}

/** A range of times in Unix seconds, inclusive. */
interface Range {
  readonly from: number;
  readonly to: number;
}
/**
 * Counts the certificates that expire in a range, up to `max`. A listing of keys does not return
 * their index values, so a range with too many keys is halved instead of paged.
 */
async function countBetween(store: Store, range: Range, max: number): Promise<number> {
  let count = 0;
  const ranges = [range];
  for (let next = ranges.pop(); next && count < max; next = ranges.pop()) {
    const { from, to } = next;
    const isOne = from === to;
    const by = { name: "not_after", from, to };
    const limit = isOne ? max : maxListed;
    const { length } = await store.list(rowPrefixes.certs, { by, limit, values: false });
    if (length < maxListed || isOne) count += length;
    else {
      const middle = Math.floor((from + to) / 2);
      ranges.push({ from: middle + 1, to }, { from, to: middle });
      await yieldToEventLoop();
    }
  }
  return Math.min(count, max);
}
