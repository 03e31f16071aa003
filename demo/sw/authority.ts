import { createCa, type Ca, type Identity } from "../../src/index.ts";
import { indexedDbKey, indexedDbStore } from "../../src/store/indexeddb.ts";
import { varsApi } from "../../src/vars/index.ts";
import { challengesOf } from "./challenges.ts";

// The DOM types do not describe the global scope of a service worker.
const scope = self as unknown as ServiceWorkerGlobalScope;

/** The ACME challenges that the user must accept or reject on a page in this worker's scope. */
export const challenges = challengesOf(Date.now, (pending) => {
  void scope.clients.matchAll({ includeUncontrolled: true }).then((pages) => {
    for (const page of pages)
      if (page.url.startsWith(scope.registration.scope)) page.postMessage({ asked: pending });
  });
});

/** The CA in this browser. */
export interface Local {
  readonly ca: Ca;
  /** A token that only the worker uses, valid until the worker stops. */
  readonly token: string;
  /** The worker's identity for APIs that have their own tokens. */
  readonly owner: Identity;
  /** Runs the due jobs, if there are any. */
  readonly tick: () => Promise<void>;
}

let local: Promise<Local> | undefined;

/** Opens the CA of a folder once, or again after a failure. */
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
  // Initially zero, so that the first request runs jobs that an earlier worker left unfinished.
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
    // try again in 30 seconds if this fails
    let next = Date.now() + 30_000;
    try {
      next = (await ca.tick()) ?? Number.POSITIVE_INFINITY;
    } finally {
      due = Math.min(due, next);
    }
  };
  return { ca, token, owner, tick };
}
