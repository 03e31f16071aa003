import { workers } from "./flags.ts";
import { atLeast, atMost, figure, peakMiB, memoryText, percent, round } from "./figures.ts";
import {
  floorKinds,
  medianOf,
  ratio,
  roundsOf,
  spread,
  subjectKinds,
  type Rounds,
  type RoundResult,
} from "./kinds.ts";
import { benchLists } from "./lists.ts";
import { drive, post, type LoadResult } from "./load.ts";
import { startFloor } from "./programs.ts";
import { startSubject, type Subject } from "./server.ts";

/** Options for the HTTP benchmark. */
export interface HttpOptions {
  readonly seconds: number;
  readonly rounds: number;
  readonly certificates: number;
  /** Whether to also revoke all certificates and read the CRL. */
  readonly lists: boolean;
}
/** The ratios of rates to print: kind, reference kind, and minimum ratio if there is a target. */
const shares: readonly (readonly [name: string, by: string, min?: number])[] = [
  ["floor", "empty"],
  ["issue", "floor", 0.65],
  ["issue x8", "floor x8", 0.65],
  ["issue x1", "floor x1", 0.65],
  ["keyed floor", "floor"],
  ["keyed floor x1", "floor x1"],
  ["issue", "keyed floor"],
  ["issue x1", "keyed floor x1"],
  ["sign", "floor", 0.65],
  ["sign x8", "floor x8"],
  ["sign x1", "floor x1"],
  ["no_store", "empty"],
  ["seal-status", "empty read"],
  ["ca/pem", "empty read", 0.75],
  ["crl", "empty read", 0.75],
  ["cert", "floor read", 0.45],
];

/** Maximum 99th percentile of the latency (ms). */
export const maxP99 = 50;
/** Maximum memory of a process after 100,000 issuances (MiB). */
export const maxMiB = 130;

/** Prints the medians over all rounds for the named kind of request, and its errors. */
export function printRounds(what: string, seen: Rounds, name: string): void {
  const list = seen[name] ?? [];
  const of = (part: (one: RoundResult) => number): string => round(medianOf(seen, name, part));
  const errors = list.reduce((sum, one) => sum + one.errors, 0);
  const text = `${of(({ rps }) => rps)}/s p50 ${of(({ p50 }) => p50)} p99 ${of(({ p99 }) => p99)} ms cpu ${of(({ cpu }) => cpu)} ms`;
  if (errors === 0) return figure(`${what}: ${name}`, text);
  const first = list.find((one) => one.firstError)?.firstError ?? "";
  figure(`${what}: ${name}`, `${text}, ${errors} errors: ${first}`, "no error", false);
}

function printTargets(what: string, seen: Rounds): void {
  for (const name of Object.keys(seen)) printRounds(what, seen, name);
  const rate = ({ rps }: RoundResult): number => rps;
  for (const [kind, by, min] of shares) {
    const [label, share] = [`${what}: ${kind}, relative to ${by}`, ratio(seen, kind, by, rate)];
    const rounds = spread(seen, kind, by, rate);
    if (min === undefined) figure(label, `${percent(share)} (${rounds})`);
    else atLeast(label, share, min, rounds);
  }
  const times = ratio(seen, "issue", "floor", ({ cpu }) => cpu);
  figure(`${what}: CPU time of an issuance`, `${round(times)} times the floor's`);
  for (const name of ["issue", "sign"])
    atMost(
      `${what}: p99 of ${name}`,
      medianOf(seen, name, ({ p99 }) => p99),
      maxP99,
      "ms",
    );
}

/** Measures requests to the built server, first without certificates and then with many. */
export async function benchHttp(options: HttpOptions): Promise<void> {
  const floor = await startFloor(workers);
  const subject = await startSubject().catch(async (error: unknown) => {
    await floor.stop();
    throw error;
  });
  try {
    const kinds = { ...floorKinds(floor), ...(await subjectKinds(subject)) };
    printTargets("new", await roundsOf(kinds, options));
    if (options.certificates === 0) return;
    await fill(subject, options.certificates);
    printTargets(`${options.certificates} certificates stored`, await roundsOf(kinds, options));
    if (options.lists) await benchLists(subject, floor, options.certificates);
  } finally {
    await subject.stop();
    await floor.stop();
  }
}

let filled = 0;
/** Issues certificates, then prints the memory of the largest process. */
export async function fill(subject: Subject, count: number): Promise<void> {
  const { rps, errors, firstError }: LoadResult = await drive({
    url: subject.url,
    connections: 32,
    count,
    seconds: 3600,
    request: () =>
      post(
        "/v1/pki/issue/web",
        subject.token,
        JSON.stringify({ common_name: `f${filled++}.example.com` }),
      ),
  });
  figure(
    `${count} certificates issued`,
    `${round(rps)}/s${errors ? `, ${errors} errors: ${firstError}` : ""}`,
    "no error",
    errors === 0,
  );
  atMost(
    `resident memory of the largest process afterwards`,
    peakMiB(subject.pid),
    maxMiB,
    "MiB",
    memoryText(subject.pid),
  );
}
