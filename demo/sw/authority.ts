import { createCa, type Ca, type Identity } from "../../src/index.ts";
import { indexedDbKey, indexedDbStore } from "../../src/store/indexeddb.ts";
import { varsApi } from "../../src/vars/index.ts";
import { challengesOf } from "./challenges.ts";

// The script runs as a service worker, which the DOM types do not describe.
const scope = self as unknown as ServiceWorkerGlobalScope;

/** ACME challenges, which the user decides in a page of this folder. */
export const challenges = challengesOf(Date.now, (pending) => {
  void scope.clients.matchAll({ includeUncontrolled: true }).then((pages) => {
    for (const page of pages)
      if (page.url.startsWith(scope.registration.scope)) page.postMessage({ asked: pending });
  });
});

/** This browser's CA. */
export interface Local {
  readonly ca: Ca;
  /** A token for the worker's own use, valid until the worker stops. */
  readonly token: string;
  /** The worker's identity in APIs that have their own tokens. */
  readonly owner: Identity;
  /** Runs due jobs, if any. */
  readonly tick: () => Promise<void>;
}

let local: Promise<Local> | undefined;

/**
 * Opens the CA of a folder, once until the worker stops; after a failure the next request tries
 * again.
 */
export function authority(folder: string): Promise<Local> {
  local ??= open(folder).catch((error: unknown) => {
    local = undefined;
    throw error;
  });
  return local;
}

async function open(folder: string): Promise<Local> {
  const token = crypto.randomUUID();
  const owner: Identity = { id: "this browser", policies: ["root"], can: () => true };
  // Zero at first, so that the first request looks for jobs left due by an earlier worker.
  let due = 0;
  const ca = createCa({
    stores: indexedDbStore(`sealwright ${new URL(folder).pathname}`),
    sealingKey: await indexedDbKey(folder),
    apis: [varsApi],
    challenger: challenges.challenger,
    authenticate: async (presented) => (presented === token ? owner : undefined),
    wake: (at) => {
      due = Math.min(due, at);
    },
  });
  const tick = async (): Promise<void> => {
    if (Date.now() < due) return;
    due = Number.POSITIVE_INFINITY;
    // after a failure it must run again
    let next = Date.now() + 30_000;
    try {
      next = (await ca.tick()) ?? Number.POSITIVE_INFINITY;
    } finally {
      due = Math.min(due, next);
    }
  };
  return { ca, token, owner, tick };
}
