import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Expect, Row } from "../../engine/ports.ts";
import { acmeAccount, acmeKey } from "../rows/prefixes.ts";
import { acmeKeys, type AccountRow, storedAcme } from "../rows/records.ts";

// In a partitioned mount, an account may be in another partition than the row of its key, its
// binding and its entry in the list of unused accounts, which are in the mount's own store. These
// rows are changed in an order that keeps the following true (docs/partitions.md#acme-accounts):
//
// - The row of a key is stored before an account gets the key, and deleted after the account has
//   lost it. The row counts only if its account exists and has this key.
// - An account is deleted before the row of its key.

/** Delay in ms of the jobs that finish interrupted changes. */
const settlingDelay = 60_000;
/** Returns the row of the job that settles an account. */
export const accountJobRow = (id: string, now: number): ReturnType<typeof jobRow> =>
  jobRow({ due: now + settlingDelay, now }, acmeAccount, id);
/** Returns the row of the job that settles the key with a thumbprint. */
export const keyJobRow = (thumbprint: string, now: number): ReturnType<typeof jobRow> =>
  jobRow({ due: now + settlingDelay, now }, acmeKey, thumbprint);

/** Finishes the registration or the removal of an account, if one was interrupted. */
async function settleAccount({ self: mount }: Mount, id: string): Promise<void> {
  const { store, storeContext } = mount;
  const intent = acmeKeys.registration(id);
  // the registration expects this row, so from now on it is either registered or never will be
  await storeContext.change(async () => {
    const [row] = await store.get([intent]);
    if (!row) return { reply: undefined };
    return { reply: undefined, batch: { expect: [[intent, row.rev]], del: [intent] } };
  });
  const removed = await storeContext.change<string | undefined>(async () => {
    const key = acmeKeys.account(id);
    const [row] = await store.get([key]);
    if (!row) return { reply: undefined };
    const { registering, ...account } = storedAcme.account(row.value);
    const { thumbprint, unused } = account;
    const expect: readonly Expect[] = [[key, row.rev]];
    const [thumb, listed] = await store.get([
      acmeKeys.thumb(thumbprint),
      acmeKeys.unused(id, account),
    ]);
    const isRegistered = storedAcme.thumb(thumb?.value).account === id;
    // an account is marked as used before its entry in the list of unused accounts is deleted
    const isRemoved = (registering && !isRegistered) || (unused && !listed);
    if (isRemoved) return { reply: thumbprint, batch: { expect, del: [key] } };
    return {
      reply: undefined,
      ...(registering ? { batch: { expect, put: [[key, account]] } } : {}),
    };
  });
  if (removed !== undefined) await settleKey(mount, removed);
}

/** Deletes the row of a key if its account does not exist or has another key. */
function settleKey({ self: mount }: Mount, thumbprint: string): Promise<void> {
  const { store, storeContext } = mount;
  return storeContext.change(async () => {
    const key = acmeKeys.thumb(thumbprint);
    const [thumb] = await store.get([key]);
    if (!thumb) return { reply: undefined };
    const own = acmeKeys.account(storedAcme.thumb(thumb.value).account);
    const [row] = await store.get([own]);
    if (row && storedAcme.account(row.value).thumbprint === thumbprint) return { reply: undefined };
    // a key change in progress expects the revision of the account, so it fails from now on
    const expect: readonly Expect[] = row ? [[own, row.rev]] : [];
    if (row && !(await storeContext.commit({ expect, put: [[own, row.value]] }))) return "again";
    return { reply: undefined, batch: { expect: [[key, thumb.rev]], del: [key] } };
  });
}

/**
 * Deletes the row of a key as `settleKey` does, and then cancels the jobs for the same work. If
 * this fails, the jobs do the work.
 */
export async function releaseKey(
  mount: Mount,
  thumbprint: string,
  jobs: readonly string[],
): Promise<void> {
  await settleKey(mount, thumbprint).then(
    () => cancelJobs(mount, jobs),
    () => undefined,
  );
}

/**
 * Deletes the rows of jobs whose work was done at once. A row that remains is harmless: its job
 * finds nothing to do.
 */
async function cancelJobs({ self: mount }: Mount, jobs: readonly string[]): Promise<void> {
  await mount.storeContext.commit({ del: jobs }).catch(() => undefined);
}
/** An account to settle, and the row key of the job that settles it after a crash. */
export interface UnsettledAccount {
  readonly id: string;
  readonly job: string;
}
/** Settles an account at once, and then cancels its job. */
export async function settleNow(mount: Mount, { id, job }: UnsettledAccount): Promise<void> {
  await settleAccount(mount, id);
  await cancelJobs(mount, [job]);
}
/** Removes an account to make room for another. If this fails, the job removes it. */
export const removeNow = (mount: Mount, account: UnsettledAccount): Promise<void> =>
  settleNow(mount, account).catch(() => undefined);

/** The row of an account key, and the account that owns the key. */
export interface KeyOwner {
  /** Revision of the row, or null if there is none. Changes require this revision. */
  readonly rev: number | null;
  /** The account with this key, if there is one. */
  readonly account?: { readonly id: string; readonly rev: number; readonly row: AccountRow };
}
/**
 * Returns the owner of the key with a thumbprint. Settles interrupted changes of the account and of
 * the key. `known` is the row of the key, if it was already read.
 */
export async function ownerOfKey(
  mount: Mount,
  thumbprint: string,
  known?: readonly (Row | undefined)[],
): Promise<KeyOwner> {
  const [thumb] = known ?? (await mount.store.get([acmeKeys.thumb(thumbprint)]));
  if (!thumb) return { rev: null };
  const id = storedAcme.thumb(thumb.value).account;
  const [stored] = await mount.store.get([acmeKeys.account(id)]);
  // the key of a deleted account may be reused
  if (!stored) return { rev: thumb.rev };
  const row = storedAcme.account(stored.value);
  if (!row.registering && row.thumbprint === thumbprint)
    return { rev: thumb.rev, account: { id, rev: stored.rev, row } };
  await (row.registering ? settleAccount(mount, id) : settleKey(mount, thumbprint));
  return ownerOfKey(mount, thumbprint);
}

/** The job that finishes interrupted registrations and removals of accounts. */
export const accountJob: Job = {
  kind: acmeAccount,
  of: "mount",
  budget: 1,
  step: async (mount, id) => {
    await settleAccount(mount, id);
    return undefined;
  },
};
/** The job that finishes interrupted changes of keys. */
export const keyJob: Job = {
  kind: acmeKey,
  of: "mount",
  budget: 1,
  step: async (mount, thumbprint) => {
    await settleKey(mount, thumbprint);
    return undefined;
  },
};
