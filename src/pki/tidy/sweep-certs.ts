import { below } from "../../engine/records.ts";
import { endedBy, type Sweep } from "./sweep.ts";
import { keepEnds } from "./revoked-end.ts";

/**
 * Removes certificates that have ended, found by the index of their ends: what stays costs nothing.
 * Their revocations have ends of their own and stay.
 */
export const certSweep: Sweep = {
  name: "tidy_cert_store",
  step: async ({ ca, settings, now, counts, limit }) => {
    const end = endedBy(now, settings.safety_buffer);
    const by = { name: "not_after", to: end };
    const rows = await ca.store.list(below.certs, { by, limit, values: false });
    const done = counts.cert_store_deleted_count;
    const names = rows.map(([key]) => key);
    const kept = await keepEnds(
      ca,
      names.map((key) => below.revoked + key.slice(below.certs.length)),
      end,
    );
    return {
      message: `Tidying certificate store: checking entry ${done + rows.length} of ${done + rows.length}`,
      counts: { cert_store_deleted_count: rows.length },
      ...(rows.length === 0 ? {} : { batch: { ...kept, del: names } }),
      ...(rows.length < limit ? {} : { at: done }),
    };
  },
};
