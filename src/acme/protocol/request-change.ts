import { mergeBatches } from "../../engine/merge-batches.ts";
import type { Mount } from "../../engine/mount.ts";
import { CaError } from "../../base/errors.ts";
import type { Batch, Committed, Expect, Row, Store } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Decision } from "../../engine/store-context.ts";
import { acmeKeys, storedAcme } from "../rows/records.ts";
import type { AcmeAnswer } from "./declaration.ts";
import { expiryPlan } from "./expiry.ts";
import { areTogether, isAtHome } from "../../engine/placement.ts";
import { type Account, cacheAccount, dropCachedRows, cacheRows } from "./account-cache.ts";
import { spendNonce } from "./nonce.ts";
import type { Shape } from "../../wire/field.ts";
import type { VerifiedRequest } from "./signed.ts";

/**
 * Reports whether one batch can spend the nonce of a request and change rows of its account, or
 * rows in the mount's own store if no account signed it. Otherwise the nonce is spent in a separate
 * commit before the request is decided, because a spent nonce has only one row in the whole mount.
 */
export function isNonceBeside(
  { store }: Pick<Mount, "store">,
  { nonce, account }: Pick<VerifiedRequest, "nonce" | "account">,
): boolean {
  const key = acmeKeys.nonce(nonce.text);
  return account ? areTogether(store, key, acmeKeys.account(account.id)) : isAtHome(store, key);
}

/** The change that spends the nonce of a request. */
interface NonceSpending {
  readonly batch: Batch;
  /** Called after the commit. */
  planned(): void;
}
/**
 * Returns the change common to all verified requests: it spends the nonce, unless an earlier run
 * did, and requires that the account is unchanged.
 */
export function spendingOf(
  mount: Mount,
  { nonce, account }: Pick<VerifiedRequest, "nonce"> & { readonly account?: Account | undefined },
  isSpent: boolean,
): NonceSpending {
  const same: readonly Expect[] = account ? [[acmeKeys.account(account.id), account.rev]] : [];
  if (isSpent) return { batch: { expect: same, put: [] }, planned: () => undefined };
  const { put, done } = expiryPlan(mount);
  return {
    batch: mergeBatches(spendNonce(nonce.text, nonce.createdAt), { expect: same, put }),
    planned: done,
  };
}

/** Returns the complete change of a request: spending the nonce, and the changes of its handler. */
export function changeOf(
  config: Snapshot,
  { account }: VerifiedRequest,
  spending: NonceSpending,
  { batch: own, done }: Pick<AcmeAnswer, "batch" | "done">,
): Omit<Decision<never>, "reply"> {
  const batch = own ? together(spending.batch, own) : spending.batch;
  const key = account && acmeKeys.account(account.id);
  const changed = own?.put?.map(([name]) => name) ?? [];
  // an account that the request itself changes is cached in its new state
  const rereads = key !== undefined && changed.includes(key);
  return {
    batch: rereads ? { ...batch, read: [key] } : batch,
    done(committed) {
      spending.planned();
      dropCachedRows(config, changed);
      const [row] = committed?.rows ?? [];
      if (account && row)
        cacheAccount(config, { ...storedAcme.account(row.value), id: account.id, rev: row.rev });
      done?.();
    },
  };
}
/** Merges both changes. For a row that both expect, `own` takes precedence. */
function together(spent: Batch, own: Batch): Batch {
  const named = new Set(own.expect?.map(([key]) => key));
  const expect = spent.expect?.filter(([key]) => !named.has(key)) ?? [];
  return mergeBatches(own, { ...spent, expect });
}

type Rows = readonly (Row | undefined)[];

/**
 * Returns the change of a read-only request. The commit that spends its nonce also reads the rows,
 * from which `computeAnswer` then computes the response.
 */
export function readOnlyChange<R extends Shape>(
  { store, config }: { readonly store: Store; readonly config: Snapshot },
  keys: readonly string[],
  { batch, planned }: NonceSpending,
  run: (rows: Rows) => Promise<AcmeAnswer<R>>,
): Omit<Decision<never>, "reply"> & { computeAnswer(): Promise<AcmeAnswer<R>> } {
  let read: Committed["rows"];
  return {
    batch: { ...batch, read: keys },
    done(committed) {
      planned();
      read = committed?.rows;
    },
    async computeAnswer() {
      const rows = read ?? (await store.get(keys));
      cacheRows(config, keys, rows);
      const { batch: own, done, ...result } = await run(rows);
      if (own) throw new TypeError("a request without a payload must not change anything");
      done?.();
      return result;
    },
  };
}

/**
 * Runs a handler with the rows of a request. A result that is based on cached rows is only used if
 * its change expects all of these rows; otherwise the handler runs again with stored rows.
 */
export async function computeFromRows<R extends Shape>(
  store: Store,
  { keys, rows = [], usesCachedRows }: VerifiedRequest,
  run: (rows: Rows) => Promise<AcmeAnswer<R>>,
): Promise<AcmeAnswer<R>> {
  if (!usesCachedRows || keys.length === 0) return run(rows);
  const answer = await run(rows).catch((error: unknown) => {
    if (error instanceof CaError) return undefined;
    throw error;
  });
  const expected = new Map(answer?.batch?.expect);
  if (answer && keys.every((key, at) => expected.get(key) === rows[at]?.rev)) return answer;
  return run(await store.get(keys));
}

/** Returns a reader that reuses rows that were already read. */
export function readingOf(store: Store, keys: readonly string[], rows: Rows): Store["get"] {
  const known = new Map(keys.map((key, at) => [key, rows[at]]));
  return async (names) =>
    names.every((key) => known.has(key)) ? names.map((key) => known.get(key)) : store.get(names);
}
