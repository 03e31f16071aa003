import { fetchJson } from "../cli/http-client.ts";

/**
 * Whether the Worker behind a Unix socket says that its secrets were sealed under another key. No
 * answer, or none in time, says nothing against the key.
 */
export async function isSealed(socketPath: string): Promise<boolean> {
  // null has no members, and whoever answers may be of another version
  const told = (await fetchJson(socketPath, "/v1/sys/seal-status")) as
    | { readonly sealed?: unknown }
    | null
    | undefined;
  return told?.sealed === true;
}
