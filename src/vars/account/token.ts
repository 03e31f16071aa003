import type { Batch, Expect } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { attributeFault, invalidError, notFound } from "../jsonapi/fault.ts";
import { changeDirectory, rowOf, rowsOf, textIn } from "../rows/change.ts";
import { generateToken, hashOf, newId } from "../rows/ids.ts";
import { rowKeys } from "../rows/keys.ts";
import { roomForToken } from "../rows/limits.ts";
import { isUser, type Principal, type TokenRow } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";

/** A token's row with the token's hash, which is part of the row key. */
export interface HashedToken {
  readonly row: TokenRow;
  readonly hash: string;
}
/** Generates a token and its row, but does not store them. */
export async function newToken(
  storeContext: StoreContext,
  caller: Caller,
  fields: Pick<TokenRow, "principal" | "description" | "expires">,
): Promise<HashedToken & { readonly token: string }> {
  const token = generateToken(storeContext.ports.random);
  const row: TokenRow = {
    id: newId("at", storeContext.ports.random),
    ...fields,
    created: storeContext.ports.now(),
    by: isUser(caller.identity.id) ? caller.identity.id : null,
  };
  return { row, token, hash: await hashOf(token) };
}
/** Returns the rows of a token: its own row, and rows that point to it by ID and by owner. */
export const tokenRows = (row: TokenRow, hash: string) =>
  [
    [rowKeys.token(hash), row],
    [rowKeys.tokenId(row.id), hash],
    [rowKeys.tokenOf(row.principal, row.id), hash],
  ] as const;
const keysOf = ({ row, hash }: HashedToken): readonly string[] =>
  tokenRows(row, hash).map(([key]) => key);

/** Returns the token to which the row at `key` points. Rejects with 404 if there is none. */
export async function tokenAt(storeContext: StoreContext, key: string): Promise<HashedToken> {
  const hash = await rowOf(storeContext, textIn, key);
  const row = hash === undefined ? undefined : await tokenOf(storeContext, hash);
  if (hash === undefined || !row) throw notFound();
  return { row, hash };
}
const tokenOf = (storeContext: StoreContext, hash: string): Promise<TokenRow | undefined> =>
  rowOf(storeContext, storedRows.token, rowKeys.token(hash));
/** Returns all tokens of a principal, oldest first. */
export async function tokensOf(
  storeContext: StoreContext,
  principal: Principal,
): Promise<readonly TokenRow[]> {
  const hashes = await storeContext.store.list(rowKeys.tokensOf(principal));
  const keys = hashes.map(([, row]) => rowKeys.token(textIn(row.value)));
  const rows = await rowsOf(storeContext, storedRows.token, keys);
  return rows.toSorted((one, other) => one.created - other.created);
}

/** The conditions under which a token is added. */
export interface Grant {
  /** Key of the owner's row. The row proves that the owner exists. */
  readonly holder: string;
  /** Whether the owner can have only one token, so that the new token replaces the previous one. */
  readonly sole?: boolean;
  readonly uniqueDescription?: boolean;
}
/**
 * Stores a new token. Rejects with 404 if its owner no longer exists, and with 422 if the owner has
 * too many tokens or if the description is already in use.
 */
export async function addToken(
  storeContext: StoreContext,
  { row, hash }: HashedToken,
  { holder, sole = false, uniqueDescription = false }: Grant,
): Promise<void> {
  const soleKey = rowKeys.soleToken(row.principal);
  await changeDirectory(storeContext, async () => {
    const [owner, before] = await storeContext.store.get([holder, soleKey]);
    if (!owner) throw notFound();
    if (uniqueDescription) await requireOwnDescription(storeContext, row);
    if (!sole || !before) await roomForToken(storeContext, row.principal);
    const replaced = sole && typeof before?.value === "string" ? before.value : undefined;
    const old = replaced === undefined ? undefined : await tokenOf(storeContext, replaced);
    // rewrites the owner's row, so that a request that concurrently deletes the owner or adds a
    // token with the same description retries and sees this token
    const put = [...tokenRows(row, hash), [holder, owner.value] as const];
    const expect: Expect[] = [[holder, owner.rev]];
    const batch: Batch = sole
      ? {
          expect: [...expect, [soleKey, before?.rev ?? null]],
          put: [...put, [soleKey, hash]],
          del: old && replaced !== undefined ? keysOf({ row: old, hash: replaced }) : [],
        }
      : { expect, put };
    return { reply: undefined, batch };
  });
}
async function requireOwnDescription(
  storeContext: StoreContext,
  { principal, description }: TokenRow,
): Promise<void> {
  if ((await tokensOf(storeContext, principal)).some((other) => other.description === description))
    throw invalidError([attributeFault("description", "Description has already been taken")]);
}
/** Deletes a token. Rejects with 404 if it no longer exists. */
export async function dropToken(storeContext: StoreContext, token: HashedToken): Promise<void> {
  const [key, soleKey] = [rowKeys.token(token.hash), rowKeys.soleToken(token.row.principal)];
  await changeDirectory(storeContext, async () => {
    const [row, sole] = await storeContext.store.get([key, soleKey]);
    if (!row) throw notFound();
    const expect: readonly Expect[] = [[key, row.rev]];
    const batch =
      sole?.value === token.hash
        ? { expect: [...expect, [soleKey, sole.rev] as const], del: [...keysOf(token), soleKey] }
        : { expect, del: keysOf(token) };
    return { reply: undefined, batch };
  });
}
