import type { TlsFiles } from "../cli/tls-settings.ts";
import { fileStates, readPair } from "../data/tls-files.ts";
import type { TlsPair } from "../http/tls-layer.ts";
import type { ServingProcesses } from "./serving.ts";

/** The processes that present the certificate, and issue one. */
export type TlsServing = Pick<ServingProcesses, "secure" | "issueTls" | "now">;

/** The source of the server's certificate. */
export interface TlsSource {
  /** A certificate that is available before the authority serves. */
  initial(serving: TlsServing): TlsPair | undefined;
  /** Returns the initial certificate. Throws {@link LaunchError} if there is none. */
  start(serving: TlsServing): Promise<TlsPair>;
  /**
   * Returns a replacement if there is one. Throws an error with one sentence if one is due but
   * unavailable. `requested`: an operator asks for it.
   */
  next(requested: boolean, serving: TlsServing): Promise<TlsPair | undefined>;
}

/**
 * Reads a certificate and key from files that other programs replace. A pair is used once both
 * files are unchanged between two reads, to avoid half-written files.
 */
export function fileSource(files: TlsFiles): TlsSource {
  let loaded = fileStates(files);
  let previous = loaded;
  const initial = readPair(files);
  return {
    initial: () => initial,
    start: async () => initial,
    async next(requested) {
      const current = fileStates(files);
      const isSteady = current === previous;
      previous = current;
      if (!requested && (current === loaded || !isSteady)) return undefined;
      const pair = readPair(files);
      loaded = current;
      return pair;
    },
  };
}
