import { createStore } from "./store.ts";
import { ready } from "./service-worker.ts";

/** What the authority of this browser would ask to see a challenge met, had it a network. */
export interface Asked {
  readonly id: string;
  readonly type: string;
  /** The name or address that is to be proven. */
  readonly name: string;
  /** Where it would look. */
  readonly where: string;
  /** What it expects there. */
  readonly expected: string;
}

/** What a page tells the service worker of challenges. */
export type AskedMessage =
  | { readonly challenges: "which" }
  | { readonly challenges: "answer"; readonly id: string; readonly accept: boolean };

/** The challenges that wait for an answer of somebody, in any window. */
export const asked = createStore<{ all: readonly Asked[] }>({ all: [] });

const say = (message: AskedMessage): void =>
  navigator.serviceWorker.controller?.postMessage(message);

/** Says whether a challenge counts as met. */
export const answerAsked = (id: string, accept: boolean): void =>
  say({ challenges: "answer", id, accept });

/** The service worker's list in a message of it, if that is one. */
export function listIn(message: unknown): readonly Asked[] | undefined {
  if (typeof message !== "object" || message === null || !("asked" in message)) return undefined;
  // Only the service worker of this folder speaks to this page, and it is built with it.
  return Array.isArray(message.asked) ? (message.asked as readonly Asked[]) : undefined;
}

// A worker that was ended forgets what it asked, and asks again; so does whoever looks meanwhile.
void ready.then(() => {
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    const all = listIn(data);
    if (all) asked.set({ all });
  });
  say({ challenges: "which" });
});
