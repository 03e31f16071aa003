import type { Deployment, Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import { tokensEnded } from "../../engine/lease-jobs.ts";
import {
  tokenEnds,
  tokenIndex,
  tokenMethods,
  tokenParents,
  type TokenRow,
  belowTokens,
  storedTokens,
  tokenKeys,
  type EndedRow,
} from "../rows/tokens.ts";
import type { Batch, Page, Row } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { tokenEndKind } from "./ends.ts";

/** Maximum number of tokens to revoke per step. */
const perStep = 200;
/**
 * Returns the row of the job that revokes the dependents of revoked and expired tokens, scheduled
 * to run immediately.
 */
const endJob = (now: number) => jobRow({ due: now, now }, tokenEndKind, "tokens");

/** A stored token with its hash and the revision of its row. */
interface StoredToken {
  readonly hash: string;
  readonly row: TokenRow;
  readonly rev: number;
}
const storedTokenOf = (key: string, { value, rev }: Row): StoredToken => ({
  hash: key.slice(belowTokens.tokens.length),
  row: storedTokens.token(value),
  rev,
});
/**
 * Returns the batch that revokes tokens: it deletes their rows and records that their dependents
 * must be revoked. If `orphans` is true, their children become orphans instead.
 */
function endOf(tokens: readonly StoredToken[], now: number, orphans = false): Batch {
  return {
    expect: tokens.map(({ hash, rev }) => [tokenKeys.token(hash), rev]),
    del: tokens.flatMap(({ hash, row }) => [
      tokenKeys.token(hash),
      tokenKeys.accessor(row.accessor),
    ]),
    put: [
      ...tokens.map(({ hash }) => [tokenKeys.tree(hash), { orphans } satisfies EndedRow] as const),
      ...(tokens.length ? [endJob(now)] : []),
      ...tokensEnded(
        tokens.map(({ row }) => row.accessor),
        now,
      ),
    ],
  };
}

/**
 * Revokes a token, and its children unless they become orphans (P 9.6 rule 5). From the first
 * commit on, the token is rejected and cannot get new children. A job revokes its descendants.
 * Waits for the job, and returns whether the token existed.
 */
export async function endToken(
  { sys }: Deployment,
  hash: string,
  { orphans = false, failed }: Ending = {},
): Promise<boolean> {
  const key = tokenKeys.token(hash);
  const ended = await sys.change(
    async () => {
      const [row] = await sys.store.get([key]);
      if (!row) return { reply: false };
      return { reply: true, batch: endOf([storedTokenOf(key, row)], sys.ports.now(), orphans) };
    },
    { what: "the token" },
  );
  if (ended) await sys.once(tokenEndKind, "tokens").catch((error: unknown) => failed?.(error));
  return ended;
}
/** Options for revoking a token. */
interface Ending {
  readonly orphans?: boolean;
  /** Called if not all dependents could be revoked at once. The job continues in the background. */
  failed?(error: unknown): void;
}

/** Revokes all tokens that a login method issued. */
export async function endTokensOf({ sys }: Deployment, method: string): Promise<void> {
  const by = { name: tokenMethods, from: method, to: method };
  while (await endSome(sys, by));
  await sys.once(tokenEndKind, "tokens");
}

/**
 * Revokes some of the tokens that an index query finds. Returns whether more tokens may be left.
 */
async function endSome(sys: StoreContext, by: NonNullable<Page["by"]>): Promise<boolean> {
  const rows = await sys.store.list(belowTokens.tokens, { by, limit: perStep });
  if (rows.length === 0) return false;
  const tokens = rows.map(([key, row]) => storedTokenOf(key, row));
  // if a token changes concurrently, nothing is committed and the caller reads the tokens again
  await sys.commit(endOf(tokens, sys.ports.now()));
  return true;
}

/**
 * The job that removes revoked and expired tokens and revokes their dependents. Each token is
 * revoked before its children, so that it cannot create new children in the meantime.
 */
export const tokenEnd: Job = {
  kind: tokenEndKind,
  of: "storeContext",
  budget: 500,
  step: async (sys) => {
    const expired = { name: tokenEnds, to: Math.floor(sys.ports.now() / 1000) };
    if (await endSome(sys, expired)) return "more";
    const [next] = await sys.store.list(belowTokens.trees, { limit: 1 });
    if (!next) return (await planned(sys)) ? undefined : "more";
    await endDependent(sys, next[0].slice(belowTokens.trees.length), next[1]);
    return "more";
  },
};
/**
 * Revokes up to `perStep` dependents of a revoked or expired token. If there are none, deletes the
 * token's private storage, and then its record.
 */
async function endDependent(sys: StoreContext, hash: string, ended: Row): Promise<void> {
  const { orphans } = storedTokens.ended(ended.value);
  const by = { name: tokenParents, from: hash, to: hash };
  const now = sys.ports.now();
  const rows = await sys.store.list(belowTokens.tokens, { by, limit: perStep });
  const children = rows.map(([key, row]) => storedTokenOf(key, row));
  if (children.length > 0) {
    await sys.commit(orphans ? orphaned(children) : endOf(children, now));
    return;
  }
  const page = { values: false, limit: perStep };
  const values = await sys.store.list(tokenKeys.cubbyhole(hash), page);
  if (values.length > 0) {
    await sys.commit({ del: values.map(([one]) => one) });
    return;
  }
  const key = tokenKeys.tree(hash);
  await sys.commit({ expect: [[key, ended.rev]], del: [key] });
}
/** Returns the batch that turns tokens into orphans by removing their parent. */
const orphaned = (tokens: readonly StoredToken[]): Batch => ({
  expect: tokens.map(({ hash, rev }) => [tokenKeys.token(hash), rev]),
  put: tokens.map(({ hash, row }) => {
    const { parent: _, ...rest } = row;
    const orphan: TokenRow = { ...rest, orphan: true };
    return [tokenKeys.token(hash), orphan, tokenIndex(orphan)];
  }),
});

/**
 * Schedules the next run of the job for when the next token expires. A token created in the
 * meantime schedules its own run, so that none is missed. Returns false if a row changed
 * concurrently.
 */
async function planned(sys: StoreContext): Promise<boolean> {
  const key = tokenKeys.ends;
  await sys.commit({ put: [[key, { due: Number.MAX_SAFE_INTEGER }]] });
  const [row] = await sys.store.get([key]);
  const by = { name: tokenEnds };
  const [next] = await sys.store.list(belowTokens.tokens, { by, limit: 1 });
  const due = next && storedTokens.token(next[1].value).expires;
  if (due === undefined) return true;
  const now = sys.ports.now();
  const put = [[key, { due }], jobRow({ due: due * 1000, now }, tokenEndKind, "tokens")] as const;
  return (await sys.commit({ expect: [[key, row?.rev ?? null]], put })) !== undefined;
}
