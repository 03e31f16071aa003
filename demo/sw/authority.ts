import { createCa, type Ca, type Identity } from "../../src/index.ts";
import { indexedDbKey, indexedDbStore } from "../../src/store/indexeddb.ts";
import { varsApi } from "../../src/vars/index.ts";
import { challengesOf } from "./challenges.ts";

// The script runs as a service worker, which the shared library of types cannot know.
const scope = self as unknown as ServiceWorkerGlobalScope;

/** Challenges of ACME, which the pages of this folder judge. */
export const challenges = challengesOf(Date.now, (asked) => {
  void scope.clients.matchAll({ includeUncontrolled: true }).then((pages) => {
    for (const page of pages)
      if (page.url.startsWith(scope.registration.scope)) page.postMessage({ asked });
  });
});

/** The authority of this browser. */
export interface Local {
  readonly ca: Ca;
  /** By this token the worker alone speaks to the authority; it lives as long as the worker. */
  readonly token: string;
  /** The worker's identity in APIs with tokens of their own. */
  readonly owner: Identity;
  /** Runs what is due, if anything is. */
  readonly tick: () => Promise<void>;
}

let local: Promise<Local> | undefined;

/**
 * Opens the authority of a folder, once for the life of the worker; a failure is tried again with
 * the next request.
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
  // Unknown at first: what an earlier worker left due is looked for with the first request.
  let due = 0;
  const ca = createCa({
    stores: indexedDbStore(`sealwright ${new URL(folder).pathname}`),
    sealingKey: await indexedDbKey(folder),
    apis: [varsApi],
    challenger: challenges.challenger,
    authenticate: async (given) => (given === token ? owner : undefined),
    wake: (at) => {
      due = Math.min(due, at);
    },
  });
  const tick = async (): Promise<void> => {
    if (Date.now() < due) return;
    due = Number.POSITIVE_INFINITY;
    // a failure must not be the last time
    let next = Date.now() + 30_000;
    try {
      next = (await ca.tick()) ?? Number.POSITIVE_INFINITY;
    } finally {
      due = Math.min(due, next);
    }
  };
  return { ca, token, owner, tick };
}
