import { createStore } from "./store.ts";
import { connectOnly } from "./place.ts";

interface ScriptUrlPolicy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: ScriptUrlPolicy): ScriptUrlPolicy;
}

const script = "sw.js";

/** Whether the service worker answers, whether a new one waits, and why there is none. */
export const serviceWorker = createStore<{ ready: boolean; waiting: boolean; failure: string }>({ ready: false, waiting: false, failure: "" });

let registration: ServiceWorkerRegistration | undefined;

/** Strings may not become scripts here; the one exception is this constant. */
function scriptUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  return trustedTypes ? trustedTypes.createPolicy("sw", { createScriptURL: () => script }).createScriptURL(script) : script;
}

/** Resolves when this page's requests reach the service worker; rejects when there can be none. */
export const answering: Promise<void> = connectOnly ? new Promise(() => {}) : begin();
answering.then(
  () => serviceWorker.set({ ready: true }),
  (error: unknown) => serviceWorker.set({ failure: error instanceof Error ? error.message : String(error) }),
);

async function begin(): Promise<void> {
  const container = (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker;
  if (!container)
    throw new Error("This window cannot keep an authority: it has no service workers. A private window or an address without https is the usual reason.");
  registration = await container.register(scriptUrl(), { scope: "./", updateViaCache: "none" });
  watch(registration, container);
  await container.ready;
  if (container.controller) return;
  await new Promise<void>((resolve) => {
    container.addEventListener("controllerchange", () => resolve(), { once: true });
    // After a hard reload the page has no controller although a worker runs.
    registration?.active?.postMessage("claim");
  });
}

function watch(found: ServiceWorkerRegistration, container: ServiceWorkerContainer): void {
  const look = (): void => serviceWorker.set({ waiting: found.waiting !== null && container.controller !== null });
  look();
  found.addEventListener("updatefound", () => found.installing?.addEventListener("statechange", look));
}

/** Lets the waiting version take over and loads the page again; only ever from a press. */
export function update(): void {
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
  registration?.waiting?.postMessage("take over");
}
