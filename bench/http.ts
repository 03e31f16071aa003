import {
  atLeast,
  atMost,
  cpuMs,
  figure,
  median,
  residentMiB,
  round,
  runtimeOf,
} from "./figures.ts";
import { benchLists } from "./lists.ts";
import { drive, get, post, type Outcome } from "./load.ts";
import { signingRequest, startFloor, startSubject, type Subject } from "./server.ts";
import type { RunningServer } from "../test/support/server.ts";

/** How much is measured. */
export interface HttpOptions {
  readonly seconds: number;
  readonly rounds: number;
  readonly certificates: number;
  /** Also revoke them all and read the list. */
  readonly lists: boolean;
}
/** One kind of request and where it goes. */
interface Kind {
  readonly server: RunningServer;
  request(n: number): Buffer;
}
interface Seen extends Outcome {
  /** Milliseconds of processor time of the launcher and the runtime, a request. */
  readonly cpu: number;
}
const connections = 32;
let drawn = 0;

/**
 * The kinds, by name: `empty` and `floor` on a Worker without this project, the rest on a real one.
 */
function kindsOf(
  floor: RunningServer,
  subject: Subject,
  csr: string,
): Readonly<Record<string, Kind>> {
  const body = () => JSON.stringify({ common_name: `h${drawn++}.example.com` });
  const of = (path: string, text: () => string): Kind => ({
    server: subject,
    request: () => post(`/v1/pki/${path}`, subject.token, text()),
  });
  const signing = JSON.stringify({ common_name: "host.example.com", csr });
  return {
    empty: { server: floor, request: () => post("/empty", subject.token, body()) },
    "empty read": { server: floor, request: () => get("/empty") },
    floor: { server: floor, request: () => post("/v1/pki/issue/web", subject.token, body()) },
    issue: of("issue/web", body),
    sign: of("sign/web", () => signing),
    no_store: of("issue/free", body),
    "ca/pem": { server: subject, request: () => get("/v1/pki/ca/pem") },
    crl: { server: subject, request: () => get("/v1/pki/crl") },
  };
}

async function measured(kind: Kind, seconds: number): Promise<Seen> {
  const before = cpuMs(kind.server.pid);
  const seen = await drive({
    url: kind.server.url,
    connections,
    seconds,
    request: (n) => kind.request(n),
  });
  return { ...seen, cpu: (cpuMs(kind.server.pid) - before) / seen.count };
}

/**
 * Rounds of all kinds in turn, so that whatever else the machine does falls on all of them alike.
 */
async function rounds(
  kinds: Readonly<Record<string, Kind>>,
  { seconds, rounds: count }: HttpOptions,
): Promise<Readonly<Record<string, readonly Seen[]>>> {
  const seen: Record<string, Seen[]> = {};
  for (const kind of Object.values(kinds))
    await drive({
      url: kind.server.url,
      connections,
      seconds: 0.7,
      request: (n) => kind.request(n),
    });
  for (let round = 0; round < count; round++)
    for (const [name, kind] of Object.entries(kinds))
      (seen[name] ??= []).push(await measured(kind, seconds));
  return seen;
}

function judge(what: string, seen: Readonly<Record<string, readonly Seen[]>>): void {
  const of = (name: string, part: (one: Seen) => number): number =>
    median((seen[name] ?? []).map(part));
  const share = (name: string, by: string): number =>
    median((seen[name] ?? []).map((one, i) => one.rps / (seen[by]?.[i]?.rps ?? Number.NaN)));
  for (const [name, list] of Object.entries(seen)) {
    const errors = list.reduce((sum, one) => sum + one.errors, 0);
    const text = `${round(of(name, (one) => one.rps))}/s p50 ${round(of(name, (one) => one.p50))} p99 ${round(of(name, (one) => one.p99))} ms cpu ${round(of(name, (one) => one.cpu))} ms`;
    if (errors > 0)
      figure(
        `${what}: ${name}`,
        `${text}, ${errors} errors: ${list.find((one) => one.firstError)?.firstError ?? ""}`,
        "no error",
        false,
      );
    else figure(`${what}: ${name}`, text);
  }
  atLeast(`${what}: the floor itself, of an empty request`, share("floor", "empty"), 0.2);
  atLeast(`${what}: issue, of the floor`, share("issue", "floor"), 0.6);
  atLeast(`${what}: sign, of the floor`, share("sign", "floor"), 0.6);
  atLeast(`${what}: no_store, of an empty request`, share("no_store", "empty"), 0.25);
  atLeast(`${what}: ca/pem, of an empty read`, share("ca/pem", "empty read"), 0.5);
  atLeast(`${what}: crl, of an empty read`, share("crl", "empty read"), 0.5);
  const times = median(
    (seen["issue"] ?? []).map((one, i) => one.cpu / (seen["empty"]?.[i]?.cpu ?? Number.NaN)),
  );
  atMost(`${what}: processor time of an issue`, times, 8, "times an empty request's");
  atMost(
    `${what}: p99 of issue`,
    of("issue", (one) => one.p99),
    50,
    "ms",
  );
  atMost(
    `${what}: p99 of sign`,
    of("sign", (one) => one.p99),
    50,
    "ms",
  );
}

/**
 * Requests over the public port of the launcher: a new deployment, then one that holds many
 * certificates.
 */
export async function benchHttp(options: HttpOptions): Promise<void> {
  const csr = await signingRequest();
  const floor = await startFloor();
  const subject = await startSubject().catch(async (error: unknown) => {
    await floor.stop();
    throw error;
  });
  try {
    const kinds = kindsOf(floor, subject, csr);
    judge("fresh", await rounds(kinds, options));
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
      400,
      "MiB",
      `launcher ${round(residentMiB(subject.pid))} MiB`,
    );
    judge(`${options.certificates} held`, await rounds(kinds, options));
    if (options.lists) await benchLists(subject, floor, options.certificates);
  } finally {
    await subject.stop();
    await floor.stop();
  }
}

function fill(subject: Subject, count: number): Promise<Outcome> {
  return drive({
    url: subject.url,
    connections,
    count,
    request: () =>
      post(
        "/v1/pki/issue/web",
        subject.token,
        JSON.stringify({ common_name: `h${drawn++}.example.com` }),
      ),
  });
}
