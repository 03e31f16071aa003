import { memoize } from "../base/memo.ts";
import { kindOf, type StoreContext } from "../engine/store-context.ts";
import { readFirstUserId, getInstallation } from "./installation.ts";
import { valueOf } from "./rows/change.ts";
import { hashOf } from "./rows/ids.ts";
import { rowKeys } from "./rows/keys.ts";
import type { TokenRow } from "./rows/rows.ts";
import { storedRows } from "./rows/stored.ts";
import { settingsOf } from "./rows/settings.ts";

/** Maximum length of a token in characters. Generated tokens have 90. */
const maxTokenLength = 512;
/** The principal of a token, and the expiry of the token. */
type Bearer = Pick<TokenRow, "principal" | "expires">;
const bearers = kindOf<Bearer | undefined>();
/** Finds the principal of a token. Returns undefined if the token is unknown or expired. */
export async function findBearer(
  storeContext: StoreContext,
  token: string,
): Promise<Bearer | undefined> {
  if (token === "" || token.length > maxTokenLength) return undefined;
  const holder = await storeContext.cache.recent(bearers, token, () =>
    bearerOf(storeContext, token),
  );
  return holder && (holder.expires === null || holder.expires > storeContext.ports.now())
    ? holder
    : undefined;
}
async function bearerOf(storeContext: StoreContext, token: string): Promise<Bearer | undefined> {
  await getInstallation(storeContext);
  const [hash, first] = await Promise.all([hashOf(token), firstHash(storeContext)]);
  if (first !== undefined && equalTexts(hash, first))
    return { principal: await readFirstUserId(storeContext), expires: null };
  const key = rowKeys.token(hash);
  const [row] = await storeContext.store.get([key]);
  const tokenRow = valueOf(storedRows.token, row);
  if (row && tokenRow) await noteUse(storeContext, key, row.rev, tokenRow);
  return tokenRow;
}
/** `last-used-at` has one-minute precision, to save a write per request. */
const usePrecision = 60_000;
async function noteUse(
  storeContext: StoreContext,
  key: string,
  rev: number,
  row: TokenRow,
): Promise<void> {
  const now = storeContext.ports.now();
  const { expires, used } = row;
  if (
    (expires !== null && expires <= now) ||
    (used !== undefined && now >= used && now - used < usePrecision)
  )
    return;
  try {
    // fails harmlessly if the token was changed or deleted concurrently
    await storeContext.store.commit({ expect: [[key, rev]], put: [[key, { ...row, used: now }]] });
  } catch {
    // a read-only store must not break reads
  }
}
/**
 * Returns the hash of the initial user's token, if any. The token is a setting and is not stored.
 */
const firstHash = memoize((storeContext: StoreContext): Promise<string> | undefined => {
  const token = settingsOf(storeContext).token;
  return token === undefined || token === "" ? undefined : hashOf(token);
});
/** Compares hashes of equal length in constant time. */
function equalTexts(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let i = 0; i < one.length; i++) difference |= one.charCodeAt(i) ^ other.charCodeAt(i);
  return difference === 0;
}
