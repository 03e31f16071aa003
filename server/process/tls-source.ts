import type { TlsFiles } from "../settings/tls-settings.ts";
import { fileStates, readPair } from "../data/tls-files.ts";
import type { TlsPair } from "../http/tls-layer.ts";
import type { ServingProcesses } from "./serving.ts";

/** The processes that present the certificate and can issue one. */
export type TlsServing = Pick<ServingProcesses, "secure" | "issueTls" | "now">;

/** A source of the server's certificate. */
export interface TlsSource {
  /** Returns a certificate that is available before the authority starts, if any. */
  initial(serving: TlsServing): TlsPair | undefined;
  /**
   * Returns the certificate to present first. Rejects with {@link LaunchError} if there is none.
   */
  start(serving: TlsServing): Promise<TlsPair>;
  /**
   * Resolves with a new certificate, or with undefined if none is due. Rejects, with one sentence
   * as the message, if a new certificate is due but unavailable. Set `requested` if an operator
   * asks for a new certificate.
   */
  next(requested: boolean, serving: TlsServing): Promise<TlsPair | undefined>;
}

/**
 * Creates a source that reads files that other programs replace. New files are used once both are
 * unchanged between two checks, so that half-written files are avoided.
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
