import { rowPrefixes, storedPki } from "../rows/records.ts";
import { readableRows, unreadable } from "../crl/readable-rows.ts";
import { nextKeys, endOfStep, type Sweep } from "./sweep.ts";

/** The sweep that removes old revocation requests, whether or not they were confirmed. */
export const queueSweep: Sweep = {
  name: "tidy_revocation_queue",
  step: async (of) => {
    const { mount, settings, now } = of;
    const names = await nextKeys(of, rowPrefixes.revocationRequests);
    const rows = await readableRows(mount, names);
    const expired = names.filter((_, i) => {
      const row = rows[i];
      if (!row || row === unreadable) return false;
      const { at } = storedPki.revocationRequest(row.value);
      return now - at > settings.revocation_queue_safety_buffer * 1000;
    });
    return {
      ...endOfStep(of, names, "Tidying revocation requests: checking entry"),
      counts: { revocation_queue_deleted_count: expired.length },
      batch: { del: expired },
    };
  },
};
