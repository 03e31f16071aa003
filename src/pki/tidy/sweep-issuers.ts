import { issuersConfig } from "../rows/settings.ts";
import { issuersById } from "../rows/records.ts";
import { jobRow } from "../../engine/jobs.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { issuerRemoval } from "../issuer/new-issuer.ts";
import { crlBuild } from "../crl/crl-build.ts";
import { crlSets } from "../crl/crl-set.ts";
import { expiredBy, type Sweep } from "./sweep.ts";

/**
 * The sweep that removes expired issuers, as the delete endpoint does. It never removes the default
 * issuer.
 */
export const issuerSweep: Sweep = {
  name: "tidy_expired_issuers",
  step: async ({ mount, config, settings, now }) => {
    const end = expiredBy(now, settings.issuer_safety_buffer);
    const all = config.get(issuersById);
    const expired = [...all.values()].filter(
      (row) => row.id !== config.get(issuersConfig).default && certificateOf(row).notAfter <= end,
    );
    const message = `Tidying expired issuers: checking issuer ${all.size} of ${all.size}`;
    if (expired.length === 0) return { message };
    const { without, batch } = await issuerRemoval(
      mount,
      config,
      new Set(expired.map(({ id }) => id)),
    );
    const due = mount.ports.now();
    for (const { id, name } of expired)
      mount.ports.log?.({
        endpoint: "job tidy",
        status: 200,
        ms: 0,
        mount: config.mount.path,
        fields: { removed_issuer: id, issuer_name: name },
      });
    return {
      message,
      batch: {
        ...batch,
        put: [
          ...batch.put,
          ...crlSets(without).map((set) => jobRow({ due, now: due }, crlBuild.kind, set)),
        ],
        epoch: "next",
        onlyAtEpoch: config.epoch,
      },
    };
  },
};
