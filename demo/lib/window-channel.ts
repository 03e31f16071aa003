import { place } from "./place.ts";

/**
 * Opens the channel to the other windows of this console. Returns undefined if the browser blocks
 * site data.
 */
function openChannel(): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel("sealwright");
  } catch {
    return undefined;
  }
}

const channel = openChannel();

/** Notifies the other windows in this browser of a change on the current server. */
export const notifyWindows = (): void => channel?.postMessage(place.get().base);

/**
 * Calls a listener whenever another window in this browser has made a change on the same server.
 */
export function onOtherWindow(listener: () => void): void {
  if (!channel) return;
  channel.onmessage = ({ data }) => {
    if (data === place.get().base) listener();
  };
}
