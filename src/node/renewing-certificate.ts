import { EventEmitter } from "node:events";
import { createSecureContext, type SecureContext } from "node:tls";
import type { IssueInput, IssueReply, PkiClient } from "../client/pki.ts";
import { chainOf } from "./certificate-chain.ts";
import { nodeSchedule, type Schedule } from "./job-timer.ts";
import {
  renewalTime,
  suggestedTime,
  validityOf,
  type FetchRenewalInfo,
  type RenewalTime,
  type Validity,
} from "./renewal-time.ts";

/** The source of certificates: an authority in this process, or the typed client of a mount. */
export type CertificateSource =
  | Pick<PkiClient, "issue">
  | {
      /** Typed client of the mount. */
      readonly pki: Pick<PkiClient, "issue">;
      /** Responds to HTTP requests; used to read renewal information. */
      fetch(request: Request): Promise<Response>;
    };

/**
 * The certificate to issue, and the settings of its renewal. Tests replace the clock, the random
 * numbers and the timer.
 */
export interface RenewingCertificateOptions extends Omit<
  IssueInput,
  "format" | "private_key_format"
> {
  /**
   * URL of an ACME server's renewal information (RFC 9773), such as
   * `https://ca.example/v1/pki/acme/renewal-info`. Not needed for an authority in this process.
   */
  readonly renewalInfo?: string;
  /** Returns the current time in Unix ms. */
  readonly now?: () => number;
  /** Returns a number from 0 to less than 1. */
  readonly random?: () => number;
  /** Runs a function later. By default uses Node timers. */
  readonly schedule?: Schedule;
}

/** A certificate with its key and chain (PEM). Each certificate ends with a newline. */
export interface ServerCertificate extends Validity {
  /** The certificate. */
  readonly certificate: string;
  /** The intermediates, without the root. */
  readonly chain: readonly string[];
  /** The PKCS#8 private key. */
  readonly key: string;
  /** Serial number as lower-case hexadecimal pairs separated by colons. */
  readonly serial_number: string;
  /** The certificate, chain and key for `node:tls`. */
  readonly secureContext: SecureContext;
}

/** Events of a renewing certificate. */
export interface RenewalEvents {
  /** Emitted when a new certificate is in use. */
  renewed: [ServerCertificate];
  /** Emitted when a renewal has failed. It will be retried at `retryAt` (Unix ms). */
  failed: [error: unknown, retryAt: number];
}

/** A certificate that renews itself. */
export interface RenewingCertificate {
  /** Function to pass as the `SNICallback` option of `https.createServer` or `tls.createServer`. */
  readonly SNICallback: (
    servername: string,
    callback: (error: null, context: SecureContext) => void,
  ) => void;
  /** The current certificate. */
  readonly current: ServerCertificate;
  /** The secure context of the current certificate, for a custom `SNICallback`. */
  readonly secureContext: SecureContext;
  /** Events of the renewal. */
  readonly events: EventEmitter<RenewalEvents>;
  /** Stops renewing. */
  stop(): void;
}

/** Maximum delay of the first retry and of any retry, in ms. */
const [firstRetry, maxRetry] = [60_000, 3_600_000];

/**
 * Issues a certificate, and renews it after two thirds of its lifetime or at the time that the
 * server suggests (RFC 9773). A failed renewal is retried with increasing delays until it succeeds.
 * Until then, the current certificate stays in use. Rejects if the first certificate cannot be
 * issued.
 */
export async function renewingCertificate(
  source: CertificateSource,
  options: RenewingCertificateOptions,
): Promise<RenewingCertificate> {
  const { renewalInfo, now = Date.now, random = Math.random, schedule, ...input } = options;
  const pki = "pki" in source ? source.pki : source;
  const issue = async () =>
    serverCertificate(await pki.issue({ ...input, format: "pem", private_key_format: "pkcs8" }));
  const renewal = new Renewal(await issue(), {
    issue,
    fetchInfo: infoFrom(source, renewalInfo),
    now,
    random,
    schedule: schedule ?? nodeSchedule,
  });
  await renewal.plan();
  return {
    SNICallback: (_, callback) => callback(null, renewal.current.secureContext),
    get current() {
      return renewal.current;
    },
    get secureContext() {
      return renewal.current.secureContext;
    },
    events: renewal.events,
    stop: () => renewal.stop(),
  };
}

function serverCertificate(issued: IssueReply): ServerCertificate {
  const { certificate, intermediates: chain } = chainOf(issued);
  const { private_key: key = "", serial_number } = issued;
  const secureContext = createSecureContext({ cert: [certificate, ...chain].join(""), key });
  return { certificate, chain, key, serial_number, secureContext, ...validityOf(certificate) };
}

function infoFrom(
  source: CertificateSource,
  url: string | undefined,
): FetchRenewalInfo | undefined {
  if (url !== undefined)
    return (id, signal) => fetch(`${url.replace(/\/$/, "")}/${id}`, { signal });
  if (!("fetch" in source)) return undefined;
  const path = "http://localhost/v1/pki/acme/renewal-info";
  return (id, signal) => source.fetch(new Request(`${path}/${id}`, { signal }));
}

/** The functions that a renewal calls, which tests replace. */
interface Surroundings {
  issue(): Promise<ServerCertificate>;
  readonly fetchInfo: FetchRenewalInfo | undefined;
  now(): number;
  random(): number;
  readonly schedule: Schedule;
}

/** The current certificate, and the timer for its renewal. */
class Renewal {
  current: ServerCertificate;
  readonly events = new EventEmitter<RenewalEvents>();
  readonly #in: Surroundings;
  #failures = 0;
  /** Time at which the current certificate was issued, in Unix ms. */
  #issuedAt: number;
  #isStopped = false;
  #cancel = (): void => undefined;

  constructor(first: ServerCertificate, surroundings: Surroundings) {
    this.current = first;
    this.#in = surroundings;
    this.#issuedAt = surroundings.now();
  }

  /** Sets the timer for the renewal, or for the next query of renewal information. */
  async plan(): Promise<void> {
    const { renewAt, askAt } = await this.#time();
    if (askAt < renewAt) this.#at(askAt, () => this.plan());
    // there is a pause before the next renewal, even if a new certificate is already due for
    // renewal
    else this.#at(Math.max(renewAt, this.#in.now() + this.#pause()), () => this.#renew());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #time(): Promise<RenewalTime> {
    const { fetchInfo, random, now } = this.#in;
    const { notBefore, notAfter } = this.current;
    const renewAt = renewalTime({ notBefore, notAfter, issuedAt: this.#issuedAt }, random);
    const own = { renewAt, askAt: Infinity };
    if (!fetchInfo) return own;
    const options = { now: now(), random };
    try {
      const suggested = await suggestedTime(this.current.certificate, fetchInfo, options);
      // a suggestion must not delay the renewal until the certificate expires
      const latest = notAfter - (notAfter - Math.max(notBefore, this.#issuedAt)) / 20;
      return suggested ? { ...suggested, renewAt: Math.min(suggested.renewAt, latest) } : own;
    } catch {
      // the server may offer renewal information later
      return { ...own, askAt: options.now + maxRetry };
    }
  }

  async #renew(): Promise<void> {
    try {
      this.current = await this.#in.issue();
      this.#issuedAt = this.#in.now();
    } catch (error) {
      const retryAt = this.#in.now() + this.#pause();
      this.#failures++;
      this.#at(retryAt, () => this.#renew());
      this.events.emit("failed", error, retryAt);
      return;
    }
    this.#failures = 0;
    await this.plan();
    this.events.emit("renewed", this.current);
  }

  /**
   * Returns the delay before the next attempt in ms. It doubles each time, up to an hour, and is
   * reduced at random by up to half.
   */
  #pause(): number {
    const { notBefore, notAfter } = this.current;
    const first = Math.min(firstRetry, (notAfter - notBefore) / 100);
    const whole = Math.min(first * 2 ** this.#failures, maxRetry, (notAfter - notBefore) / 20);
    return whole / 2 + (whole / 2) * this.#in.random();
  }

  #at(time: number, run: () => Promise<void>): void {
    if (this.#isStopped) return;
    this.#cancel();
    const milliseconds = Math.max(time - this.#in.now(), 0);
    // long delays are divided into several, because timers have a maximum delay
    if (milliseconds > maxDelay)
      this.#cancel = this.#in.schedule(maxDelay, () => this.#at(time, run));
    else this.#cancel = this.#in.schedule(milliseconds, () => void run());
  }
}
/** Maximum delay of a timer in ms. It is a day, because the clock may be adjusted. */
const maxDelay = 86_400_000;
