import type { TlsFiles } from "../cli/tls-settings.ts";
import { fileStates, readPair } from "../data/tls-files.ts";
import type { TlsPair } from "../http/tls-layer.ts";
import type { Serving } from "./serving.ts";

/** The processes that present the certificate, and issue one. */
export type TlsServing = Pick<Serving, "secure" | "issueTls" | "now">;

/** Where the certificate of a server comes from. */
export interface TlsSource {
  /** A certificate that is available before the authority serves. */
  initial(serving: TlsServing): TlsPair | undefined;
  /** The certificate to start with. Throws {@link LaunchError} where there is none. */
  start(serving: TlsServing): Promise<TlsPair>;
  /**
   * A replacement, if there is one by now. Throws an error whose message is a sentence where one is
   * due and cannot be had. `requested`: an operator wants it now.
   */
  next(requested: boolean, serving: TlsServing): Promise<TlsPair | undefined>;
}

/**
 * A certificate and a key in files that other programs replace. Both are read after they stayed the
 * same between two calls, so that a pair is seldom read while it is written.
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
