import { toHex } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { pause } from "../base/event-loop.ts";
import { storedSys, sysKeys } from "./sys-records.ts";
import type { StoreContext } from "./store-context.ts";

/** Milliseconds after which a lock whose owner has crashed may be taken over. */
const lockMs = 30_000;
/** Milliseconds between two attempts, at most. */
const attemptMs = 200;
/** Attempts until a caller gives up: twice the lifetime of a lock. */
const maxAttempts = (4 * lockMs) / attemptMs;

/**
 * Runs work while a row of the store `sys` locks out other processes, tabs and isolates that lock
 * the same name. Work that takes longer than 30 seconds may run beside that of the next owner.
 * Rejects with CaError `busy` if it cannot get the lock.
 */
export async function withStoreLock<T>(
  { sys }: Pick<StoreContext, "sys">,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const owner = toHex(sys.ports.random(16));
  await lock(sys, name, owner);
  try {
    return await work();
  } finally {
    await unlock(sys, name, owner);
  }
}

async function lock(sys: StoreContext, name: string, owner: string): Promise<void> {
  const key = sysKeys.lock(name);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const [row] = await sys.store.get([key]);
    const now = sys.ports.now();
    const isFree = !row || storedSys.lock(row.value).until <= now;
    const value = { owner, until: now + lockMs };
    const batch = { expect: [[key, row?.rev ?? null]], put: [[key, value]] } as const;
    if (isFree && (await sys.commit(batch))) return;
    // at different times, so that those who wait do not meet again and again
    const [chance = 0] = sys.ports.random(1);
    await pause((attemptMs * (chance + 1)) / 256);
  }
  throw new CaError("busy", `another process has the lock "${name}"; try again`);
}

async function unlock(sys: StoreContext, name: string, owner: string): Promise<void> {
  const key = sysKeys.lock(name);
  const [row] = await sys.store.get([key]);
  if (row && storedSys.lock(row.value).owner === owner)
    await sys.commit({ expect: [[key, row.rev]], del: [key] });
}
