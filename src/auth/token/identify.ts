import type { Deployment } from "../../engine/deployment.ts";
import type { Entity, Identity } from "../../engine/ports.ts";
import { aclOf, type Acl } from "../../policy/index.ts";
import { CaError } from "../../base/errors.ts";
import type { TokenFacts } from "../../engine/identity.ts";
import { tokenIndex, type TokenRow, belowTokens, tokenKeys, storedTokens } from "../rows/tokens.ts";
import { inRange } from "../../x509/address.ts";
import { kindOf, type StoreContext } from "../../engine/store-context.ts";
import type { Call } from "../../wire/call.ts";
import { openBatch } from "./batch.ts";
import { dueRows } from "./ends.ts";
import { entityOfToken } from "./entity.ts";
import { batchPrefix, hashOf, keyOf } from "./secret.ts";

/**
 * Returns the compiled policies with these names, cached for at most one second. The policy `root`
 * allows everything.
 */
const allowedBy = (
  { sys }: Deployment,
  names: readonly string[],
  entity: Entity | undefined,
): Promise<Acl> => aclOf(sys, names, entity);

/** Maximum length of a token in characters. */
export const maxTokenLength = 8192;
/** A token with its hash and the revision of its row. A batch token has no row. */
interface ReadToken {
  readonly row: TokenRow;
  readonly hash: string;
  readonly rev: number;
}
const tokens = kindOf<ReadToken>(10_000, [belowTokens.tokens]);
const parents = kindOf<ReadToken>(1000, [belowTokens.tokens]);
/** Maximum number of attempts to count a use while other requests use the same token. */
const countTries = 500;

/**
 * Returns the identity of a `/v1` caller: that of the call itself, if it has one, or that of the
 * caller's token according to `Ports` or the token store. Returns undefined if the token is
 * unknown, expired, used up, or not allowed from the caller's address. Throws `header_too_large` if
 * the token is too long.
 */
export async function identify(deployment: Deployment, call: Call): Promise<Identity | undefined> {
  const { token, identity } = call;
  if (identity) return identity;
  if (token === undefined || token === "") return undefined;
  if (token.length > maxTokenLength)
    throw new CaError("header_too_large", `the token is longer than ${maxTokenLength} bytes`);
  let fixedIdentity: Identity | undefined;
  let isStoreRead = false;
  const stored = await deployment.sys.cache.recent(tokens, token, async () => {
    fixedIdentity = await deployment.ports.authenticate(token);
    isStoreRead = !fixedIdentity && !token.startsWith(batchPrefix);
    return fixedIdentity ? undefined : readToken(deployment, token);
  });
  if (fixedIdentity) return fixedIdentity;
  const facts = stored && (await used(deployment, call, stored));
  if (facts) return identityOf(deployment, facts, token);
  // reads the store in any case, so that timing does not reveal where the token is defined
  if (!isStoreRead) await deployment.sys.store.get([tokenKeys.token(stored?.hash ?? "")]);
  return undefined;
}

/** Returns a stored token or a batch token. Returns undefined if the token is not valid. */
async function readToken(
  { ports, sys }: Deployment,
  token: string,
): Promise<ReadToken | undefined> {
  const hash = await hashOf(token);
  if (!token.startsWith(batchPrefix)) return readServiceToken(sys, hash);
  const row = await openBatch(ports.vault, token);
  return row && { row, hash, rev: 0 };
}
async function readServiceToken(sys: StoreContext, hash: string): Promise<ReadToken | undefined> {
  const [row] = await sys.store.get([tokenKeys.token(hash)]);
  return row && { row: storedTokens.token(row.value), hash, rev: row.rev };
}

/**
 * Counts a use of a token and returns the token's row. Returns undefined if the token may not be
 * used.
 */
async function used(
  { sys }: Deployment,
  call: Call,
  stored: ReadToken,
): Promise<TokenFacts | undefined> {
  const { row, hash } = stored;
  if (!isUsable(row, call, sys.ports.now())) return undefined;
  if (row.type === "batch")
    return row.parent === undefined || (await lives(sys, row.parent)) ? row : undefined;
  if (row.num_uses === 0) return { ...row, hash };
  for (let tries = 0; tries < countTries; tries++) {
    // always reads a token with a use limit from the store (D 4)
    const now = await readServiceToken(sys, hash);
    if (!now || !isUsable(now.row, call, sys.ports.now())) return undefined;
    if (await consumeUse(sys, now)) return { ...now.row, hash, num_uses: now.row.num_uses - 1 };
  }
  throw new CaError("busy", "too many concurrent requests use this token; try again");
}
/**
 * Reports whether the parent of a batch token is valid. The parent is cached for at most one
 * second.
 */
async function lives(sys: StoreContext, hash: string): Promise<boolean> {
  const parent = await sys.cache.recent(parents, hash, () => readServiceToken(sys, hash));
  return parent !== undefined && isAlive(parent.row, sys.ports.now());
}

/**
 * Seconds between the last use of a token and its removal, because requests with the token may
 * still be running.
 */
const removedAfter = 60;
async function consumeUse(sys: StoreContext, { row, hash, rev }: ReadToken): Promise<boolean> {
  const key = tokenKeys.token(hash);
  const now = sys.ports.now();
  const isLast = row.num_uses === 1;
  const end = Math.min(row.expires ?? Infinity, Math.floor(now / 1000) + removedAfter);
  const next: TokenRow = isLast
    ? { ...row, num_uses: -1, expires: end }
    : { ...row, num_uses: row.num_uses - 1 };
  const [ends] = isLast ? await sys.store.get([tokenKeys.ends]) : [];
  const due = isLast ? dueRows(next, ends, now) : {};
  const done = await sys.commit({
    expect: [[key, rev], ...(due.expect ?? [])],
    put: [[key, next, tokenIndex(next)], ...(due.put ?? [])],
  });
  return done !== undefined;
}
/** Reports whether a token is neither expired nor used up. `now` is in Unix milliseconds. */
export const isAlive = ({ expires, num_uses }: TokenFacts, now: number): boolean =>
  (expires === undefined || now < expires * 1000) && num_uses >= 0;
/**
 * Reports whether a token is valid and may be used from the caller's address, as reported by the
 * platform (security row 53).
 */
const isUsable = (row: TokenRow, { peer }: Call, now: number): boolean =>
  isAlive(row, now) &&
  (row.bound_cidrs.length === 0 || isWithin(peer?.address ?? "", row.bound_cidrs));
const isWithin = (address: string, ranges: readonly string[]): boolean =>
  ranges.some((range) =>
    range.includes("/")
      ? inRange(address, range)
      : inRange(address, `${range}/${range.includes(":") ? 128 : 32}`),
  );

/** Returns the identity of a valid token. `token` is the value of the token, if known. */
export async function identityOf(
  deployment: Deployment,
  row: TokenFacts,
  token?: string,
): Promise<Identity | undefined> {
  const holder = row.entity_id === "" ? undefined : await entityOfToken(deployment, row.entity_id);
  if (row.entity_id !== "" && !holder) return undefined;
  const policies = holder
    ? [...new Set([...row.policies, ...holder.policies])].sort()
    : row.policies;
  const allowed = await allowedBy(deployment, policies, holder?.entity);
  const named = row.accessor === "" ? {} : { accessor: row.accessor };
  return {
    id: row.accessor === "" ? row.display_name : `${row.display_name} ${row.accessor}`,
    policies,
    ...(holder ? { entity: holder.entity } : {}),
    ...(row.expires === undefined ? {} : { expires: row.expires * 1000 }),
    ...named,
    token: row,
    ...(token === undefined ? {} : { derive: (purpose: string) => keyOf(token, purpose) }),
    can: (capability, path, forms) => allowed.can(capability, path, forms),
    reaches: (prefix) => allowed.reaches(prefix),
    permits: (request) => allowed.permits(request),
  };
}
