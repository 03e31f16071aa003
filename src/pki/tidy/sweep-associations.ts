import { issuersConfig } from "../rows/settings.ts";
import {
  issuersById,
  type IssuerId,
  type RevokedRow,
  rowPrefixes,
  storedPki,
} from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { revokedIndex } from "../revoke/revocation.ts";
import { readableRows, unreadable } from "../crl/readable-rows.ts";
import { nextKeys, endOfStep, type Sweep } from "./sweep.ts";

/**
 * The sweep that assigns an issuer to revocations whose issuer is unknown or was deleted. Issuers
 * of one CRL set share key and subject, so any of them can be the issuer of a certificate that
 * another one signed.
 */
export const associationSweep: Sweep = {
  name: "tidy_revoked_cert_issuer_associations",
  step: async (of) => {
    const { mount, config } = of;
    const names = await nextKeys(of, rowPrefixes.revoked);
    const astray = (await readableRows(mount, names)).flatMap((row, i) => {
      if (!row || row === unreadable) return [];
      const value = storedPki.revoked(row.value);
      const isHere = value.issuer !== "" && config.get(issuersById).has(value.issuer);
      return isHere ? [] : [{ key: names[i] ?? "", rev: row.rev, value }];
    });
    // rows that an earlier version wrote without an expiry stay unchanged, because writing them
    // would lose their index values
    const changes = astray.flatMap(({ key, rev, value }) => {
      const issuer = issuerOf(config, value);
      const { not_after } = value;
      return issuer === value.issuer || not_after === undefined
        ? []
        : [
            {
              key,
              rev,
              value: { ...value, issuer },
              index: revokedIndex({ ...value, issuer }, not_after),
            },
          ];
    });
    return {
      ...endOfStep(of, names, "Tidying revoked certificates: checking the issuer of certificate"),
      counts: { missing_issuer_cert_count: astray.length },
      batch: {
        // neither the revocations nor the configuration may have changed
        onlyAtEpoch: config.epoch,
        expect: changes.map(({ key, rev }) => [key, rev]),
        put: changes.map(({ key, value, index }) => [key, value, index]),
      },
    };
  },
};

/**
 * Returns the ID of an issuer in a revocation's CRL set: the default issuer if it is a member, or
 * else any member. Returns "" if the set has no issuers.
 */
function issuerOf(config: Snapshot, { crl_set }: RevokedRow): IssuerId | "" {
  const members = [...config.get(issuersById).values()].filter((row) => row.crl_set === crl_set);
  const byDefault = members.find(({ id }) => id === config.get(issuersConfig).default);
  return (byDefault ?? members[0])?.id ?? "";
}
