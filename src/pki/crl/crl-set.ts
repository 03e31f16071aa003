import type { IssuerRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { crlSetsOf } from "../issuer/issuer.ts";

/**
 * The issuer that signs the lists of a set, by the id of any of them: one that may, the default
 * when it is a member (B 1.8 rule 2).
 */
export function crlSigner(config: Snapshot, list: string): IssuerRow | undefined {
  const { set } = crlParts(list);
  const able = [...config.issuers.values()].filter(
    (row) =>
      row.crl_set === set &&
      row.key_id !== "" &&
      config.keys.has(row.key_id) &&
      row.usage.includes("crl-signing"),
  );
  return able.find((row) => row.id === config.issuersConfig.default) ?? able[0];
}
/** The sets that have a CRL of their own. */
export const crlSets = (config: Snapshot): readonly string[] => crlSetsOf(config.issuers.values());

/**
 * The set whose list names what a set revokes: itself, or that of the default issuer when nobody of
 * the set has a key any more.
 */
export function crlSetFor(config: Snapshot, set: string): string | undefined {
  if (crlSets(config).includes(set)) return set;
  return config.issuers.get(config.issuersConfig.default)?.crl_set;
}

/** What hinders lists: sets whose issuers hold a key, but none of them may sign CRLs. */
export function crlWarnings(config: Snapshot, lists = crlSets(config)): readonly string[] {
  return [...new Set(lists.map((list) => crlParts(list).set))]
    .filter((set) => !crlSigner(config, set))
    .map((set) => {
      const ids = [...config.issuers.values()]
        .filter((row) => row.crl_set === set)
        .map((row) => row.id);
      return `Issuer equivalency set with associated keys lacked an issuer with CRL Signing KeyUsage; refusing to rebuild CRL for this group of issuers: ${ids.join(",")}`;
    });
}

/**
 * The id of a list, which is also that of a group of entries: `<set>` for the complete list of a
 * set and for certificates without a shard, `<set>-<n>-<i>` for shard i of n.
 */
export const crlId = (set: string, shard: string | undefined): string =>
  shard === undefined ? set : `${set}-${shard}`;

/** What the id of a list says. */
interface CrlParts {
  readonly set: string;
  /** `<n>-<i>`; absent: the complete list. */
  readonly shard?: string;
}
/** The set and the shard of a list, or of a group of entries. */
export function crlParts(list: string): CrlParts {
  const at = list.indexOf("-");
  return at < 0 ? { set: list } : { set: list.slice(0, at), shard: list.slice(at + 1) };
}
/** The group of a page by the page's key. */
export const groupOfPage = (page: string): string => page.split("/")[1] ?? "";
