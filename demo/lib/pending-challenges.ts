import { createStore } from "./store.ts";
import { ready } from "./service-worker.ts";

/** A challenge that this browser's CA cannot validate itself: it has no network. */
export interface PendingChallenge {
  readonly id: string;
  readonly type: string;
  /** The name or address to be validated. */
  readonly name: string;
  /** The location of the expected content. */
  readonly where: string;
  /** The expected content. */
  readonly expected: string;
}

/** A message of a page to the service worker about challenges. */
export type ChallengeMessage =
  | { readonly challenges: "which" }
  | { readonly challenges: "answer"; readonly id: string; readonly accept: boolean };

/** The challenges that wait for a decision of the user, in any window. */
export const pendingChallenges = createStore<{ all: readonly PendingChallenge[] }>({ all: [] });

const post = (message: ChallengeMessage): void =>
  navigator.serviceWorker.controller?.postMessage(message);

/** Sends the decision about a challenge. */
export const answerChallenge = (id: string, accept: boolean): void =>
  post({ challenges: "answer", id, accept });

/** Returns the challenges in a message of the service worker; undefined for other messages. */
function challengesIn(message: unknown): readonly PendingChallenge[] | undefined {
  if (typeof message !== "object" || message === null || !("asked" in message)) return undefined;
  // Only this folder's service worker, which is built with the page, sends messages to it.
  return Array.isArray(message.asked) ? (message.asked as readonly PendingChallenge[]) : undefined;
}

// A worker that was stopped has forgotten its challenges and sends them again; meanwhile the page
// asks for them.
void ready.then(() => {
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    const all = challengesIn(data);
    if (all) pendingChallenges.set({ all });
  });
  post({ challenges: "which" });
});
