import { issuersConfig } from "../rows/settings.ts";
import { issuersById, keysById, type IssuerRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { crlSetsOf } from "../issuer/issuer.ts";

/**
 * Returns the issuer that signs the CRLs of a set, given the id of any of them: the default issuer
 * when it is a member and may sign CRLs, else the first member that may (B 1.8 rule 2).
 */
export function crlSigner(config: Snapshot, list: string): IssuerRow | undefined {
  const { set } = crlParts(list);
  const able = [...config.get(issuersById).values()].filter(
    (row) =>
      row.crl_set === set &&
      row.key_id !== "" &&
      config.get(keysById).has(row.key_id) &&
      row.usage.includes("crl-signing"),
  );
  return able.find((row) => row.id === config.get(issuersConfig).default) ?? able[0];
}
/** Returns the sets that have their own CRL. */
export const crlSets = (config: Snapshot): readonly string[] =>
  crlSetsOf(config.get(issuersById).values());

/**
 * Returns the set whose CRL lists the revocations of a set: the set itself, or that of the default
 * issuer if the set no longer has a key.
 */
export function crlSetFor(config: Snapshot, set: string): string | undefined {
  if (crlSets(config).includes(set)) return set;
  return config.get(issuersById).get(config.get(issuersConfig).default)?.crl_set;
}

/** Returns warnings for sets with keys in which no issuer may sign CRLs. */
export function crlWarnings(config: Snapshot, lists = crlSets(config)): readonly string[] {
  return [...new Set(lists.map((list) => crlParts(list).set))]
    .filter((set) => !crlSigner(config, set))
    .map((set) => {
      const ids = [...config.get(issuersById).values()]
        .filter((row) => row.crl_set === set)
        .map((row) => row.id);
      return `Issuer equivalency set with associated keys lacked an issuer with CRL Signing KeyUsage; refusing to rebuild CRL for this group of issuers: ${ids.join(",")}`;
    });
}

/**
 * Returns the id of a CRL, which is also that of its group of entries: `<set>` for the complete CRL
 * of a set and for certificates without a shard, `<set>-<n>-<i>` for shard i of n.
 */
export const crlId = (set: string, shard: string | undefined): string =>
  shard === undefined ? set : `${set}-${shard}`;

/** The parts of a CRL id. */
interface CrlParts {
  readonly set: string;
  /** `<n>-<i>`; absent: the complete CRL. */
  readonly shard?: string;
}
/** Returns the set and the shard of a CRL or of a group of entries. */
export function crlParts(list: string): CrlParts {
  const at = list.indexOf("-");
  return at < 0 ? { set: list } : { set: list.slice(0, at), shard: list.slice(at + 1) };
}
/** Returns the group of a page from the page's key. */
export const groupOfPage = (page: string): string => page.split("/")[1] ?? "";
