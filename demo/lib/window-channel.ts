import { place } from "./place.ts";

/**
 * Opens the channel to the other windows of this console. Undefined if site data is blocked.
 */
function openChannel(): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel("sealwright");
  } catch {
    return undefined;
  }
}

const channel = openChannel();

/** Notifies the other windows of this browser of a change on the server in use. */
export const notifyWindows = (): void => channel?.postMessage(place.get().base);

/** Calls a listener after changes that other windows of this browser made on the same server. */
export function onOtherWindow(listener: () => void): void {
  if (!channel) return;
  channel.onmessage = ({ data }) => {
    if (data === place.get().base) listener();
  };
}
