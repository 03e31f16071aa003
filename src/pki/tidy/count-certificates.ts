import { autoTidyConfig } from "./settings.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Job } from "../../engine/deployment.ts";
import { rowPrefixes } from "../rows/records.ts";
import { tidyKeys, type TidyTotalsRow } from "./records.ts";
import { tidyKinds, tidyPlan } from "./run.ts";

/** Number of keys to count per step, and the time between two counts (ms). */
const [keysPerStep, again] = [2000, 3_600_000];

/** Progress of a count: the numbers so far, and the last key. */
interface Counting extends TidyTotalsRow {
  readonly after: string;
}

/**
 * The job that counts stored and revoked certificates, if enabled. It runs after each tidy run and
 * every hour, so that issuing need not update the counts.
 */
export const countJob: Job<Counting> = {
  kind: tidyKinds.count,
  of: "mount",
  budget: 50,
  step: async (mount, _, progress) => {
    await yieldToEventLoop();
    const config = await mount.config();
    const autoTidy = config.get(autoTidyConfig);
    if (!autoTidy.maintain_stored_certificate_counts) return undefined;
    const { after, certs, revoked } = progress ?? {
      after: rowPrefixes.certs,
      certs: 0,
      revoked: 0,
    };
    const ofCerts = after.startsWith(rowPrefixes.certs);
    const prefix = ofCerts ? rowPrefixes.certs : rowPrefixes.revoked;
    const rows = await mount.store.list(prefix, { after, limit: keysPerStep, values: false });
    const counted = {
      certs: certs + (ofCerts ? rows.length : 0),
      revoked: revoked + (ofCerts ? 0 : rows.length),
    };
    const last = rows.length < keysPerStep ? undefined : rows.at(-1)?.[0];
    if (last !== undefined) return { ...counted, after: last };
    if (ofCerts) return { ...counted, after: rowPrefixes.revoked };
    const now = mount.ports.now();
    await mount.storeContext.commit({
      put: [[tidyKeys.totals, counted], tidyPlan("count", now + again, now)],
    });
    if (autoTidy.publish_stored_certificate_count_metrics)
      mount.ports.log?.({
        endpoint: `job ${tidyKinds.count}`,
        status: 200,
        ms: 0,
        mount: config.mount.path,
        fields: counted,
      });
    return undefined;
  },
};
