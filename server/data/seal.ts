import { fetchJson } from "../cli/http-client.ts";

/**
 * Reports whether the server behind a Unix socket says that its secrets were sealed with another
 * key. No reply in time counts as no.
 */
export async function isSealed(socketPath: string): Promise<boolean> {
  // the reply may be null, or of another version
  const reply = (await fetchJson(socketPath, "/v1/sys/seal-status")) as
    | { readonly sealed?: unknown }
    | null
    | undefined;
  return reply?.sealed === true;
}
