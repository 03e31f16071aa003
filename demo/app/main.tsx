import { render } from "preact";
import { refreshRegularly } from "../api/live.ts";
import { App } from "./app.tsx";
import { loadRest } from "../lib/lazy-load.ts";
import { isLeftEmpty } from "../lib/left-empty.ts";
import { place } from "../lib/place.ts";
import { address, redirect } from "../lib/route.ts";
import { serviceWorker, hasNoCa } from "../lib/service-worker.ts";

/**
 * Whether the browser provides no WebCrypto. Browsers provide it only over https and on localhost.
 */
const insecure = !isSecureContext || !(globalThis.crypto as Partial<Crypto>).subtle;

const root = document.getElementById("root");

/**
 * Determines the first route, then renders it. Rendering earlier would briefly show another view.
 */
async function show(within: HTMLElement): Promise<void> {
  const { search } = location;
  if (/[?&](?:code|error)=/.test(search)) {
    // Remove the authorization response from the URL at once, because browsers show URLs and store
    // them in the history.
    history.replaceState(null, "", location.pathname + location.hash);
    (await import("../api/oidc-sign-in.ts")).receiveResponse(search);
  }
  const bare = (): boolean => location.hash === "" && place.get().kind === "browser";
  if (!insecure && bare() && !isLeftEmpty(place.get().mount) && (await hasNoCa()) && bare())
    redirect(address("start"));
  const Page = insecure ? (await import("./insecure-page.tsx")).Insecure : App;
  within.replaceChildren();
  render(<Page />, within);
}

if (root) void show(root);
refreshRegularly();

for (const event of ["pointerdown", "keydown", "hashchange"])
  addEventListener(event, () => (document.documentElement.dataset["used"] = ""), { once: true });

const idle: (run: () => void) => void =
  "requestIdleCallback" in globalThis
    ? (run) => requestIdleCallback(run)
    : (run) => setTimeout(run, 1000);
// Load the code of all views when a second view is opened, so that they still open if the
// connection is lost later. A running service worker has cached them already.
addEventListener(
  "hashchange",
  () => {
    if (!serviceWorker.get().ready) idle(() => void loadRest());
  },
  { once: true },
);
