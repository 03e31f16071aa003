/** A page of a list. */
export interface DetailedPage<T> {
  /** Number of all entries. */
  readonly count: number;
  readonly shown: readonly T[];
}

/** Input of a listing: empty for all keys, or a page with the details of its entries. */
interface DetailedInput {
  readonly after?: string | undefined;
  readonly limit?: number;
  readonly detailed?: true;
}

/** The calls of a list. */
interface DetailedList<T> {
  /** Lists the keys of all entries, or the details of a page. */
  readonly list: (input: DetailedInput) => Promise<{
    readonly keys: readonly string[];
    readonly info: Readonly<Record<string, T>>;
  }>;
  /** Reads one entry; undefined if it is not to be shown. */
  readonly read: (key: string) => Promise<T | undefined>;
}

/**
 * Returns the entries from position `first` on. Those that the token may not read are left out; an
 * older server needs one request for each.
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
