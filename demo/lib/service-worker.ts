import { asError, createStore } from "./store.ts";
import { connectOnly, place } from "./place.ts";

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

const container = (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker;
let registration: ServiceWorkerRegistration | undefined;

/** Strings may not become scripts here; the one exception is this constant. */
function scriptUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  return trustedTypes
    ? trustedTypes.createPolicy("sw", { createScriptURL: () => script }).createScriptURL(script)
    : script;
}

let begun: Promise<void> | undefined;
let toldReady = (): void => {};
/** Resolves once requests of this page reach the service worker, whoever asked for it first. */
export const ready = new Promise<void>((resolve) => (toldReady = resolve));

/**
 * Resolves when this page's requests reach the service worker, which the first call installs;
 * rejects when there can be none.
 */
export function installWorker(): Promise<void> {
  if (connectOnly) return new Promise(() => {});
  if (begun) return begun;
  begun = begin();
  begun.then(
    () => {
      serviceWorker.set({ ready: true });
      toldReady();
    },
    (error: unknown) => serviceWorker.set({ failure: asError(error).message }),
  );
  return begun;
}

/** Reports whether the browser has this folder's service worker. */
const registered = async (): Promise<boolean> =>
  (await container?.getRegistration("./"))?.scope === new URL("./", location.href).href;

async function look(): Promise<boolean> {
  const { nothingKept, whyClosed } = await import("./storage-failure.ts");
  return nothingKept(location.href).catch((reason: unknown) => {
    reportFailure(whyClosed(reason));
    return true;
  });
}

let empty: Promise<boolean> | undefined;
/**
 * Reports whether nothing was begun in this browser: then there is no authority, and the worker,
 * which is large, need not be installed to say so. Tells at once where the browser keeps nothing.
 */
export async function untouched(): Promise<boolean> {
  if (begun || !container) return false;
  try {
    if (await registered()) return false;
  } catch {
    // Why there can be none is told where it is asked for.
    return false;
  }
  empty ??= look();
  return empty;
}

/** Joins the worker that was installed before, or by another window. */
async function join(): Promise<void> {
  const none =
    place.get().kind === "browser" ? await untouched() : !(await registered().catch(() => false));
  if (!none) await installWorker();
}
if (!connectOnly) {
  // The store has the failure.
  void join().catch(() => {});
  container?.addEventListener("controllerchange", () => void join().catch(() => {}));
}

async function begin(): Promise<void> {
  if (!container)
    throw new Error(
      "This window cannot store an authority because it has no service workers. The usual cause is a private window or an address without https.",
    );
  registration = await container
    .register(scriptUrl(), { scope: "./", updateViaCache: "none" })
    .catch((reason: unknown) => {
      const said = `This window cannot store an authority. The browser reports: ${asError(reason).message}`;
      const blocked = reason instanceof DOMException && reason.name === "SecurityError";
      throw new Error(
        blocked ? `${said} The usual cause is a setting that blocks site data.` : said,
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
    "The browser could not store the files of this page, which an authority here needs. The usual cause is a lost connection, a full disk or a setting that blocks site data. Reload the page to try again.",
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
export const reportFailure = (failure: string): void => serviceWorker.set({ failure });

/** The longest time for which calls wait for a new version, milliseconds. */
const maxPauseMs = 10_000;
let otherWindows: BroadcastChannel | undefined;

/**
 * Lets further calls of this window wait until the new version has taken over. A call that comes
 * while Chromium stops the old worker starts it again, and the new one then waits until the old one
 * has had nothing to do for half a minute.
 */
function pause(): void {
  const before = begun;
  if (!container || !before) return;
  const changed = new Promise<void>((resolve) => {
    container.addEventListener("controllerchange", () => resolve(), { once: true });
    setTimeout(resolve, maxPauseMs);
  });
  begun = changed.then(() => before);
}

function watch(found: ServiceWorkerRegistration, container: ServiceWorkerContainer): void {
  otherWindows = new BroadcastChannel(`sealwright ${found.scope}`);
  otherWindows.addEventListener("message", pause);
  const look = (): void =>
    serviceWorker.set({ waiting: found.waiting !== null && container.controller !== null });
  look();
  found.addEventListener("updatefound", () =>
    found.installing?.addEventListener("statechange", look),
  );
}

/**
 * Lets the waiting version take over and loads the page again; only ever from a press. Meanwhile no
 * window of this folder sends calls.
 */
export function update(): void {
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), {
    once: true,
  });
  pause();
  otherWindows?.postMessage("pause");
  registration?.waiting?.postMessage("take over");
}
