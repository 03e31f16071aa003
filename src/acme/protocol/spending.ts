import { mergeBatches } from "../../engine/merge-batches.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch, Expect } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Decision } from "../../engine/store-context.ts";
import { acmeKeys, storedAcme } from "../rows/records.ts";
import type { AcmeAnswer } from "./declaration.ts";
import { expiryPlan } from "./expiry.ts";
import { cacheAccount, dropCachedRows } from "./held.ts";
import { spendNonce } from "./nonce.ts";
import type { VerifiedRequest } from "./signed.ts";

/** The change that spends the nonce of a request. */
export interface NonceSpending {
  readonly batch: Batch;
  /** Called after the commit. */
  planned(): void;
}
/**
 * Returns the change common to all verified requests: it spends the nonce, unless already spent,
 * and expects the account to be unchanged.
 */
export function spendingOf(
  ca: Mount,
  { nonce, account }: VerifiedRequest,
  isSpent: boolean,
): NonceSpending {
  const same: readonly Expect[] = account ? [[acmeKeys.account(account.id), account.rev]] : [];
  if (isSpent) return { batch: { expect: same, put: [] }, planned: () => undefined };
  const { put, done } = expiryPlan(ca);
  return {
    batch: mergeBatches(spendNonce(nonce.text, nonce.made), { expect: same, put }),
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
  // an account that the request itself changes is cached in its new state
  const rereads = key !== undefined && own?.put?.some(([changed]) => changed === key) === true;
  return {
    batch: rereads ? { ...batch, read: [key] } : batch,
    done(committed) {
      spending.planned();
      dropCachedRows(config, own?.put?.map(([changed]) => changed) ?? []);
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
