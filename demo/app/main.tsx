import { render } from "preact";
import { App } from "./app.tsx";
import { loadRest } from "../lib/lazy-load.ts";
import { place } from "../lib/place.ts";
import { address, redirect } from "../lib/route.ts";
import { serviceWorker, untouched } from "../lib/service-worker.ts";

/**
 * Whether the browser gives this page no cryptography: it does so only over https and on the
 * machine itself.
 */
const insecure = !isSecureContext || !(globalThis.crypto as Partial<Crypto>).subtle;

const root = document.getElementById("root");

/** Begins with what will be shown: elsewhere another view would stand there for a moment. */
async function show(within: HTMLElement): Promise<void> {
  const bare = (): boolean => location.hash === "" && place.get().kind === "browser";
  if (!insecure && bare() && (await untouched()) && bare()) redirect(address("start"));
  const Page = insecure ? (await import("./insecure-page.tsx")).Insecure : App;
  within.replaceChildren();
  render(<Page />, within);
}

if (root) void show(root);

for (const event of ["pointerdown", "keydown", "hashchange"])
  addEventListener(event, () => (document.documentElement.dataset["used"] = ""), { once: true });

const idle: (run: () => void) => void =
  "requestIdleCallback" in globalThis
    ? (run) => requestIdleCallback(run)
    : (run) => setTimeout(run, 1000);
// Loads every view once a second one is opened, so that losing the connection later costs none of
// them. The service worker caches them anyway.
addEventListener(
  "hashchange",
  () => {
    if (!serviceWorker.get().ready) idle(() => void loadRest());
  },
  { once: true },
);
