/**
 * The id of a list, which is also that of a group of entries: `<set>` for the complete list of a
 * set and for certificates without a shard, `<set>-<n>-<i>` for shard i of n.
 */
export const listId = (set: string, shard: string | undefined): string =>
  shard === undefined ? set : `${set}-${shard}`;

/** What the id of a list says. */
export interface ListParts {
  readonly set: string;
  /** `<n>-<i>`; absent: the complete list. */
  readonly shard?: string;
}
/** The set and the shard of a list, or of a group of entries. */
export function partsOf(list: string): ListParts {
  const at = list.indexOf("-");
  return at < 0 ? { set: list } : { set: list.slice(0, at), shard: list.slice(at + 1) };
}
/** The group of a page by the page's key. */
export const groupOf = (page: string): string => page.split("/")[1] ?? "";
