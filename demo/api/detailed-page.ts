/** A page of a list. */
export interface DetailedPage<T> {
  /** Total number of entries in the list. */
  readonly count: number;
  readonly shown: readonly T[];
}

/**
 * The input of a listing: empty to list all keys, otherwise the page to list and whether to include
 * details.
 */
interface DetailedInput {
  readonly after?: string | undefined;
  readonly limit?: number;
  readonly detailed?: true;
}

/** The calls that read a list. */
interface DetailedList<T> {
  /** Lists the keys of all entries, or a page with details. */
  readonly list: (input: DetailedInput) => Promise<{
    readonly keys: readonly string[];
    readonly info: Readonly<Record<string, T>>;
  }>;
  /** Reads an entry. Returns undefined if the entry must not be shown. */
  readonly read: (key: string) => Promise<T | undefined>;
}

/**
 * Returns the page of entries that begins at position `first`. Omits entries that the token may not
 * read. Older servers require a request for each entry.
 */
export async function detailedPage<T>(
  { list, read }: DetailedList<T>,
  first: number,
  limit: number,
): Promise<DetailedPage<T>> {
  const { keys } = await list({});
  const page = keys.slice(first, first + limit);
  if (page.length === 0) return { count: keys.length, shown: [] };
  const after = first === 0 ? undefined : keys[first - 1];
  const { info } = await list({ after, limit, detailed: true });
  const details =
    Object.keys(info).length > 0
      ? page.map((key) => info[key])
      : await Promise.all(page.map((key) => read(key)));
  return { count: keys.length, shown: details.filter((one) => one !== undefined) };
}
