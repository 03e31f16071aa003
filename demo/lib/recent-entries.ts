import { place, recentEntriesKey } from "./place.ts";

/** An entry that the palette shows as recent. It opens a URL of the page. */
interface RecentEntry {
  /** ID, such as `certificate` and the serial number. */
  readonly id: string;
  /** The heading of the palette under which the entry is found. */
  readonly group: string;
  readonly title: string;
  readonly hint?: string;
  readonly icon: string;
  readonly to?: string;
}

/** Maximum number of recent entries per mount. */
const maxRecent = 6;

const owner = (): string => `${place.get().base} ${place.get().mount}`;

type Stored = Readonly<Record<string, readonly RecentEntry[]>>;

function stored(): Stored {
  try {
    const parsed: unknown = JSON.parse(sessionStorage.getItem(recentEntriesKey) ?? "{}");
    // only this module writes the item
    return typeof parsed === "object" && parsed !== null ? (parsed as Stored) : {};
  } catch {
    return {};
  }
}

/** Returns the recent entries for the current mount in this tab, latest first. */
export const recentEntries = (): readonly RecentEntry[] => stored()[owner()] ?? [];

/** Stores an entry until the tab is closed or the user signs out. */
export function rememberEntry(entry: RecentEntry): void {
  const others = recentEntries().filter(({ id }) => id !== entry.id);
  const all = { ...stored(), [owner()]: [entry, ...others].slice(0, maxRecent) };
  try {
    sessionStorage.setItem(recentEntriesKey, JSON.stringify(all));
  } catch {
    // The browser may block storage; nothing is remembered then.
  }
}
