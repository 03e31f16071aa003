import { X509Certificate } from "node:crypto";
import type { TlsPair } from "../http/tls-layer.ts";
import type { TlsServing, TlsSource } from "./tls-source.ts";

/** The dependencies of {@link ServerTls}. */
interface ServerTlsOptions {
  readonly source: TlsSource;
  /** Reports a sentence to the operator. */
  report(sentence: string): void;
  /** Calls `run` periodically. Returns a function that stops the calls. */
  every(milliseconds: number, run: () => void): () => void;
}

/** Interval at which the source is asked for a new certificate (ms). */
const refreshMs = 2_000;

/** Presents a server's certificate, and replaces it without closing connections. */
export class ServerTls {
  readonly #options: ServerTlsOptions;
  #stopTimer: () => void = () => undefined;
  #refreshing: Promise<void> | undefined;
  #prepared: TlsPair | undefined;
  /** Present once `start` has completed. */
  #serving: TlsServing | undefined;
  #isStopped = false;
  #lastFailure = "";

  constructor(options: ServerTlsOptions) {
    this.#options = options;
  }

  /** Presents the certificate that is available before the authority starts, if any. */
  async prepare(serving: TlsServing): Promise<void> {
    this.#prepared = this.#options.source.initial(serving);
    if (this.#prepared) await serving.secure(this.#prepared);
  }

  /**
   * Presents the certificate, and replaces it whenever the source has a new one. Rejects with
   * {@link LaunchError} if there is no certificate.
   */
  async start(serving: TlsServing): Promise<void> {
    const { source, every } = this.#options;
    const pair = await source.start(serving);
    if (pair !== this.#prepared) await serving.secure(pair);
    if (this.#isStopped) return;
    this.#serving = serving;
    this.#stopTimer = every(refreshMs, () => {
      if (!this.#refreshing) void this.refresh(false);
    });
  }

  /**
   * Replaces the certificate if the source has a new one. Set `requested` if an operator asks for a
   * new certificate.
   */
  async refresh(requested: boolean): Promise<void> {
    // checks run one after another, so that a request does not join a check that began before it
    const before = this.#refreshing ?? Promise.resolve();
    const refreshing = before
      .then(() => this.#replace(requested))
      .finally(() => {
        if (this.#refreshing === refreshing) this.#refreshing = undefined;
      });
    this.#refreshing = refreshing;
    await refreshing;
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer();
  }

  async #replace(requested: boolean): Promise<void> {
    const { source, report } = this.#options;
    if (!this.#serving || this.#isStopped) return;
    if (requested) this.#lastFailure = "";
    try {
      const pair = await source.next(requested, this.#serving);
      if (!pair) return;
      await this.#serving.secure(pair);
      this.#lastFailure = "";
      const until = new X509Certificate(pair.cert).validToDate.toISOString();
      report(`TLS: new connections now use a new certificate, valid until ${until}.`);
    } catch (error) {
      const why = (error instanceof Error ? error.message : String(error)).replace(/\.?$/, "");
      if (why !== this.#lastFailure) report(`${why}; the server keeps its current certificate.`);
      this.#lastFailure = why;
    }
  }
}
