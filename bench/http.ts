import { atLeast, atMost, figure, residentMiB, round, runtimeOf } from "./figures.ts";
import {
  floorKinds,
  middle,
  ratio,
  roundsOf,
  subjectKinds,
  type Rounds,
  type Seen,
} from "./kinds.ts";
import { benchLists } from "./lists.ts";
import { drive, post, type Outcome } from "./load.ts";
import { startFloor, startSubject, type Subject } from "./server.ts";

/** How much is measured. */
export interface HttpOptions {
  readonly seconds: number;
  readonly rounds: number;
  readonly certificates: number;
  /** Also revoke them all and read the list. */
  readonly lists: boolean;
}
/** Ratios of rates, at least: kind, beside which, and the share. */
const shares: readonly (readonly [what: string, name: string, by: string, least: number])[] = [
  ["the floor itself, of an empty request", "floor", "empty", 0.2],
  ["issue, of the floor", "issue", "floor", 0.65],
  ["issue at 8 connections, of the floor", "issue x8", "floor x8", 0.65],
  ["sign, of the floor", "sign", "floor", 0.65],
  ["no_store, of an empty request", "no_store", "empty", 0.3],
  ["seal-status, of an empty read", "seal-status", "empty read", 0.75],
  ["ca/pem, of an empty read", "ca/pem", "empty read", 0.75],
  ["crl, of an empty read", "crl", "empty read", 0.75],
  ["cert, of an empty read", "cert", "empty read", 0.45],
  ["the floor of a read, of an empty read", "floor read", "empty read", 0.45],
  ["cert, of the floor of a read", "cert", "floor read", 0.45],
];

function judge(what: string, seen: Rounds): void {
  for (const [name, list] of Object.entries(seen)) {
    const of = (part: (one: Seen) => number): string => round(middle(seen, name, part));
    const errors = list.reduce((sum, one) => sum + one.errors, 0);
    const text = `${of(({ rps }) => rps)}/s p50 ${of(({ p50 }) => p50)} p99 ${of(({ p99 }) => p99)} ms cpu ${of(({ cpu }) => cpu)} ms`;
    if (errors === 0) figure(`${what}: ${name}`, text);
    else {
      const first = list.find((one) => one.firstError)?.firstError ?? "";
      figure(`${what}: ${name}`, `${text}, ${errors} errors: ${first}`, "no error", false);
    }
  }
  for (const [name, kind, by, least] of shares)
    atLeast(
      `${what}: ${name}`,
      ratio(seen, kind, by, ({ rps }) => rps),
      least,
    );
  const p50 = ratio(seen, "issue x1", "floor x1", (one) => one.p50);
  atMost(`${what}: p50 of an issue at one connection`, p50, 1.5, "times the floor's");
  const times = ratio(seen, "issue", "empty", ({ cpu }) => cpu);
  atMost(`${what}: processor time of an issue`, times, 4.5, "times an empty request's");
  for (const name of ["issue", "sign"])
    atMost(
      `${what}: p99 of ${name}`,
      middle(seen, name, ({ p99 }) => p99),
      50,
      "ms",
    );
}

/**
 * Requests over the public port of the launcher: a new deployment, then one that holds many
 * certificates.
 */
export async function benchHttp(options: HttpOptions): Promise<void> {
  const floor = await startFloor();
  const subject = await startSubject().catch(async (error: unknown) => {
    await floor.stop();
    throw error;
  });
  try {
    const kinds = { ...floorKinds(floor), ...(await subjectKinds(subject)) };
    judge("fresh", await roundsOf(kinds, options));
    if (options.certificates === 0) return;
    const { count, rps, errors, firstError } = await fill(subject, options.certificates);
    figure(
      `${count} further certificates issued`,
      `${round(rps)}/s${errors ? `, ${errors} errors: ${firstError}` : ""}`,
      "no error",
      errors === 0,
    );
    atMost(
      `memory of the runtime after ${options.certificates} issues`,
      residentMiB(runtimeOf(subject.pid)),
      270,
      "MiB",
      `launcher ${round(residentMiB(subject.pid))} MiB`,
    );
    judge(`${options.certificates} held`, await roundsOf(kinds, options));
    if (options.lists) await benchLists(subject, floor, options.certificates);
  } finally {
    await subject.stop();
    await floor.stop();
  }
}

let filled = 0;
function fill(subject: Subject, count: number): Promise<Outcome> {
  return drive({
    url: subject.url,
    connections: 32,
    count,
    request: () =>
      post(
        "/v1/pki/issue/web",
        subject.token,
        JSON.stringify({ common_name: `f${filled++}.example.com` }),
      ),
  });
}
