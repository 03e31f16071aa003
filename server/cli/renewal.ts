import { chainOf } from "../../src/node/certificate-chain.ts";
import {
  hasReloadMark,
  readCertificate,
  removeReloadMark,
  writeCertificate,
  writeReloadMark,
  type Order,
  type StoredCertificate,
} from "./certificate-files.ts";
import type { IssueReply } from "../../src/client/index.ts";
import { renewalTime, type RenewalTime } from "../../src/node/renewal-time.ts";

/** The external dependencies of a renewal: the clock, the server and the reload command. */
export interface RenewalPorts {
  /** Returns the time in Unix ms. */
  now(): number;
  /** Returns a random number from 0 to 1, excluding 1. */
  random(): number;
  /** Waits. Resolves early if the renewal is to stop. */
  sleep(milliseconds: number): Promise<void>;
  issue(order: Order): Promise<IssueReply>;
  /**
   * Reports whether the server has revoked a certificate. Rejects if the server cannot be reached.
   */
  isRevoked?(certificate: StoredCertificate): Promise<boolean>;
  /**
   * Asks the server when to renew (RFC 9773). Resolves with undefined if the server suggests no
   * time. Rejects if the server cannot be reached.
   */
  suggestTime?(certificate: StoredCertificate): Promise<RenewalTime | undefined>;
  /** Renews the token if it is due. Resolves with the time of the next call, in Unix ms. */
  renewToken?(order: Order): Promise<number>;
  /**
   * Runs the configured reload command, which makes programs load the new files. Absent if none is
   * configured.
   */
  reload?: ((dir: string) => Promise<void>) | undefined;
  report(sentence: string): void;
  /** Describes an error in one sentence. */
  describe(error: unknown): string;
}

/**
 * Maximum duration of one sleep (ms), because the clock may be corrected in the meantime and timers
 * have a limit.
 */
const maxSleep = 3_600_000;
/** Minimum and maximum pause after a failure (ms). */
const [minPause, maxPause] = [5_000, 3_600_000];
/** Maximum interval between two revocation checks (ms). */
const maxPoll = 600_000;
/**
 * Intervals (ms) after which the server is asked again for a suggested renewal time: if it
 * suggested none, and after a failure.
 */
const [queryInterval, retryAfterFailure] = [21_600_000, 3_600_000];

/** The reload command failed after the files had been replaced. */
class ReloadError extends Error {
  override readonly name = "ReloadError";
}

/** Describes in one or two sentences why a renewal of a directory failed. */
export const describeFailure = (
  dir: string,
  error: unknown,
  { describe }: Pick<RenewalPorts, "describe">,
): string =>
  error instanceof ReloadError
    ? `The files in ${dir} are up to date, but the reload failed: ${describe(error.cause)} The next attempt repeats it.`
    : `The renewal of ${dir} failed: ${describe(error)}`;

/** The outcome of a renewal check for one directory. */
interface RenewalOutcome {
  readonly renewed: boolean;
  /** Serial number of the current certificate. */
  readonly serial: string;
  /** Time at which the certificate is due for renewal, in Unix ms. */
  readonly due: number;
}

/**
 * Renews the certificate in a directory if it is due or revoked, if the server suggests renewal, or
 * if `isForced`. Runs the reload command after the files have changed. A reload that failed, or
 * that a crash prevented, is retried.
 */
export async function renewIfDue(
  dir: string,
  ports: RenewalPorts,
  isForced = false,
): Promise<RenewalOutcome> {
  const stored = readCertificate(dir);
  const { order, serial } = stored;
  const due = renewalTime(stored);
  if (!isForced && ports.now() < due && !(await mustRenewEarly(stored, ports))) {
    await reloadIfMarked(dir, ports);
    return { renewed: false, serial, due };
  }
  // throws if the marker is invalid, so that no certificate is issued needlessly
  hasReloadMark(dir);
  const issued = await ports.issue(order);
  if (ports.reload) writeReloadMark(dir);
  writeCertificate(dir, { key: issued.private_key ?? "", chain: chainOf(issued), order });
  await reloadIfMarked(dir, ports);
  const renewed = readCertificate(dir);
  return {
    renewed: true,
    serial: renewed.serial,
    due: renewalTime(renewed),
  };
}

/**
 * Reports whether a certificate is revoked, or whether the renewal time that the server suggests
 * has come.
 */
async function mustRenewEarly(stored: StoredCertificate, ports: RenewalPorts): Promise<boolean> {
  if (await isRevoked(stored, ports)) return true;
  const suggested = await ports.suggestTime?.(stored).catch(() => undefined);
  return suggested !== undefined && limitTime(suggested.renewAt, stored) <= ports.now();
}

/**
 * Reports whether the server has revoked a certificate. Resolves with false if the server cannot be
 * reached, because it is asked again later.
 */
const isRevoked = async (stored: StoredCertificate, ports: RenewalPorts): Promise<boolean> =>
  (await ports.isRevoked?.(stored).catch(() => undefined)) ?? false;

/**
 * Limits a suggested renewal time, so that a certificate neither is renewed again at once nor
 * expires first.
 */
function limitTime(time: number, { notBefore, notAfter }: Period): number {
  const lifetime = notAfter - notBefore;
  return Math.min(Math.max(time, notBefore + lifetime / 100), notAfter - lifetime / 20);
}

/** The validity period of a certificate, in Unix ms. */
type Period = Pick<StoredCertificate, "notBefore" | "notAfter">;

async function reloadIfMarked(dir: string, { reload }: RenewalPorts): Promise<void> {
  if (!reload || !hasReloadMark(dir)) return;
  await reload(dir).catch((cause: unknown) => {
    throw new ReloadError("the reload failed", { cause });
  });
  removeReloadMark(dir);
}

/**
 * Keeps the certificate in a directory valid until the signal is aborted. A random delay spreads
 * renewals. Failures are reported and retried with exponential backoff. A revoked certificate is
 * replaced within ten minutes.
 */
export async function renewContinuously(
  dir: string,
  ports: RenewalPorts,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  let dueSerial: string | undefined;
  while (!signal.aborted) {
    try {
      // if only the reload failed, the certificate is already renewed and no longer due
      const isDue = readCertificate(dir).serial === dueSerial;
      const outcome = await renewIfDue(dir, ports, isDue);
      failures = 0;
      if (outcome.renewed) ports.report(`Renewed ${dir}, serial number ${outcome.serial}.`);
      dueSerial = await waitUntilDue(dir, ports, signal, outcome.renewed);
    } catch (error) {
      const pause = pauseAfter(dir, failures++, ports.random());
      ports.report(`${describeFailure(dir, error, ports)} Next attempt in ${formatPause(pause)}.`);
      await ports.sleep(pause);
    }
  }
}

/**
 * Waits until a certificate is due or revoked, until the server suggests renewal, or until the
 * signal is aborted. Resolves with the serial number of the certificate.
 */
async function waitUntilDue(
  dir: string,
  ports: RenewalPorts,
  signal: AbortSignal,
  isNew: boolean,
): Promise<string> {
  const stored = readCertificate(dir);
  const { notAfter } = stored;
  // notBefore may be backdated, and a new certificate must never be due without a pause
  const notBefore = isNew ? Math.max(stored.notBefore, ports.now()) : stored.notBefore;
  const earliest = isNew ? ports.now() + minPause : 0;
  let due = Math.max(
    renewalTime({ notBefore, notAfter }, () => ports.random()),
    earliest,
  );
  let askAt = earliest;
  const poll = Math.max(Math.min(maxPoll, (notAfter - notBefore) / 100), minPause);
  while (!signal.aborted && ports.now() < due) {
    if (ports.now() >= earliest && (await isRevoked(stored, ports))) break;
    if (ports.suggestTime && ports.now() >= askAt) {
      const suggested = await suggestionOf(stored, ports);
      askAt = suggested.askAt;
      if (suggested.renewAt !== undefined)
        due = Math.max(limitTime(suggested.renewAt, { notBefore, notAfter }), earliest);
    }
    // an unreachable server is reported only when the certificate is due
    const tokenAt = (await ports.renewToken?.(stored.order).catch(() => undefined)) ?? Infinity;
    const next = Math.min(due, tokenAt, ports.now() + (ports.isRevoked ? poll : maxSleep));
    if (next > ports.now()) await ports.sleep(next - ports.now());
  }
  return stored.serial;
}

/**
 * Asks the server for a renewal time. Does not report a failure, because the certificate is still
 * valid.
 */
async function suggestionOf(
  stored: StoredCertificate,
  { now, suggestTime }: RenewalPorts,
): Promise<{ readonly renewAt?: number; readonly askAt: number }> {
  try {
    return (await suggestTime?.(stored)) ?? { askAt: now() + queryInterval };
  } catch {
    return { askAt: now() + retryAfterFailure };
  }
}

/**
 * Returns the pause after a failure: a hundredth of the lifetime, doubled after each further
 * failure.
 */
function pauseAfter(dir: string, failures: number, random: number): number {
  const lifetime = lifetimeOf(dir);
  const limit = Math.min(maxPause, lifetime / 12);
  const pause = Math.min((lifetime / 100) * 2 ** failures, limit) * (0.5 + random / 2);
  return Math.max(pause, minPause);
}

function lifetimeOf(dir: string): number {
  try {
    const { notBefore, notAfter } = readCertificate(dir);
    return notAfter - notBefore;
  } catch {
    // the failure may be that the directory cannot be read
    return maxPause;
  }
}

const formatPause = (milliseconds: number): string =>
  milliseconds < 120_000
    ? `${Math.round(milliseconds / 1000)} seconds`
    : `${Math.round(milliseconds / 60_000)} minutes`;
