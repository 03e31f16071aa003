import { asError, createStore } from "./store.ts";
import { connectOnly } from "./place.ts";

interface ScriptUrlPolicy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: ScriptUrlPolicy): ScriptUrlPolicy;
}

const script = "sw.js";

/** Whether the service worker answers, whether a new one waits, and why there is none. */
export const serviceWorker = createStore<{ ready: boolean; waiting: boolean; failure: string }>({
  ready: false,
  waiting: false,
  failure: "",
});

let registration: ServiceWorkerRegistration | undefined;

/** Strings may not become scripts here; the one exception is this constant. */
function scriptUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  return trustedTypes
    ? trustedTypes.createPolicy("sw", { createScriptURL: () => script }).createScriptURL(script)
    : script;
}

/** Resolves when this page's requests reach the service worker; rejects when there can be none. */
export const answering: Promise<void> = connectOnly ? new Promise(() => {}) : begin();
answering.then(
  () => serviceWorker.set({ ready: true }),
  (error: unknown) => serviceWorker.set({ failure: asError(error).message }),
);

async function begin(): Promise<void> {
  const container = (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker;
  if (!container)
    throw new Error(
      "This window cannot keep an authority: it has no service workers. A private window or an address without https is the usual reason.",
    );
  registration = await container
    .register(scriptUrl(), { scope: "./", updateViaCache: "none" })
    .catch((reason: unknown) => {
      const said = `This window cannot keep an authority. The browser says: ${asError(reason).message}`;
      const blocked = reason instanceof DOMException && reason.name === "SecurityError";
      throw new Error(
        blocked ? `${said} A setting that blocks site data is the usual reason.` : said,
      );
    });
  watch(registration, container);
  const active = await running(registration);
  // A site can have a worker at its root, which has the page until the one of this folder takes it.
  if (container.controller?.scriptURL === active.scriptURL) return;
  await new Promise<void>((resolve) => {
    container.addEventListener("controllerchange", () => resolve(), { once: true });
    // After a hard reload the page has no controller although a worker runs.
    active.postMessage("claim");
  });
}

/** The worker that runs, as soon as one does; the first one can fail to keep the page's files. */
async function running({
  active,
  installing,
  waiting,
}: ServiceWorkerRegistration): Promise<ServiceWorker> {
  const worker = active ?? waiting ?? installing;
  const failed = new Error(
    "The browser could not keep the files of this page, without which it has no authority here. A lost connection, a full disk or a setting that blocks site data is the usual reason. Load the page again to try once more.",
  );
  if (!worker) throw failed;
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (worker.state === "redundant") reject(failed);
      else if (worker.state === "activating" || worker.state === "activated") resolve(worker);
    };
    worker.addEventListener("statechange", look);
    look();
  });
}

/** Tells that the worker runs and can do nothing, and why. */
export const cannot = (failure: string): void => serviceWorker.set({ failure });

function watch(found: ServiceWorkerRegistration, container: ServiceWorkerContainer): void {
  const look = (): void =>
    serviceWorker.set({ waiting: found.waiting !== null && container.controller !== null });
  look();
  found.addEventListener("updatefound", () =>
    found.installing?.addEventListener("statechange", look),
  );
}

/** Lets the waiting version take over and loads the page again; only ever from a press. */
export function update(): void {
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), {
    once: true,
  });
  registration?.waiting?.postMessage("take over");
}
