import { fromHex } from "../../base/bytes.ts";
import { below } from "../../engine/records.ts";
import { keepEnds, storedEnd } from "./revoked-end.ts";
import { endedBy, type Sweep } from "./sweep.ts";

/**
 * Removes certificates that have ended, found by the index of their ends: what stays costs nothing.
 * Their revocations have ends of their own and stay.
 */
export const certSweep: Sweep = {
  name: "tidy_cert_store",
  step: async ({ ca, settings, now, counts, at, limit }) => {
    const end = endedBy(now, settings.safety_buffer);
    const listed = async (from: number): Promise<readonly string[]> => {
      const by = { name: "not_after", from, to: end };
      const rows = await ca.store.list(below.certs, { by, limit, values: false });
      return rows.map(([key]) => key);
    };
    // all of before is gone, and other rows with such ends need not be passed by again; but for a
    // last look: what its index puts elsewhere than its certificate
    const from = typeof at === "number" ? Math.min(at, end) : 0;
    const some = await listed(from);
    const names =
      some.length < limit && from > 0
        ? [...new Set([...some, ...(await listed(0))])].slice(0, limit)
        : some;
    const done = counts.cert_store_deleted_count + names.length;
    const kept = await keepEnds(
      ca,
      names.map((key) => below.revoked + key.slice(below.certs.length)),
      end,
    );
    const last = names.length < limit ? undefined : some.at(-1);
    const next = last && (await storedEnd(ca, fromHex(last.slice(below.certs.length))));
    return {
      message: `Tidying certificate store: checking entry ${done} of ${done}`,
      counts: { cert_store_deleted_count: names.length },
      ...(names.length === 0 ? {} : { batch: { ...kept, del: names } }),
      ...(names.length < limit ? {} : { at: next ?? 0 }),
    };
  },
};
