import { fromBase64Url, fromUtf8, toBase64Url, toHex, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { rowPrefixes } from "../rows/records.ts";
import { sha1 } from "../../base/hashes.ts";
import type { Position, Query, Span } from "./search-index.ts";

/**
 * Reports whether a value fits an index: it has the type of the index and is in the range that the
 * search reads. A value from the cursor of another search may not fit.
 */
const liesIn = ({ name, from, to }: Span, value: string | number): boolean =>
  (name === "not_after" || name === "newest") === (typeof value === "number") &&
  (from === undefined || value >= from) &&
  (to === undefined || value <= to);
/**
 * Returns a tag that distinguishes the cursors of different searches. Times are not part of the
 * tag, because a window such as "the next 30 days" moves between two pages.
 */
export function tagOf(query: Query): string {
  const { name, issuer, role, state, source, account, san, print, order } = query;
  const criteria = [name, issuer, role, state, source, account, san, print];
  // earlier versions have no `order`, so the tag without it must stay the same
  const tagged = order === "" ? criteria : [...criteria, order];
  return toHex(sha1(utf8(JSON.stringify(tagged))).subarray(0, 8));
}
/** Reports whether a cursor has the given tag. Returns false if the cursor is malformed. */
export function hasTag(cursor: string, tag: string): boolean {
  try {
    const at: unknown = JSON.parse(fromUtf8(fromBase64Url(cursor) ?? new Uint8Array()));
    return Array.isArray(at) && at[2] === tag;
  } catch {
    return false;
  }
}
/** Encodes a position and the tag of its search as a cursor. */
export const writeCursor = ([value, key]: Position, tag: string): string =>
  toBase64Url(utf8(JSON.stringify([value, key, tag])));
/**
 * Maximum length of a cursor. It is sufficient for a name of 253 control characters, each of which
 * takes six characters in JSON.
 */
const maxCursorLength = 4096;
/**
 * Parses a cursor of the search with the given tag. Returns undefined for an empty cursor. Throws
 * `malformed` for a cursor that does not belong to the search.
 */
export function readCursor(cursor: string, by: Span, tag: string): Position | undefined {
  if (cursor === "") return undefined;
  try {
    const at: unknown =
      cursor.length > maxCursorLength
        ? undefined
        : JSON.parse(fromUtf8(fromBase64Url(cursor) ?? new Uint8Array()));
    if (
      Array.isArray(at) &&
      at.length === 3 &&
      at[2] === tag &&
      (typeof at[0] === "string" || Number.isSafeInteger(at[0])) &&
      typeof at[1] === "string" &&
      at[1].startsWith(rowPrefixes.certs) &&
      /^[0-9a-f]{1,64}$/.test(at[1].slice(rowPrefixes.certs.length)) &&
      liesIn(by, at[0] as string | number)
    )
      return [at[0] as string | number, at[1]];
  } catch {
    // reported below
  }
  throw new CaError(
    "malformed",
    "invalid cursor: send the cursor of the previous page unchanged, with the same filters and order",
  );
}
