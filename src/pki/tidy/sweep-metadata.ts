import { rowPrefixes, storedPki } from "../rows/records.ts";
import { readableRows, unreadable } from "../crl/readable-rows.ts";
import { expiredBy, nextKeys, endOfStep, type Sweep } from "./sweep.ts";

/** The sweep that removes the metadata of expired certificates. */
export const metadataSweep: Sweep = {
  name: "tidy_cert_metadata",
  step: async (of) => {
    const { mount, settings, now } = of;
    const end = expiredBy(now, settings.safety_buffer);
    const names = await nextKeys(of, rowPrefixes.metadata);
    const rows = await readableRows(mount, names);
    const expired = names.filter((_, i) => {
      const row = rows[i];
      return row && row !== unreadable && storedPki.metadata(row.value).not_after <= end;
    });
    return {
      ...endOfStep(of, names, "Tidying certificate metadata: checking entry"),
      counts: { cert_metadata_deleted_count: expired.length },
      batch: { del: expired },
    };
  },
};
