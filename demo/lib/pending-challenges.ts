import { createStore } from "./store.ts";
import { ready } from "./service-worker.ts";

/** A challenge that this browser's CA cannot validate itself: it has no network. */
export interface PendingChallenge {
  readonly id: string;
  readonly type: string;
  /** The name or address that is to be proven. */
  readonly name: string;
  /** Where it would look. */
  readonly where: string;
  /** The expected content. */
  readonly expected: string;
}

/** A message of a page to the service worker about challenges. */
export type ChallengeMessage =
  | { readonly challenges: "which" }
  | { readonly challenges: "answer"; readonly id: string; readonly accept: boolean };

/** The challenges that wait for an answer of somebody, in any window. */
export const pendingChallenges = createStore<{ all: readonly PendingChallenge[] }>({ all: [] });

const say = (message: ChallengeMessage): void =>
  navigator.serviceWorker.controller?.postMessage(message);

/** Says whether a challenge counts as met. */
export const answerChallenge = (id: string, accept: boolean): void =>
  say({ challenges: "answer", id, accept });

/** The service worker's list in a message of it, if that is one. */
function challengesIn(message: unknown): readonly PendingChallenge[] | undefined {
  if (typeof message !== "object" || message === null || !("asked" in message)) return undefined;
  // Only the service worker of this folder speaks to this page, and it is built with it.
  return Array.isArray(message.asked) ? (message.asked as readonly PendingChallenge[]) : undefined;
}

// A worker that was ended forgets what it asked, and asks again; so does whoever looks meanwhile.
void ready.then(() => {
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    const all = challengesIn(data);
    if (all) pendingChallenges.set({ all });
  });
  say({ challenges: "which" });
});
