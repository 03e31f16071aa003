import { requestOf } from "./endpoint.ts";
import { health } from "./endpoints/sys.ts";
import { connectionLoss, refusedToken, send } from "./transport.ts";
import { place, signedOut } from "../lib/place.ts";
import { createRecovery, createRefresher, type WindowPort } from "../lib/recovery.ts";
import { changes, countRefresh } from "../lib/changes.ts";
import { reconnected } from "../lib/use-load.ts";
import { onOtherWindow } from "../lib/window-channel.ts";

const thisWindow: WindowPort = {
  now: () => Date.now(),
  isVisible: () => !document.hidden,
  wait(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Interval in ms between checks for a due refresh. */
const tickPause = 10_000;

/**
 * Reports whether requests may be sent without user action. For a server, this requires a valid
 * token.
 */
function canQuery(): boolean {
  const where = place.get();
  const isRefused = where.token !== "" && refusedToken.get().token === where.token;
  return !signedOut(where) && !isRefused && connectionLoss.get().since === undefined;
}

/** Resolves to true if the server responds, even with an error. Rejects otherwise. */
async function probe(): Promise<boolean> {
  const { verb, path } = requestOf(health);
  const response = await send(verb, path);
  await response.body?.cancel();
  return true;
}

/**
 * Keeps the shown data current: reconnects to a server that did not respond, refreshes the views of
 * a visible window, and follows changes made in other windows of this browser.
 */
export function refreshRegularly(): void {
  const recovery = createRecovery(thisWindow, probe);
  const refresher = createRefresher(thisWindow, () => {
    if (canQuery()) countRefresh();
  });
  let isLost = false;
  connectionLoss.subscribe(() => {
    const wasLost = isLost;
    isLost = connectionLoss.get().since !== undefined;
    if (isLost) return recovery.begin();
    if (!wasLost) return;
    recovery.end();
    dispatchEvent(new Event(reconnected));
    countRefresh();
  });
  changes.subscribe(() => refresher.note());
  onOtherWindow(() => refresher.receive());
  const refresh = (): void => {
    if (!thisWindow.isVisible()) return;
    recovery.hurry();
    // the CA in this browser changes only through its windows, which notify each other
    if (place.get().kind === "worker") refresher.probe();
  };
  for (const event of ["focus", "online"]) addEventListener(event, refresh);
  document.addEventListener("visibilitychange", refresh);
  setInterval(() => {
    if (place.get().kind === "worker") refresher.tick();
  }, tickPause);
}
