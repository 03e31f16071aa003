import { queryWords, rankWords } from "../lib/word-match.ts";

/** The group headings of the palette, in the order in which they are shown. */
const groupNames = [
  "Recent",
  "Actions",
  "Pages",
  "Settings",
  "CAs",
  "Roles",
  "Mounts",
  "Certificates",
  "API calls",
] as const;
/** A group heading of the palette. */
type GroupName = (typeof groupNames)[number];

/** The searchable part of a result. */
export interface PaletteText {
  /** ID, unique among all entries. */
  readonly id: string;
  readonly group: GroupName;
  readonly title: string;
  /** Text next to the title, which is also searched. */
  readonly hint?: string;
  /** The API name of the setting or issuer. */
  readonly name?: string;
  /** Further words to search, which are not shown. */
  readonly words?: string;
}

/**
 * Returns the role, CA or certificate whose name, ID or serial number equals the query, or
 * undefined unless there is exactly one.
 */
function exactMatch<E extends PaletteText>(query: string, entries: readonly E[]): E | undefined {
  const words = query.trim().toLowerCase();
  const serial = words.replace(/[\s:-]/g, "");
  const isNamed = ({ id, title, name = "" }: E): boolean => {
    const [kind = "", key = ""] = id.split(" ", 2);
    if (kind === "certificate") return key === serial;
    if (kind !== "role" && kind !== "issuer") return false;
    return [title, name, key].some((one) => one.toLowerCase() === words);
  };
  const matches = words === "" ? [] : entries.filter(isNamed);
  return matches.length === 1 ? matches[0] : undefined;
}

/**
 * Returns the entry that Enter opens: the one whose name, ID or serial number equals the query, or
 * else the first. A single matching certificate takes precedence over the search for it.
 */
export function defaultEntry<E extends PaletteText>(
  query: string,
  entries: readonly E[],
): E | undefined {
  const [first] = entries;
  const certificates = entries.filter(({ id }) => id.startsWith("certificate "));
  const only = first?.id === "search" && certificates.length === 1 ? certificates[0] : undefined;
  return exactMatch(query, entries) ?? only ?? first;
}

/** The results under a heading. */
export interface PaletteGroup<E> {
  readonly name: GroupName;
  readonly entries: readonly E[];
}

/** The entries among which a query searches, by source. */
interface PaletteSources<E> {
  readonly recent: readonly E[];
  /** Actions, pages, settings, CAs, roles and mounts. */
  readonly builtIn: readonly E[];
  /** Matching certificates, preceded by the entry that searches for them. */
  readonly certificates: readonly E[];
  readonly calls: readonly E[];
}

/** Maximum number of results under a heading. */
const maxInGroup = 5;

const withEntries = <E>(all: readonly PaletteGroup<E>[]): readonly PaletteGroup<E>[] =>
  all.filter(({ entries }) => entries.length > 0);

interface RankedEntry<E> {
  readonly entry: E;
  readonly rank: number;
}

/**
 * Returns the entries that contain all words, best match first. Without words, returns all entries
 * in their order.
 */
function ranked<E extends PaletteText>(
  entries: readonly E[],
  words: readonly string[],
): readonly RankedEntry<E>[] {
  if (words.length === 0) return entries.map((entry) => ({ entry, rank: 0 }));
  return entries
    .flatMap((entry) => {
      const rank = rankWords(words, entry.title, `${entry.hint ?? ""} ${entry.words ?? ""}`);
      return rank === undefined ? [] : [{ entry, rank }];
    })
    .toSorted((a, b) => a.rank - b.rank);
}

/** The groups shown while the query is empty. */
const initialGroups: readonly GroupName[] = ["Actions", "Pages"];

/** Returns the group headings in order. Groups with much better matches come first. */
function byRank(all: readonly RankedEntry<PaletteText>[]): readonly GroupName[] {
  const best = new Map<GroupName, number>();
  for (const { entry, rank } of all)
    if (!best.has(entry.group)) best.set(entry.group, Math.floor(rank * 4));
  return [...best]
    .toSorted(([a, rankA], [b, rankB]) => rankA - rankB || order(a) - order(b))
    .map(([name]) => name);
}
const order = (name: GroupName): number => groupNames.indexOf(name);

/**
 * Returns the results of a query by heading. Recent choices come first, then the groups with the
 * best matches. Certificates and API calls come last, because they arrive later and must not move
 * entries that a user is about to choose.
 */
export function groupResults<E extends PaletteText>(
  query: string,
  { recent, builtIn, certificates, calls }: PaletteSources<E>,
): readonly PaletteGroup<E>[] {
  const words = queryWords(query);
  const matched = ranked(recent, words).slice(0, maxInGroup);
  // a certificate that the server has found also shows its current state
  const current = new Map(certificates.map((entry) => [entry.id, entry]));
  const last =
    words.length === 0 ? recent : matched.map(({ entry }) => current.get(entry.id) ?? entry);
  const shown = new Set(last.map(({ id }) => id));
  const rest = ranked(
    builtIn.filter(({ id }) => !shown.has(id)),
    words,
  );
  const named = words.length === 0 ? initialGroups : byRank(rest);
  const groups = named.map((name) => {
    const own = rest.map(({ entry }) => entry).filter(({ group }) => group === name);
    return { name, entries: words.length === 0 ? own : own.slice(0, maxInGroup) };
  });
  return withEntries([
    { name: "Recent", entries: last },
    ...groups,
    { name: "Certificates", entries: certificates.filter(({ id }) => !shown.has(id)) },
    { name: "API calls", entries: calls.filter(({ id }) => !shown.has(id)) },
  ]);
}
