import { chainOf } from "./certificate-chain.ts";
import {
  hasReloadMark,
  readCertificate,
  removeReloadMark,
  writeCertificate,
  writeReloadMark,
  type Order,
} from "./certificate-files.ts";
import type { IssueReply } from "../../src/client/index.ts";
import { renewalTime } from "../../src/node/renewal-time.ts";

/** The clock, the server and the reload command of a renewal. */
export interface RenewalPorts {
  /** Unix milliseconds. */
  now(): number;
  /** A number from 0 to 1, excluding 1. */
  random(): number;
  /** Waits; resolves early once the renewal shall stop. */
  sleep(milliseconds: number): Promise<void>;
  issue(order: Order): Promise<IssueReply>;
  /** Runs the command that makes programs load the new files; absent without one. */
  reload?: ((dir: string) => Promise<void>) | undefined;
  report(sentence: string): void;
  /** Describes an error in one sentence. */
  describe(error: unknown): string;
}

/** Longest sleep: the clock may be corrected, and timers have a limit (ms). */
const maxSleep = 3_600_000;
/** Bounds of the pause after a failure (ms). */
const [minPause, maxPause] = [5_000, 3_600_000];

/** The outcome of a check of one directory. */
interface RenewalOutcome {
  readonly renewed: boolean;
  /** Serial number of the current certificate. */
  readonly serial: string;
  /** When it is due for renewal, Unix milliseconds. */
  readonly due: number;
}

/**
 * Renews the certificate of a directory if it is due, or in any case with `isForced`, and runs the
 * reload command after the files have changed. A reload that has failed, or that a crash has
 * prevented, is repeated.
 */
export async function renewIfDue(
  dir: string,
  ports: RenewalPorts,
  isForced = false,
): Promise<RenewalOutcome> {
  const { order, serial, notBefore, notAfter } = readCertificate(dir);
  const due = renewalTime({ notBefore, notAfter });
  if (!isForced && ports.now() < due) {
    await reloadIfMarked(dir, ports);
    return { renewed: false, serial, due };
  }
  // throws before a certificate is issued in vain
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

async function reloadIfMarked(dir: string, { reload }: RenewalPorts): Promise<void> {
  if (!reload || !hasReloadMark(dir)) return;
  await reload(dir);
  removeReloadMark(dir);
}

/**
 * Keeps the certificate of a directory valid until the signal is aborted. Renewals are spread by a
 * random delay; failures are reported and retried after pauses that double.
 */
export async function keepRenewed(
  dir: string,
  ports: RenewalPorts,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      const outcome = await renewIfDue(dir, ports);
      failures = 0;
      if (outcome.renewed) ports.report(`Renewed ${dir}, serial number ${outcome.serial}.`);
      await sleepUntilDue(dir, ports, signal, outcome.renewed);
    } catch (error) {
      const pause = pauseAfter(dir, failures++, ports.random());
      ports.report(
        `The renewal of ${dir} failed: ${ports.describe(error)} Next attempt in ${formatPause(pause)}.`,
      );
      await ports.sleep(pause);
    }
  }
}

async function sleepUntilDue(
  dir: string,
  ports: RenewalPorts,
  signal: AbortSignal,
  isNew: boolean,
): Promise<void> {
  const { notBefore, notAfter } = readCertificate(dir);
  const issuedAt = isNew ? ports.now() : notBefore;
  const earliest = isNew ? ports.now() + minPause : 0;
  const time = renewalTime({ notBefore, notAfter, issuedAt }, () => ports.random());
  const due = Math.max(time, earliest);
  for (let now = ports.now(); now < due && !signal.aborted; now = ports.now())
    await ports.sleep(Math.min(due - now, maxSleep));
}

/** Returns the pause after a failure: a hundredth of the lifetime, doubled each time. */
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
    // an unreadable directory is what failed
    return maxPause;
  }
}

const formatPause = (milliseconds: number): string =>
  milliseconds < 120_000
    ? `${Math.round(milliseconds / 1000)} seconds`
    : `${Math.round(milliseconds / 60_000)} minutes`;
