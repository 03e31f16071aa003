import { asError, createStore } from "./store.ts";
import { connectOnly, place } from "./place.ts";

interface ScriptUrlPolicy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: ScriptUrlPolicy): ScriptUrlPolicy;
}

const script = "sw.js";

/**
 * The state of the service worker: whether it is running, whether a new version is waiting, and the
 * reason if it cannot be installed or cannot open the CA.
 */
export const serviceWorker = createStore<{ ready: boolean; waiting: boolean; failure: string }>({
  ready: false,
  waiting: false,
  failure: "",
});

const container = (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker;
let registration: ServiceWorkerRegistration | undefined;

/**
 * Returns the URL of the worker script. On this page, Trusted Types forbid all script URLs except
 * this constant.
 */
function scriptUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  return trustedTypes
    ? trustedTypes.createPolicy("sw", { createScriptURL: () => script }).createScriptURL(script)
    : script;
}

let begun: Promise<void> | undefined;
let resolveReady = (): void => {};
/** Resolves once requests of this page reach the service worker, whichever window installed it. */
export const ready = new Promise<void>((resolve) => (resolveReady = resolve));

/**
 * Installs the service worker on the first call. Resolves when requests of this page reach it.
 * Rejects if it cannot be installed.
 */
export function installWorker(): Promise<void> {
  if (connectOnly) return new Promise(() => {});
  if (begun) return begun;
  begun = begin();
  begun.then(
    () => {
      serviceWorker.set({ ready: true });
      resolveReady();
    },
    (error: unknown) => serviceWorker.set({ failure: asError(error).message }),
  );
  return begun;
}

/** Reports whether the browser has installed the service worker of this folder. */
const registered = async (): Promise<boolean> =>
  (await container?.getRegistration("./"))?.scope === new URL("./", location.href).href;

async function hasNoDatabase(): Promise<boolean> {
  const { isDatabaseMissing: nothingKept, whyClosed } = await import("./storage-failure.ts");
  return nothingKept(location.href).catch((reason: unknown) => {
    reportFailure(whyClosed(reason));
    return true;
  });
}

let empty: Promise<boolean> | undefined;
/** Reports whether this browser has no CA yet, without installing the worker, which is large. */
export async function hasNoCa(): Promise<boolean> {
  if (begun || !container) return false;
  try {
    if (await registered()) return false;
  } catch {
    // the reason is reported when the worker is installed
    return false;
  }
  empty ??= hasNoDatabase();
  return empty;
}

/** Connects to a worker that was installed earlier or by another window. */
async function join(): Promise<void> {
  const none =
    place.get().kind === "browser" ? await hasNoCa() : !(await registered().catch(() => false));
  if (!none) await installWorker();
}
if (!connectOnly) {
  // `serviceWorker` reports the error
  void join().catch(() => {});
  container?.addEventListener("controllerchange", () => void join().catch(() => {}));
}

async function begin(): Promise<void> {
  if (!container)
    throw new Error(
      "This window cannot store an authority because service workers are not available. This usually means that the window is private or the page was not loaded over HTTPS.",
    );
  registration = await container
    .register(scriptUrl(), { scope: "./", updateViaCache: "none" })
    .catch((reason: unknown) => {
      const text = `This window cannot store an authority. The browser reports: ${asError(reason).message}`;
      const blocked = reason instanceof DOMException && reason.name === "SecurityError";
      throw new Error(
        blocked ? `${text} The usual cause is a setting that blocks site data.` : text,
      );
    });
  watch(registration, container);
  const active = await running(registration);
  // The site may have a worker at its root, which controls the page until this folder's worker
  // claims it.
  if (container.controller?.scriptURL === active.scriptURL) return;
  await new Promise<void>((resolve) => {
    container.addEventListener("controllerchange", () => resolve(), { once: true });
    // After a hard reload, the page has no controller although a worker is running.
    active.postMessage("claim");
  });
}

/** Resolves to the worker once it runs. Rejects if it cannot cache the files of the page. */
async function running({
  active,
  installing,
  waiting,
}: ServiceWorkerRegistration): Promise<ServiceWorker> {
  const worker = active ?? waiting ?? installing;
  const failed = new Error(
    "The browser could not store the files of this page, which an authority in the browser needs to run. The usual cause is a lost connection, a full disk or a setting that blocks site data. Reload the page to try again.",
  );
  if (!worker) throw failed;
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      if (worker.state === "redundant") reject(failed);
      else if (worker.state === "activating" || worker.state === "activated") resolve(worker);
    };
    worker.addEventListener("statechange", settle);
    settle();
  });
}

/** Records the reason why the worker runs but cannot open the CA. */
export const reportFailure = (failure: string): void => serviceWorker.set({ failure });

/** Maximum time in ms that calls wait for a new version. */
const maxPauseMs = 10_000;
let otherWindows: BroadcastChannel | undefined;

/**
 * Delays further calls of this window until the new version has taken over. In Chromium, a call
 * that arrives while the old worker is being stopped would restart it, and the new one would wait
 * until the old one had been idle for half a minute.
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

function watch(registration: ServiceWorkerRegistration, container: ServiceWorkerContainer): void {
  otherWindows = new BroadcastChannel(`sealwright ${registration.scope}`);
  otherWindows.addEventListener("message", pause);
  const showWaiting = (): void =>
    serviceWorker.set({ waiting: registration.waiting !== null && container.controller !== null });
  showWaiting();
  registration.addEventListener("updatefound", () =>
    registration.installing?.addEventListener("statechange", showWaiting),
  );
}

/**
 * Activates the waiting version and reloads the page. Call this only when the user asks for it.
 * Until the reload, no window of this folder sends calls.
 */
export function update(): void {
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), {
    once: true,
  });
  pause();
  otherWindows?.postMessage("pause");
  registration?.waiting?.postMessage("take over");
}
