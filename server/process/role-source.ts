import { renewalTime } from "../../src/node/renewal-time.ts";
import { LaunchError } from "../settings/launch-error.ts";
import { errorText } from "../client/mount-backup.ts";
import type { TlsRole } from "../settings/tls-settings.ts";
import {
  parseOwnTls,
  readOwnTls,
  writeOwnTls,
  type IssuedTls,
  type OwnTls,
} from "../data/own-tls.ts";
import type { TlsPair } from "../http/tls-layer.ts";
import type { TlsRequest } from "./issue-tls.ts";
import type { TlsServing, TlsSource } from "./tls-source.ts";

/** The dependencies of {@link RoleSource}. */
interface RoleSourceOptions {
  readonly from: TlsRole;
  /** Directory in which the certificate is stored. */
  readonly dataDir: string;
  /** Returns the names for the certificate if `from` has none. Called once the server listens. */
  servedNames(): readonly string[];
  /** Reports a sentence to the operator. */
  report(sentence: string): void;
}

/** Minimum and maximum pause after a failed issuance, doubled after each further failure (ms). */
const [minPauseMs, maxPauseMs] = [10_000, 3_600_000];
/** Minimum time between two issuances, which matters for roles with very short lifetimes (ms). */
const minAgeMs = 30_000;

/**
 * A source that issues the server's certificate with one of its own roles, and renews it after two
 * thirds of its lifetime.
 */
export class RoleSource implements TlsSource {
  readonly #options: RoleSourceOptions;
  readonly #role: string;
  #current: OwnTls | undefined;
  #failures = 0;
  #notBefore = 0;

  /** Reads the stored certificate. Throws {@link LaunchError} if its file cannot be read. */
  constructor(options: RoleSourceOptions) {
    const { mount, role } = options.from;
    this.#options = options;
    this.#role = `${mount}/issue/${role}`;
    this.#current = readOwnTls(options.dataDir, this.#role);
  }

  initial(serving: TlsServing): TlsPair | undefined {
    const stored = this.#current;
    return stored && serving.now() < stored.notAfter ? stored : undefined;
  }

  async start(serving: TlsServing): Promise<TlsPair> {
    const stored = this.#current;
    if (stored && !isDue(stored, serving.now()) && areSame(stored.names, this.#names()))
      return stored;
    try {
      return await this.#issue(serving, true);
    } catch (error) {
      if (!stored) throw new LaunchError(`${errorText(error)}.`);
      this.#options.report(`${errorText(error)}; the server keeps its current certificate.`);
      return stored;
    }
  }

  async next(requested: boolean, serving: TlsServing): Promise<TlsPair | undefined> {
    const now = serving.now();
    const isNeeded = !this.#current || isDue(this.#current, now) || this.#failures > 0;
    if (!requested && (!isNeeded || now < this.#notBefore)) return undefined;
    return this.#issue(serving, requested);
  }

  #names(): readonly string[] {
    return this.#options.from.names ?? this.#options.servedNames();
  }

  async #issue(serving: TlsServing, creates: boolean): Promise<TlsPair> {
    const { from } = this.#options;
    const request: TlsRequest = {
      ...from,
      creates: from.creates && creates,
      names: this.#names(),
      previousNames: this.#current?.names ?? [],
    };
    try {
      const issued = await serving.issueTls(request);
      const pair = parseOwnTls(issued);
      if (!pair) throw new Error("keys of the role's type cannot be used for TLS");
      this.#current = pair;
      this.#failures = 0;
      this.#notBefore = serving.now() + minAgeMs;
      this.#store(issued);
      return pair;
    } catch (error) {
      const pause = Math.min(maxPauseMs, minPauseMs * 2 ** this.#failures++);
      this.#notBefore = serving.now() + pause;
      throw new Error(this.#sentence(error), { cause: error });
    }
  }

  #store(issued: IssuedTls): void {
    try {
      writeOwnTls(this.#options.dataDir, this.#role, issued);
    } catch (error) {
      // a full disk must not stop the server
      if (!(error instanceof LaunchError)) throw error;
      this.#options.report(
        `${error.message} The certificate will be issued again at the next start.`,
      );
    }
  }

  #sentence(error: unknown): string {
    const { from } = this.#options;
    const why = messageOf(error).replace(/\s+/g, " ");
    const hint =
      this.#current || from.creates
        ? ""
        : "; start without TLS to create the role, or with TLS=own";
    return `TLS: ${this.#role} issued no certificate for this server (${why})${hint}`;
  }
}

const isDue = (tls: OwnTls, now: number): boolean => now >= renewalTime(tls);

const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.toSorted().join() === others.toSorted().join();

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
