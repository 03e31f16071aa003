import { CaError } from "../../base/errors.ts";
import { serialKeyText } from "../../base/ids.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Page, Store } from "../../engine/ports.ts";
import { int, text } from "../../wire/field.ts";

/** Query parameters of a paged list (A 1.1). */
export const pageFields = {
  after: text.default("", "Return only entries after this key, which need not exist."),
  limit: int.default(0, "Maximum number of entries to return; 0 means all."),
} as const;
/** The requested page: at most `limit` entries after the key `after`. */
interface PageRequest {
  readonly after: string;
  readonly limit: number;
}

/** Maximum length of the key after which a page starts; longer input is truncated. */
const maxNameLength = 256;

/** Returns the store query for the requested page of the rows whose keys begin with `prefix`. */
export const rowsAfter = (prefix: string, { after, limit }: PageRequest): Page => ({
  ...(after === "" ? {} : { after: prefix + after.slice(0, maxNameLength) }),
  ...(limit > 0 ? { limit } : {}),
});

/**
 * Returns the store query for the requested page of rows whose keys are serial numbers. Clients may
 * write serial numbers with colons, hyphens or capital letters.
 */
export const serialsAfter = (prefix: string, { after, limit }: PageRequest): Page =>
  rowsAfter(prefix, { after: after.toLowerCase().replace(/[:-]/g, ""), limit });

/** Number of keys to read at a time. Reading this many takes a few milliseconds. */
const part = 2000;

/**
 * Returns the serial numbers under a prefix, written with colons. Reads them in parts, so that a
 * long list does not block other requests. Throws `not_found` if there are none.
 */
export async function serialsBelow(
  store: Store,
  prefix: string,
  request: PageRequest,
): Promise<readonly string[]> {
  const { limit: max = Infinity, ...page } = serialsAfter(prefix, request);
  const serials: string[] = [];
  for (let { after } = page, more = true; more;) {
    const limit = Math.min(part, max - serials.length);
    const rows = await store.list(prefix, {
      values: false,
      limit,
      ...(after === undefined ? {} : { after }),
    });
    for (const [key] of rows) serials.push(serialKeyText(key.slice(prefix.length)));
    after = rows.at(-1)?.[0];
    more = rows.length === limit && serials.length < max;
    if (more) await yieldToEventLoop();
  }
  if (serials.length === 0) throw new CaError("not_found", "");
  return serials;
}

/**
 * Returns a page of sorted names. Throws `not_found` if the page is empty, because the response to
 * an empty list has status 404.
 */
export function pageOf(
  sorted: readonly string[],
  { after, limit }: PageRequest,
): readonly string[] {
  const rest = after === "" ? sorted : sorted.filter((name) => name > after);
  const page = limit > 0 ? rest.slice(0, limit) : rest;
  if (page.length === 0) throw new CaError("not_found", "");
  return page;
}
