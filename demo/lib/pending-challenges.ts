import { createStore } from "./store.ts";
import { ready } from "./service-worker.ts";

/**
 * An ACME challenge that the CA in this browser cannot validate itself, because it has no network
 * access.
 */
export interface PendingChallenge {
  readonly id: string;
  readonly type: string;
  /** The name or IP address to validate. */
  readonly name: string;
  /** The location of the expected content, such as a URL. */
  readonly where: string;
  /** The expected content. */
  readonly expected: string;
}

/** A message from a page to the service worker about challenges. */
export type ChallengeMessage =
  | { readonly challenges: "which" }
  | { readonly challenges: "answer"; readonly id: string; readonly accept: boolean };

/** The challenges that are waiting for the user's decision, which is possible in any window. */
export const pendingChallenges = createStore<{ all: readonly PendingChallenge[] }>({ all: [] });

const post = (message: ChallengeMessage): void =>
  navigator.serviceWorker.controller?.postMessage(message);

/** Sends the decision about a challenge. */
export const answerChallenge = (id: string, accept: boolean): void =>
  post({ challenges: "answer", id, accept });

/** Returns the challenges in a message from the service worker, or undefined for other messages. */
function challengesIn(message: unknown): readonly PendingChallenge[] | undefined {
  if (typeof message !== "object" || message === null || !("asked" in message)) return undefined;
  // Only the service worker of this page, which is built with it, sends messages to it.
  return Array.isArray(message.asked) ? (message.asked as readonly PendingChallenge[]) : undefined;
}

// Request the challenges: a worker that was stopped has lost them, and sends them as soon as it has
// created them again.
void ready.then(() => {
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    const all = challengesIn(data);
    if (all) pendingChallenges.set({ all });
  });
  post({ challenges: "which" });
});
