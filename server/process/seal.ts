import { fetchJson } from "../client/http-client.ts";

/**
 * Reports whether the server at a Unix socket states that its secrets were sealed with another key.
 * Resolves with false if the server does not respond in time.
 */
export async function isSealed(socketPath: string): Promise<boolean> {
  // another version of the server may send null or other members
  const reply = (await fetchJson(socketPath, "/v1/sys/seal-status")) as
    | { readonly sealed?: unknown }
    | null
    | undefined;
  return reply?.sealed === true;
}
