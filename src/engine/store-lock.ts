import { toHex } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { pause } from "../base/event-loop.ts";
import type { Batch, Ports, Row, Store } from "./ports.ts";
import { storedSys, sysKeys } from "./sys-records.ts";

/** Time between two renewals of a lock while its owner works, in ms. */
const renewMs = 5000;
/** Time without a renewal after which a waiting caller takes over a lock, in ms. */
const leaseMs = 30_000;
/** Maximum time between two attempts to acquire a lock, in ms. */
const attemptMs = 200;
/** Time after which a caller stops waiting for a lock that others hold, in ms. */
const maxWaitMs = 300_000;

/** The `sys` store, whose rows serve as locks. */
interface LockStore {
  readonly ports: Pick<Ports, "random">;
  readonly store: Pick<Store, "get">;
  commit(batch: Batch): Promise<unknown>;
}

/**
 * Runs `work` while holding a lock. The lock is a row of the `sys` store, and excludes other
 * processes, tabs and isolates that lock the same name. The owner renews the row while it works. A
 * waiting caller that sees no renewal for 30 seconds, by its own timer, takes over the lock; clocks
 * are never compared. Rejects with CaError `busy` if others hold the lock for five minutes.
 */
export async function withStoreLock<T>(
  { sys }: { readonly sys: LockStore },
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const owner = toHex(sys.ports.random(16));
  const key = sysKeys.lock(name);
  await lock(sys, name, owner);
  const stopRenewing = renewRegularly(sys, key, owner);
  try {
    return await work();
  } finally {
    await stopRenewing();
    // an error here is ignored, because it must not replace the result, and the lock expires by
    // itself
    await unlock(sys, key, owner).catch(() => undefined);
  }
}

async function lock(sys: LockStore, name: string, owner: string): Promise<void> {
  const key = sysKeys.lock(name);
  let seen: string | undefined;
  let unchangedMs = 0;
  for (let waitedMs = 0; waitedMs < maxWaitMs;) {
    const [row] = await sys.store.get([key]);
    const state = row && JSON.stringify(storedSys.lock(row.value));
    if (state !== seen) [seen, unchangedMs] = [state, 0];
    const isFree = !row || unchangedMs >= leaseMs;
    if (isFree && (await put(sys, key, row, { owner, renewals: 0 }))) return;
    // the delay is random, so that waiting callers do not collide repeatedly
    const [chance = 0] = sys.ports.random(1);
    const delay = (attemptMs * (chance + 1)) / 256;
    await pause(delay);
    waitedMs += delay;
    unchangedMs += delay;
  }
  throw new CaError("busy", `another process holds the lock "${name}"; try again`);
}

/**
 * Renews a lock until the returned function is called. Its promise resolves when no renewal is
 * pending.
 */
function renewRegularly(sys: LockStore, key: string, owner: string): () => Promise<void> {
  let renewal: Promise<void> | undefined;
  const timer = setInterval(() => {
    renewal ??= renew(sys, key, owner)
      // the next renewal may succeed; if the store fails for longer, the work fails too
      .catch(() => undefined)
      .finally(() => (renewal = undefined));
  }, renewMs);
  return async () => {
    clearInterval(timer);
    await renewal;
  };
}

async function renew(sys: LockStore, key: string, owner: string): Promise<void> {
  const [row] = await sys.store.get([key]);
  const value = row && storedSys.lock(row.value);
  if (value?.owner === owner) await put(sys, key, row, { owner, renewals: value.renewals + 1 });
}

const put = (
  sys: LockStore,
  key: string,
  row: Row | undefined,
  value: { readonly owner: string; readonly renewals: number },
): Promise<unknown> => sys.commit({ expect: [[key, row?.rev ?? null]], put: [[key, value]] });

async function unlock(sys: LockStore, key: string, owner: string): Promise<void> {
  const [row] = await sys.store.get([key]);
  if (row && storedSys.lock(row.value).owner === owner)
    await sys.commit({ expect: [[key, row.rev]], del: [key] });
}
