import { issuersConfig } from "../rows/settings.ts";
import { issuersById, keysById, type IssuerRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { crlSetsOf } from "../issuer/issuer.ts";

/**
 * Returns the issuer that signs the CRLs of a set, given the ID of any of these CRLs. It is the
 * default issuer if that is a member of the set and may sign CRLs, or else the first member that
 * may (B 1.8 rule 2).
 */
export function crlSigner(config: Snapshot, crlId: string): IssuerRow | undefined {
  const { set } = crlParts(crlId);
  let first: IssuerRow | undefined;
  for (const row of config.get(issuersById).values()) {
    const maySign =
      row.crl_set === set &&
      row.key_id !== "" &&
      config.get(keysById).has(row.key_id) &&
      row.usage.includes("crl-signing");
    if (maySign && row.id === config.get(issuersConfig).default) return row;
    if (maySign) first ??= row;
  }
  return first;
}
/** Returns the CRL sets that have their own CRLs: those with an issuer that has a key. */
export const crlSets = (config: Snapshot): readonly string[] =>
  crlSetsOf(config.get(issuersById).values());

/** Reports whether the set of a CRL has an issuer, with or without a key. */
export const hasIssuers = (config: Snapshot, crlId: string): boolean =>
  [...config.get(issuersById).values()].some((row) => row.crl_set === crlParts(crlId).set);

/**
 * Returns the set whose CRL lists the revocations of a set: the set itself, or the default issuer's
 * set if no issuer in the set still has a key.
 */
export function crlSetFor(config: Snapshot, set: string): string | undefined {
  if (crlSets(config).includes(set)) return set;
  return config.get(issuersById).get(config.get(issuersConfig).default)?.crl_set;
}

/** Returns a warning for each CRL set in which no issuer may sign CRLs. */
export function crlWarnings(config: Snapshot, crlIds = crlSets(config)): readonly string[] {
  return [...new Set(crlIds.map((crlId) => crlParts(crlId).set))]
    .filter((set) => !crlSigner(config, set))
    .map((set) => {
      const ids = [...config.get(issuersById).values()]
        .filter((row) => row.crl_set === set)
        .map((row) => row.id);
      return `Issuer equivalency set with associated keys lacked an issuer with CRL Signing KeyUsage; refusing to rebuild CRL for this group of issuers: ${ids.join(",")}`;
    });
}

/**
 * Returns the ID that a CRL and its group of entries share. It is `<set>` for the unsharded CRL of
 * a set and for the entries without a shard, or `<set>-<n>-<i>` for shard i of n.
 */
export const crlIdOf = (set: string, shard: string | undefined): string =>
  shard === undefined ? set : `${set}-${shard}`;

/** The parts of a CRL ID. */
interface CrlParts {
  readonly set: string;
  /** The shard, `<n>-<i>`. Absent for the unsharded CRL. */
  readonly shard?: string;
}
/** Returns the set and shard in the ID of a CRL or group of entries. */
export function crlParts(crlId: string): CrlParts {
  const at = crlId.indexOf("-");
  return at < 0 ? { set: crlId } : { set: crlId.slice(0, at), shard: crlId.slice(at + 1) };
}
/** Returns the group to which a page belongs, given the key of the page. */
export const groupOfPage = (page: string): string => page.split("/")[1] ?? "";
